"""Secrets out of text before it leaves, whatever their kind and wherever they stand; ids and digests stay (X9)."""

import subprocess
import sys
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from streams.redaction.redaction import redact, redact_sequence, secrets_in

# Built from parts, so that no file of ours looks as if it held a credential.
AWS = "AKIA" + "IOSFODNN7EXAMPLE"
AWS_SECRET = "wJalrXUtnFEMI/K7MDENG" + "/bPxRfiCYEXAMPLEKEY"
JWT = ".".join(["eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9", "eyJzdWIiOiIxMjM0NTY3ODkwIn0", "SflKxwRJSMeKKF2QT4fwpMeJf36POk6yJV_adQssw5c"])
GITHUB = "ghp" + "_abcdefghijklmnopqrstuvwxyz0123456789"
SLACK = "xoxb" + "-123456789012-1234567890123-AbCdEfGhIjKlMnOpQrStUvWx"
ANTHROPIC = "sk-ant" + "-api03-abcdefghijklmnopqrstuvwxyz-0123456789"
OPENAI = "sk-proj" + "-abcdEFGH0123456789abcdEFGHijkl"
KEY_LINES = "MIIEowIBAAKCAQEA7bq98aPqwFZTkLmN\nabcdefghijklmnopqrstuvwxyz0123456789ABCD\nZm9vYg=="
PEM = f"-----BEGIN RSA {'PRIVATE'} KEY-----\n{KEY_LINES}\n-----END RSA {'PRIVATE'} KEY-----"

SECRETS = {
    "an AWS-like key": (f"the key {AWS} is live", AWS),
    "the pair": (f"{AWS},{AWS_SECRET}", AWS_SECRET),
    "an AWS secret by its name": (f"aws_secret_access_key = {AWS_SECRET}", AWS_SECRET),
    "a JWT with its signature": (f"send {JWT} along", JWT.rsplit(".", 1)[1]),
    "a GitHub token": (f"git clone https://{GITHUB}@github.com/x/y", GITHUB),
    "a Slack token": (f'{{"slack": "{SLACK}"}}', SLACK),
    "an Anthropic key": (ANTHROPIC, ANTHROPIC),
    "an OpenAI key": (f"it's {OPENAI}.", OPENAI),
    "a PEM block": (f"here:\n{PEM}\nend", "abcdefghijklmnopqrstuvwxyz0123456789ABCD"),
    "a PEM block in JSON": (PEM.replace("\n", "\\n"), "abcdefghijklmnopqrstuvwxyz0123456789ABCD"),
    "a PEM block cut off": (PEM[:-60], "abcdefghijklmnopqrstuvwxyz0123456789ABCD"),
    "a PEM block without its beginning": (PEM[40:], "abcdefghijklmnopqrstuvwxyz0123456789ABCD"),
    "a password in a URL": ("postgres://app:s3cr3tPass@db.example.com/x", "s3cr3tPass"),
    "a password of letters in a URL": ("amqp://guest:swordfish@localhost", "swordfish"),
    "a password assigned": ("password: hunter2", "hunter2"),
    "a password of letters": ("Password: swordfish", "swordfish"),
    "a password with marks": ("db password: Tr0ub4dor&3", "Tr0ub4dor&3"),
    "a password in quotes": ('password = "correct horse battery 9"', "correct horse battery 9"),
    "a password said": ("my password is hunter2, thanks", "hunter2"),
    "an API key assigned": ("api_key = x9f", "x9f"),
    "an API key as a variable": ("export SERVICE_API_KEY=abc123", "abc123"),
    "a secret in arguments": ('{"command":"login","password":"hunter2"}', "hunter2"),
    "a secret in arguments within arguments": ('{"body":"{\\"client_secret\\": \\"s3cr3t value\\"}"}', "s3cr3t value"),
    "a header": ("Authorization: Bearer abcdef0123456789abcdef", "abcdef0123456789abcdef"),
    "an option": ("deploy --token abc123def456 --now", "abc123def456"),
    "curl's user": ("curl -u bob:pa55word https://example.com", "pa55word"),
    "a random token assigned": ('token = "f3A9kLmNopQ27xYz88"', "f3A9kLmNopQ27xYz88"),
    "a token in a URL's query": ("https://example.com/z?access_token=Zr81kQpLm3vXw92T&b=1", "Zr81kQpLm3vXw92T"),
}

NOT_SECRETS = [
    "fixed in commit 8067501abcdef0123456789abcdef0123456789a",
    "git checkout 0a1b2c3d4e5f",
    "request 5f1b0c1e-6f0a-5d1c-9a57-6c6d9b7f3a10 failed",
    "token: 5f1b0c1e-6f0a-5d1c-9a57-6c6d9b7f3a10",
    "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
    'etag: "33a64df551425fcc55e4d42a148795d9f25f89d4"',
    "signature: e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
    "def login(user: str, password: str) -> None:",
    "password = None",
    "token = get_token()",
    'api_key = os.environ["API_KEY"]',
    "password=self.password",
    "secret: ${SECRET}",
    "Password: the user must choose one of twelve letters",
    'password_reset_url = "/reset/now"',
    "http://localhost:8080/a@b",
    "max_tokens = 4096",
    "primary_key: true",
    "We always run the tests before a merge, and never on Fridays.",
]


@pytest.mark.parametrize(("text", "secret"), SECRETS.values(), ids=SECRETS.keys())
def test_a_secret_is_replaced_by_a_mark_X9(text: str, secret: str) -> None:
    clean = redact(text)
    assert secret not in clean
    assert "[redacted: " in clean


@pytest.mark.parametrize("text", NOT_SECRETS)
def test_ids_digests_types_and_words_stay_X9(text: str) -> None:
    assert redact(text) == text


@pytest.mark.parametrize("joint", range(4, len(AWS)))
def test_a_key_split_over_two_messages_is_in_neither_X9(joint: int) -> None:
    first, second = redact_sequence([f"the key is {AWS[:joint]}", f"{AWS[joint:]} and that's all"])
    assert AWS[joint:] not in second and not first.endswith(AWS[:joint])
    assert second.endswith("and that's all")


def test_a_password_in_the_message_after_its_name_X9() -> None:
    assert redact_sequence(["what's the password:", "hunter2 of course"])[1] == "[redacted: password] of course"
    assert redact_sequence(["what's the password:", "never tell it"])[1] == "never tell it"


def test_a_block_over_two_messages_is_in_neither_X9() -> None:
    for clean in redact_sequence([PEM[:70], PEM[70:]]):
        assert not any(line in clean for line in KEY_LINES.split("\n")[:2])


@given(st.text(), st.sampled_from([text for text, _ in SECRETS.values()]), st.text())
def test_redacting_twice_changes_nothing_X9(before: str, secret: str, after: str) -> None:
    once = redact(before + secret + after)
    assert redact(once) == once


@given(
    st.lists(st.sampled_from([*"pasword=: \"'\\\n-@/x9", "password", "token", "key", "secret", "[redacted: ", "]", "://", AWS, "is"])).map(
        "".join
    )
)
def test_redacting_twice_changes_nothing_whatever_the_marks_X9(text: str) -> None:
    once = redact(text)
    assert redact(once) == once


def test_five_megabytes_are_no_trouble_U31() -> None:
    text = f"{'lorem ipsum dolor sit amet, ' * 190_000} password: hunter2"
    assert len(text) > 5_000_000
    assert "hunter2" not in redact(text)


@pytest.mark.parametrize("part", ["key=", "password: ", "://a:b", "-----BEGIN X-----", "eyJ", "token ", 'secret="'])
def test_time_grows_with_the_length_whatever_is_repeated_U31(part: str) -> None:
    def seconds(length: int) -> float:
        started = time.process_time()
        secrets_in(part * (length // len(part)))
        return time.process_time() - started

    seconds(1_000)
    assert seconds(80_000) < 40 * (seconds(20_000) + 0.05)


def test_finding_secrets_needs_neither_files_nor_a_network_X9() -> None:
    watched = """
import sys
from streams.redaction.redaction import redact
seen = []
watched = ("open", "socket.connect", "socket.getaddrinfo", "subprocess.Popen")
sys.addaudithook(lambda event, arguments: seen.append(event) if event in watched else None)
redact("password: hunter2 AKIAIOSFODNN7EXAMPLE eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.abc https://a:b1@c")
from detect_secrets.settings import get_settings
assert get_settings.cache_info().currsize == 0, "the library's settings were read"
assert not seen, seen
"""
    subprocess.run([sys.executable, "-c", watched], check=True, timeout=60)


def test_places_are_given_in_order_and_apart_X9() -> None:
    text = f"{AWS} password={AWS} {JWT}"
    found = secrets_in(text)
    assert [text[secret.start : secret.end] for secret in found] == [AWS, AWS, JWT]


@pytest.mark.parametrize(
    ("first", "second", "shown"),
    [
        ("here it comes, and the secret", "is wJalrXUtnFEMI7K9MDENGbPx", "is [redacted: secret]"),
        ("the password", "is hunter22x", "is [redacted: password]"),
        ("password", "= hunter22x", "= [redacted: password]"),
        ("the password is", "hunter22x, ok?", "[redacted: password], ok?"),
        ("the token we use", "is fine in v2", "is fine in v2"),
        ("I lost my password", "it is 25 days ago", "it is 25 days ago"),
    ],
)
def test_a_name_in_one_message_tells_the_secret_in_the_next_X9(first: str, second: str, shown: str) -> None:
    assert redact_sequence((first, second)) == (first, shown)


def test_a_colon_after_is_hides_nothing_X9() -> None:
    assert redact("the password is: hunter22x") == "the password is: [redacted: password]"
    assert redact("the password is: please wait") == "the password is: please wait"
