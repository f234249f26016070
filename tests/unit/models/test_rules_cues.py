"""What the offline extractor takes for teaching, and what it leaves alone (X14, X7)."""

import pytest

from tests.unit.models.rooms import drafts

RULES = """\
Always run the linter before you push.
please never commit directly to main
From now on, write the commit messages in English.
Don't ever send an invoice without a PO number.
Going forward, all dates are written as 2026-01-31.
In future please round prices up to the next five cents.
When you answer a customer, always start with their first name.
You must never call the supplier before ten o'clock.
All invoices must carry the cost centre.
Whenever you touch the schema, regenerate the client.
Make sure you always quote the order number.
We never ship glass without the double box.
Nobody may push to the release branch without a review.
Our rule is: no meetings before nine.
House rule: shoes off in the studio.
As a rule, quotes are valid for thirty days.
Under no circumstances should you email the press list.
Ask me before you delete anything.
No more emojis in release notes, please.
Stop using semicolons in the Python files.
Use metric units in every answer.
You should always ask for a receipt.
I want you to always answer in French when Luc writes.
If I ask for a summary, keep it under five lines.
It is important that you mention the delivery date.
By default, reply in the language of the customer.
Never, ever store card numbers.
Ok, one more thing: never schedule anything on Wednesdays.
Hey, just so you know, we never offer discounts to resellers.
For invoices, always use the customer's legal name.
Commits: always sign them off.
- never touch the legacy folder
You are not allowed to book flights without approval.
Every release needs to be tagged.
Don't deploy on Fridays anymore.
The policy for refunds: within 14 days, no questions asked.
It's company policy that laptops are encrypted.
Remember to cc accounting on every purchase order.
every time you finish a task, post a two-line summary
Prices are always quoted without VAT.
Deliveries must not be scheduled for Mondays.
I never want to see a price without currency.
Could you please always add the ticket number to the branch name?
Always answer in English, ok?
Never write "Dear Sir or Madam" in our letters.
One thing, and this goes for all of you: always lock the front door.
We say "bike", never "bicycle", in every text."""

CORRECTIONS = """\
No, use spaces instead.
Use pnpm, not npm.
Use the blue logo instead of the red one.
Actually, the staging database lives on db-2.
The port is not 8080 but 8443.
The offsite is in Lisbon, not in Porto.
Instead of calling suppliers, send them an email.
Don't use the old template, use the one in the shared drive."""

DECISIONS = """\
We decided to use Postgres for the billing service.
We've decided against feature flags.
Let's go with the blue logo for the spring campaign.
The decision is to ship on Thursdays.
Our team agreed on two-week sprints.
We're going with Hetzner for hosting.
We moved from Postgres to MySQL.
We no longer deploy on Fridays.
Instead of Slack we now use Matrix.
We stopped using Jira; everything is in Linear now.
We replaced Jenkins with GitHub Actions.
We do not ship to Russia any more."""

PREFERENCES = """\
I prefer short answers without bullet points.
I like it when you show the diff first.
I'd rather have one long email than five short ones.
I hate long introductions in emails.
My favourite format is a table.
Call me Sam."""

FACTS = """\
Please remember that our customers pay in Swiss francs.
Keep in mind that Anna is allergic to peanuts.
Remember: the warehouse closes at 16:00 on Fridays.
Small warning: the staging database is wiped every Sunday.
The billing service uses Postgres.
Our office is in Halle."""

NOTHING = {
    "a question": """\
Should we always run the linter?
Do you always run the tests?
Is it true that you never sleep?
Would you rather use tabs?
Remember when we always deployed on Fridays?
Can you run the tests?
Does the team never deploy on Fridays
How about we always use tabs?""",
    "a supposition": """\
What if we always used tabs?
Suppose we never deployed on Fridays.
If we moved to MySQL, we would always need a backup.
Imagine we never deploy on Fridays.
Maybe we should always use tabs.
It would be better to always use tabs.
I wish we never used tabs.
We could always go with Postgres.
Let's say we decided to use Redis.
Assume we decided to use Redis.
For example, always use tabs.
Perhaps we decided too early.
Hypothetically, we always use tabs.
Pretend we moved from Postgres to MySQL.
If I were you, I would never use tabs.
Just thinking aloud: if we ever opened in Vienna, would we always need a second database?""",
    "a complaint or a tale": """\
It always fails on CI.
The build never finishes.
I always forget the flag.
You always do this wrong.
we never got an answer
We always lose time on this.
He never answers before noon.
They always ship late.
never been there
I moved the file from a to b.
Thanks, I like your idea.
I like that.
As always, thanks!
Never mind.""",
    "said by somebody else": """\
The README says never to use tabs.
Bob said we should always use tabs.
"Always use tabs" is what the style guide suggested.
According to the docs you must never use tabs.
They told me that we always use tabs.
Wren: always use tabs
assistant: We decided to use Redis.""",
    "a step of the task": """\
Fix the login bug.
Don't push yet.
For now, always use the test key.
Just this once, always push.
In this PR, always use the old name.
Run the tests before you push this branch.
Never deploy today.
Next, always run the tests.
Don't ask again, just show me the list now.""",
    "nothing to stand on": """\
Never do that again.
Always.
Always run it.
No, leave it.
no, wait
Let's go with that.
Let's go with option B.
I prefer the second one.
Remember this.""",
    "undecided": """\
Once we have decided on the database, tell Bob.
We haven't decided on a logo yet.
Nothing was decided.
I don't remember that we decided anything.""",
}

PASTED = {
    "a quotation": "> always use tabs\n> we decided to use Redis",
    "a code block": "```\n# always use tabs\n```",
    "an unclosed code block": "```\nalways use tabs",
    "an indented block": "    always use tabs",
    "a plan": "Implement the following plan:\n\n# Plan\n- always use tabs\n- we decided to use Redis",
    "a document": "## Upstream\n\nAlways use tabs.",
    "an error": "Here's the error: never use this in production",
    "a log": "2026-01-02T10:00:00 always use tabs\nERROR never use this",
    "a tagged block": "<page>\nAlways use tabs.\n</page>",
    "a transcript": "He said:\nAlways use tabs.",
    "inline code": "The file has `# always use tabs` in it.",
    "a secret": "Always use the key [redacted: api key] for the mirror.",
    "a long document": "Look at it.\n\n"
    + "\n\n".join(f"Always use tool number {number} for the job." for number in range(200))
    + "\n\nThanks.",
}


def _lines(table: dict[str, str]) -> list[tuple[str, str]]:
    return [(why, line) for why, lines in table.items() for line in lines.splitlines()]


@pytest.mark.parametrize("text", RULES.splitlines())
def test_a_standing_rule_is_found_X14(text: str) -> None:
    (draft,) = drafts(text)
    assert draft["kind"] == "rule" and draft["scope"] == "everywhere"


@pytest.mark.parametrize("text", CORRECTIONS.splitlines())
def test_a_correction_is_found_X14(text: str) -> None:
    (draft,) = drafts(text)
    assert draft["kind"] in ("rule", "fact")


@pytest.mark.parametrize("text", DECISIONS.splitlines())
def test_a_decision_is_found_X14(text: str) -> None:
    (draft,) = drafts(text)
    assert draft["kind"] == "decision"


@pytest.mark.parametrize("text", PREFERENCES.splitlines())
def test_a_preference_is_found_and_says_whose_it_is_X14(text: str) -> None:
    (draft,) = drafts(text)
    assert draft["kind"] == "preference"
    if draft["about"] != "everyone":
        assert draft["about"] == "Maria" and draft["statement"].startswith("Maria: ")


@pytest.mark.parametrize("text", FACTS.splitlines())
def test_what_is_to_be_remembered_is_found_X14(text: str) -> None:
    (draft,) = drafts(text)
    assert draft["kind"] == "fact"


@pytest.mark.parametrize(("why", "text"), _lines(NOTHING))
def test_what_is_no_teaching_is_left_alone_X7(why: str, text: str) -> None:
    assert drafts(text) == [], why


@pytest.mark.parametrize("why", PASTED)
def test_what_is_quoted_or_pasted_is_left_alone_X7(why: str) -> None:
    assert drafts(PASTED[why]) == [], why


@pytest.mark.parametrize(
    ("text", "corrects"),
    [
        ("Use pnpm, not npm.", "npm"),
        ("Use the blue logo instead of the red one.", "red one"),
        ("We moved from Postgres to MySQL.", "Postgres"),
        ("We no longer deploy on Fridays.", "deploy on Fridays"),
        ("Instead of Slack we now use Matrix.", "Slack"),
        ("We stopped using Jira; everything is in Linear now.", "Jira"),
        ("We replaced Jenkins with GitHub Actions.", "Jenkins"),
        ("Don't use the old template, use the one in the shared drive.", "old template"),
        ("The release is called `Fox`, not `Wolf`.", "Wolf"),
        ("We decided against feature flags.", "feature flags"),
        ("Always run the linter before you push.", None),
    ],
)
def test_a_correction_says_what_it_replaces_X6(text: str, corrects: str | None) -> None:
    (draft,) = drafts(text)
    assert draft.get("corrects") == corrects
