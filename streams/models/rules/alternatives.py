"""Things of which one usually has one: for "we moved to MySQL", which doesn't say from what (U06). Pure.

A small table of widely known names, and no more: a thing that isn't here replaces nothing unless the words say what.
"""

import re
from collections.abc import Mapping

from streams.models.words import fold, words

_TABLE: Mapping[str, str] = {
    "database": "postgres postgresql mysql mariadb sqlite mongodb mongo oracle mssql cockroachdb dynamodb cassandra couchdb firestore db2",
    "package manager": "npm pnpm yarn bun",
    "Python packager": "pip poetry pipenv conda uv pdm",
    "cloud": "aws azure gcp hetzner digitalocean heroku",
    "code host": "github gitlab bitbucket gitea codeberg",
    "build server": "jenkins circleci travis buildkite teamcity",
    "chat": "slack teams discord mattermost zulip",
    "tracker": "jira linear trello asana youtrack",
    "message broker": "kafka rabbitmq nats pulsar activemq sqs",
    "container runner": "docker podman",
    "test runner": "jest vitest mocha jasmine",
    "front-end framework": "react vue angular svelte",
    "shop system": "shopify magento woocommerce shopware prestashop",
    "newsletter tool": "mailchimp brevo mailerlite sendgrid klaviyo",
    "payment provider": "stripe paypal adyen mollie klarna",
    "notes tool": "notion confluence obsidian evernote",
    "video calls": "zoom webex jitsi",
}
_SAME = ({"postgres", "postgresql"}, {"mongo", "mongodb"})
_KIND = {name: kind for kind, names in _TABLE.items() for name in names.split()}
_CORRECTION = re.compile(rf"^any other ({'|'.join(_TABLE)}): ", re.IGNORECASE)


def others_than(text: str) -> str:
    """What the one thing that the text names takes the place of, as words for `corrects`; empty: it names none, or more than one."""
    named = [word for word in dict.fromkeys(words(text)) if word in _KIND]
    if len({_KIND[name] for name in named}) != 1 or any({*named} - same for same in [_same(named[0])]):
        return ""
    kind = _KIND[named[0]]
    others = [name for name in _TABLE[kind].split() if name not in _same(named[0])]
    return f"any other {kind}: {', '.join(others)}"


def named_others(corrects: str) -> frozenset[str]:
    """The names in words made by `others_than`; empty for other words."""
    if not _CORRECTION.match(corrects):
        return frozenset()
    return frozenset(fold(corrects.split(": ", 1)[1]).split(", "))


def _same(name: str) -> set[str]:
    return next((same for same in _SAME if name in same), {name})
