"""What somebody only supposes is no fact, whatever a model makes of it (X7, U15)."""

import pytest

from tests.unit.candidates.chunks import AGENT, a_chunk, a_draft, message, proposed, rejected

SUPPOSED = [
    "Suppose our vault were at /x/vault.",
    "What if our vault were at /x/vault?",
    "Imagine our vault is at /x/vault.",
    "If our vault were at /x/vault, the backups would be easier.",
    "Let's say our vault is at /x/vault.",
    "Say our vault is at /x/vault.",
    "Assuming our vault is at /x/vault, how long does a backup take?",
    "Hypothetically our vault could be at /x/vault.",
    "Pretend that our vault is at /x/vault.",
    "Our vault might be at /x/vault one day.",
    "If we moved our vault to /x/vault we'd need a new key.",
    "In a world where our vault is at /x/vault nobody needs a key.",
    "For example, our vault is at /x/vault.",
    "Maybe our vault is at /x/vault.",
    "I wish our vault were at /x/vault.",
    "Were our vault at /x/vault, restores would be quicker.",
    "As a thought experiment: our vault is at /x/vault.",
    "So, just imagine: our vault is at /x/vault.",
]


@pytest.mark.parametrize("kind", ["fact", "rule", "decision"])
@pytest.mark.parametrize("text", SUPPOSED)
def test_a_supposition_is_no_fact_U15(text: str, kind: str) -> None:
    quote = next(words for words in ("vault were at /x/vault", "vault is at /x/vault", "vault", "/x/vault") if words in text)
    assert rejected(a_chunk(message("m1", text)), a_draft("Our vault is at /x/vault.", quote, ["m1"], kind=kind)) == "a hypothetical"


def test_what_follows_in_a_supposed_world_is_supposed_too_U15() -> None:
    chunk = a_chunk(message("m1", "Suppose we had moved to Lisbon. The office is in Rua Augusta 7. The team starts at ten."))
    assert (
        rejected(chunk, a_draft("The office is in Rua Augusta 7.", "the office is in rua augusta 7", ["m1"], kind="fact"))
        == "a hypothetical"
    )


@pytest.mark.parametrize(
    "text",
    [
        "Suppose we had moved to Lisbon. Actually, our vault is at /x/vault.",
        "Suppose we had moved to Lisbon.\n\nOur vault is at /x/vault.",
        "Our vault is at /x/vault, otherwise the backups would be too slow.",
        "Our vault is at /x/vault.",
    ],
)
def test_a_plain_statement_beside_a_supposition_is_a_fact_U15(text: str) -> None:
    proposed(a_chunk(message("m1", text)), a_draft("Our vault is at /x/vault.", "our vault is at /x/vault", ["m1"], kind="fact"))


def test_an_agent_s_supposition_is_no_fact_either_U15() -> None:
    chunk = a_chunk(message("m1", "Suppose the vault were at /x/vault.", AGENT))
    assert rejected(chunk, a_draft("The vault is at /x/vault.", "vault were at /x/vault", ["m1"], kind="fact")) == "a hypothetical"
