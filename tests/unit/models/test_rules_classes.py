"""Ways of teaching, class by class, each beside what only looks like it (X14, X7). Single sentences of their own, from no transcript."""

import pytest

from tests.unit.models.rooms import drafts, learned

RULES = {
    "we, as a matter of course": """\
in all our quotes we write the net price, not the gross one
In every contract we use the Swiss spelling.
with customers we never discuss other customers
around here we label boxes on two sides
we only ship on weekdays
we don't mention prices in the subject line
in our kitchen we wash lettuce twice
We're on tabs in every repo.
we say guests, never customers
no no, we ship everything with DPD
In this lab we report medians, not means.
none of our repos use submodules
Tests first, then code - that's how we work in this studio.
We pay suppliers within ten days, no exceptions.""",
    "of each, of any, of none": """\
Every press release goes past legal first.
Any contract above 5k needs Paula's approval.
All offers get a validity date.
No invoice leaves the building without an order number.
Nothing goes live before QA has seen it.
Nobody touches the production database without a second person.
Each ticket gets an owner before it is closed.
Anything that mentions the merger has to be cleared by Priya.
Everything over 100 euros goes through purchasing.
British spelling only in letters to clients, please.""",
    "of a whole kind": """\
Refunds go through Marta.
Contracts are signed by two people.
A quote needs to name the delivery week.
Photos of children are never published without consent.
Our orders are packed by hand.
All our emails end with the legal footer.
Expenses over 50 need a receipt.
Backups are kept for ninety days.
hotfixes get tagged
hey, quick thing: dates in file names go first""",
    "with a trigger that comes again": """\
When you write to suppliers, copy in the purchasing desk.
whenever a customer complains, log it in the tracker first
if you change a public function, please update the changelog
Before you send anything to the press, ask Lena.
Each time a build breaks, tell the author.
Use the long date format when you write to customers.
When a parcel comes back, refund the postage as well.
before publishing anything, run it past Helen
don't squash when you merge release branches
Do not merge into release branches without a ticket.""",
    "from here on": """\
next time please ask before deleting rows
going forward let's keep one branch per ticket
could you use the metric system from here on?
the weekly figures go to Ines from this month on
from Monday on, standup is at ten
make it a habit to run the formatter
Don't add lockfiles to commits, and please remember that.
never mention the codename to partners. keep that in mind""",
    "an end to a habit": """\
can you please stop adding smileys to the minutes
stop rounding the figures
Please don't keep renaming my branches
no links in tweets for clients
No calls before nine.
Keep your replies under a hundred words.""",
    "a policy by its name": """\
Policy: two reviewers per change.
house style is sentence case for headings
our convention: tests live next to the code
The deal with the landlord is: no noise after ten.""",
    "who somebody is": """\
It's Dr. Weber, not Mr. Weber.
Robin is a she, by the way.
Sam uses they/them.
Alex's pronouns are he/him.""",
    "a decision that binds": """\
We're going with Fastly for all static sites.
We'll use Inter for the new site, no more Helvetica
we agreed on no deploys after four
we decided that every offer gets two reviews""",
    "with mistyped words": """\
Alwyas cc the warehouse on shipping changes.
plz never quote prices over the phone
dont sqaush wehn you merge release branches""",
}

PREFERENCES = """\
I find long threads hard to follow.
I'd like to see the plan first whenever you change infrastructure.
bullet points work better for me
I'd rather get one message per day
I don't do calls before ten.
I'm useless before noon
I only read the first line of mails.
I'd prefer it if you asked before booking anything
could you keep your answers to three sentences?"""

DECISIONS = """\
we went with oak for the shelves
Final: the talk is in English.
The blue variant is off the table.
it'll be Graz for the summer school
The retro is on Thursdays now.
The newsletter goes to Annika now."""

NOTHING = {
    "of one thing": """\
this PR needs a review
the build needs Bob's okay before we continue
All the boxes are packed.
when you push this branch, tag it
before you go, print the list
If you find the bug, fix it.
read the second chapter only""",
    "a state of the moment": """\
every test is failing
all tests pass
Every page gets a 404.
nothing works without sudo
Nobody knows who wrote it.
our tests run slow today
Customers are complaining about the checkout.
Tickets are sold out
we don't see any errors in the log
we only have two days left
it works better now
The tests are green now.
the site is in maintenance now
Those are raw numbers.
No, those are last year's figures.
no errors in the logs
no luck with the installs
everything is on fire""",
    "an order of the moment": """\
when you're done, send me the link
when you get a chance, look at the invoice
if you want, use the other file
let me know when you push
stop running the job
stop doing that
can you stop the container?
please send the minutes to Anna
don't deploy yet
don't bother with the logs
don't worry when you see warnings
Stop explaining the error and just give me the file.
The photos for the brochure are too dark, can you brighten them""",
    "a wish or a find of the moment": """\
I'd like to see the logs
I'd rather not
I find it odd
i find the time for it tomorrow
I only want the first page
I'm not available on Friday
I'm no good at this""",
    "a joke or a saying": """\
always trust a pirate
never bet against Rosa at darts
Never underestimate a tired toddler.
rule number one of karaoke: never sing after Joe
First rule of book club: always bring cake.
never say never
we go to the lake on sundays lol""",
    "a supposition or somebody else's": """\
If we ever opened in Oslo, all prices would be in kroner.
Maybe all offers should get a date.
Suppose anything above 5k needed approval.
What if refunds went through Marta?
I think refunds go through Marta, right?
he said we only ship on weekdays
My old boss said nothing leaves without a stamp.
The manual says "when you open the lid, stop the motor".""",
    "no decision": """\
agreed, that looks good
we went with it
we went for lunch
final version attached
it'll be fine""",
    "small talk": """\
each time it rains we get wet
every time I open it, it crashes
remember the milk
Please remember me to your mother.
going forward is hard
before you ask, no""",
}


def _table(lines: dict[str, str]) -> list[tuple[str, str]]:
    return [(why, line) for why, text in lines.items() for line in text.splitlines()]


@pytest.mark.parametrize(("why", "text"), _table(RULES))
def test_a_rule_in_other_words_is_found_and_holds_everywhere_X14(why: str, text: str) -> None:
    draft = drafts(text)[0]
    assert (draft["kind"], draft["scope"]) == ("rule", "everywhere"), why


@pytest.mark.parametrize("text", PREFERENCES.splitlines())
def test_a_preference_in_other_words_is_found_X14(text: str) -> None:
    (draft,) = drafts(text)
    assert draft["kind"] in ("preference", "rule") and draft["scope"] == "everywhere"


@pytest.mark.parametrize("text", DECISIONS.splitlines())
def test_a_decision_in_other_words_is_found_X14(text: str) -> None:
    (draft,) = drafts(text)
    assert draft["kind"] == "decision"


@pytest.mark.parametrize(("why", "text"), _table(NOTHING))
def test_what_only_looks_like_teaching_is_left_alone_X7(why: str, text: str) -> None:
    assert drafts(text) == [], why


@pytest.mark.parametrize(
    ("text", "statement", "quote"),
    [
        ("we use pnpm. not npm.", "We use pnpm, not npm.", "we use pnpm."),
        (
            "Stop pinging the whole channel with coverage. #coverage is there for that.",
            "Stop pinging the whole channel with coverage – #coverage is there for that.",
            "Stop pinging the whole channel with coverage.",
        ),
        (
            "No, those are gross prices. In this office we print them net.",
            "Those are gross prices – In this office we print them net.",
            "In this office we print them net.",
        ),
        ("We bill everything in euros, can you redo it?", "We bill everything in euros", "We bill everything in euros"),
        ("Every offer gets a date. pls fix that", "Every offer gets a date.", "Every offer gets a date."),
        ("dont sqaush wehn you merge release branches", "Dont sqaush wehn you merge release branches", None),
    ],
)
def test_what_its_neighbours_add_is_in_the_statement_and_the_quote_stays_verbatim_X6(text: str, statement: str, quote: str | None) -> None:
    (candidate,) = learned(text)
    assert candidate.statement == statement
    assert candidate.quote in text and candidate.quote == (quote or candidate.quote)


@pytest.mark.parametrize(
    ("text", "scope"),
    [
        ("Every offer in this office gets a date.", "everywhere"),
        ("In our team we review each other's texts.", "everywhere"),
        ("Keep the summaries short from here on.", "everywhere"),
        ("Every service in this repo gets a health check.", "project:acme"),
        ("We don't use Lodash here.", "project:acme"),
        ("In acme, all prices are rounded.", "project:acme"),
    ],
)
def test_people_are_everywhere_and_a_place_is_where_it_is_X6(text: str, scope: str) -> None:
    assert drafts(text, project="acme")[0]["scope"] == scope
