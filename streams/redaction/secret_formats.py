"""Secrets that are known by their own shape: tokens with a maker's prefix, signed tokens, PEM blocks (X9). Pure.

The shapes of well-known makers are those of detect-secrets' plugins: only their compiled patterns and the check of a JWT are used, since
its scanning reads global settings and can ask the network. What it lacks is added here.
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from detect_secrets.plugins.artifactory import ArtifactoryDetector
from detect_secrets.plugins.aws import AWSKeyDetector
from detect_secrets.plugins.azure_storage_key import AzureStorageKeyDetector
from detect_secrets.plugins.discord import DiscordBotTokenDetector
from detect_secrets.plugins.github_token import GitHubTokenDetector
from detect_secrets.plugins.gitlab_token import GitLabTokenDetector
from detect_secrets.plugins.jwt import JwtTokenDetector
from detect_secrets.plugins.mailchimp import MailchimpDetector
from detect_secrets.plugins.openai import OpenAIDetector
from detect_secrets.plugins.pypi_token import PypiTokenDetector
from detect_secrets.plugins.sendgrid import SendGridDetector
from detect_secrets.plugins.slack import SlackDetector
from detect_secrets.plugins.square_oauth import SquareOAuthDetector
from detect_secrets.plugins.stripe import StripeDetector
from detect_secrets.plugins.telegram_token import TelegramBotTokenDetector
from detect_secrets.plugins.twilio import TwilioKeyDetector


@dataclass(frozen=True, slots=True, order=True)
class Secret:
    """A secret in a text: `text[start:end]`, and what it is."""

    start: int
    end: int
    kind: str


@dataclass(frozen=True, slots=True)
class _Format:
    kind: str
    pattern: re.Pattern[str]
    hint: str = ""
    """A part that every match has: without it the text need not be searched."""
    valid: Callable[[str], bool] = lambda token: True


def _has_digit_and_letter(token: str) -> bool:
    return any(character.isdigit() for character in token) and any(character.isalpha() for character in token)


def _signed(token: str) -> bool:
    return JwtTokenDetector.is_formally_valid(".".join(token.split(".")[:2]))


def _of_library() -> Iterator[_Format]:
    yield _Format("aws key", AWSKeyDetector.denylist[0])
    yield _Format("azure key", AzureStorageKeyDetector.denylist[0], "AccountKey=")
    yield _Format("discord token", DiscordBotTokenDetector.denylist[0], ".", _has_digit_and_letter)
    yield _Format("github token", GitHubTokenDetector.denylist[0])
    yield from (_Format("gitlab token", pattern) for pattern in GitLabTokenDetector.denylist)
    yield from (_Format("artifactory token", pattern, "A", _has_digit_and_letter) for pattern in ArtifactoryDetector.denylist)
    yield _Format("mailchimp key", MailchimpDetector.denylist[0], "-us")
    yield _Format("openai key", OpenAIDetector.denylist[0], "T3BlbkFJ")
    yield from (_Format("pypi token", pattern, "pypi-") for pattern in PypiTokenDetector.denylist)
    yield _Format("sendgrid key", SendGridDetector.denylist[0], "SG.")
    yield _Format("slack token", SlackDetector.denylist[0])
    yield _Format("slack webhook", SlackDetector.denylist[1], "hooks.slack.com")
    yield _Format("square secret", SquareOAuthDetector.denylist[0], "sq0csp-")
    yield _Format("stripe key", StripeDetector.denylist[0], "k_live_")
    yield _Format("telegram token", TelegramBotTokenDetector.denylist[0], ":")
    yield from (_Format("twilio key", pattern) for pattern in TwilioKeyDetector.denylist)


def _of_ours() -> Iterator[_Format]:
    # The library's own pattern looks at every `eyJ` to the end of its run; bounded and without going back it stays linear.
    yield _Format("jwt", re.compile(r"(?<![A-Za-z0-9])eyJ[A-Za-z0-9_=-]{8,512}+\.[A-Za-z0-9_=-]{4,}"), "eyJ", _signed)
    yield _Format("github token", re.compile(r"github_pat_[A-Za-z0-9_]{20,}"), "github_pat_")
    yield _Format(
        "slack token", re.compile(r"xox[a-z](?:\.xox[a-z])?-[A-Za-z0-9-]{10,}|xapp-[A-Za-z0-9-]{10,}"), "x", _has_digit_and_letter
    )
    yield _Format("anthropic key", re.compile(r"sk-ant-[A-Za-z0-9_-]{16,}"), "sk-ant-")
    yield _Format("api key", re.compile(r"(?<![A-Za-z0-9])sk-[A-Za-z0-9_-]{20,}"), "sk-", _has_digit_and_letter)
    yield _Format("stripe key", re.compile(r"(?:sk|rk|pk)_test_[0-9a-zA-Z]{16,}|whsec_[0-9a-zA-Z+/=]{16,}"))
    yield _Format("google key", re.compile(r"AIza[0-9A-Za-z_-]{35}|ya29\.[0-9A-Za-z_-]{20,}|GOCSPX-[0-9A-Za-z_-]{20,}"))
    yield _Format("npm token", re.compile(r"npm_[A-Za-z0-9]{36}"), "npm_")
    yield _Format("hugging face token", re.compile(r"hf_[A-Za-z0-9]{30,}"), "hf_")
    yield _Format(
        "api key", re.compile(r"(?:gsk|xai|pplx|r8|lin_api|shpat|shpss|dop_v1|doo_v1)[_-][A-Za-z0-9_]{24,}"), "", _has_digit_and_letter
    )
    yield _Format("age key", re.compile(r"AGE-SECRET-KEY-1[0-9A-Z]{50,}"), "AGE-SECRET-KEY-")
    # The secret half of an AWS pair has no prefix; beside its other half it is known.
    yield _Format("aws key", re.compile(r"(?:AKIA|ASIA)[0-9A-Z]{16}[\s,:;|\"']{1,6}[A-Za-z0-9/+]{40}(?![A-Za-z0-9/+])"))


FORMATS = (*_of_library(), *_of_ours())

_TOKEN_TAIL = re.compile(r"[A-Za-z0-9_+/=.-]*[A-Za-z0-9_+/=-]")
_PEM_BEGIN = re.compile(r"-----BEGIN ([A-Z0-9 ]{1,40})-----")
_PEM_END = re.compile(r"-----END ([A-Z0-9 ]{1,40})-----")
_BREAK = r"(?:\s|\\[nrt]|[\"'+>|,]){0,12}"
_PEM_LINE = re.compile(_BREAK + r"(?:[A-Za-z0-9+/=]{24,}|(?:Proc-Type|DEK-Info|Version|Comment|Hash): [^\n\\]{1,120})")
_PEM_LAST_LINE = re.compile(_BREAK + r"[A-Za-z0-9+/]{2,23}={0,2}(?![A-Za-z0-9])")
_PEM_LAST_LINE_BEFORE = re.compile(r"[A-Za-z0-9+/=]{2,}" + _BREAK + r"\Z")
_PEM_LINE_BEFORE = re.compile(r"[A-Za-z0-9+/=]{24,}" + _BREAK + r"\Z")
_LONGEST_LINE = 120
_LONGEST_BLOCK = 16_384


def known_formats(text: str) -> Iterator[Secret]:
    """Give every secret of `text` that is known by its shape, in no order, perhaps one within another."""
    for form in FORMATS:
        if form.hint not in text:
            continue
        for match in form.pattern.finditer(text):
            if not form.valid(match.group()):
                continue
            start, end = match.span()
            # The signature of a token, or what a maker has made longer since, belongs to it; a blank or quote before it doesn't.
            start += len(match.group()) - len(match.group().lstrip('\t\n\r =:"'))
            tail = _TOKEN_TAIL.match(text, end) if text[end - 1] not in ' \t\n\r"' else None
            yield Secret(start, tail.end() if tail else end, form.kind)
    if "-----" in text:
        yield from _pem_blocks(text)


def _pem_blocks(text: str) -> Iterator[Secret]:
    """Give the PEM blocks; one that is cut off at either end as far as its lines look like one."""
    at = 0
    while begin := _PEM_BEGIN.search(text, at):
        label = begin.group(1)
        end_mark = f"-----END {label}-----"
        end = text.find(end_mark, begin.end(), begin.end() + _LONGEST_BLOCK)
        at = begin.end()
        if end >= 0:
            at = end + len(end_mark)
        elif line := _PEM_LINE.match(text, at):
            while line:
                at = line.end()
                line = _PEM_LINE.match(text, at)
            if last := _PEM_LAST_LINE.match(text, at):
                at = last.end()
        yield Secret(begin.start(), at, _pem_kind(label))
    for mark in _PEM_END.finditer(text):
        start = mark.start()
        line = _PEM_LAST_LINE_BEFORE.search(text, max(0, start - _LONGEST_LINE), start)
        while line:
            start = line.start()
            line = _PEM_LINE_BEFORE.search(text, max(0, start - _LONGEST_LINE), start)
        yield Secret(start, mark.end(), _pem_kind(mark.group(1)))


def _pem_kind(label: str) -> str:
    return "private key" if "PRIVATE" in label else "pem block"
