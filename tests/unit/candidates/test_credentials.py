"""Credentials in words are no candidates (X7)."""

import pytest

from streams.candidates.credentials import has_credential


@pytest.mark.parametrize(
    "text",
    [
        "The password is hunter2.",
        "The admin password for staging is correcthorse",
        "My PIN is 1234",
        "API key: abc",
        'The wifi passphrase is "four words are here"',
        "The login is root / toor",
        "the alarm code is 4711",
        "Our recovery code: 88-12-90",
        "secret=open-sesame",
        "The access token for the mirror is x9.k2",
    ],
)
def test_a_credential_in_words_is_seen_X7(text: str) -> None:
    assert has_credential(text)


@pytest.mark.parametrize(
    "text",
    [
        "Never commit the API key.",
        "The password is stored in the vault.",
        "The token is rotated weekly.",
        "password = ${DB_PASSWORD}",
        "The password is [redacted: password]",
        "The token budget is 128000",
        "Secrets are in the team's vault",
        "Passwords must have twelve characters.",
        "Design tokens are defined in tokens.css",
    ],
)
def test_a_rule_about_credentials_is_none_X7(text: str) -> None:
    assert not has_credential(text)
