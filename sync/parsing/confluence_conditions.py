"""Macros that show a part of a page to some of its readers only (Visibility for Confluence, and others like it).

Who may read a document is one rule for the whole of it, so such a part cannot be indexed: it fails closed.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

_CONDITION = re.compile(
    r"^(?:show|hide)[-_ ]?(?:if|to|from|for|when)\b|^(?:show|hide)(?:if|to|from)|restrict|secret|secure|protect|encrypt"
    r"|password|confidential|visibility"
)
_SAYS_NOTHING_OF_WHO = frozenset({"match", "display", "atlassian-macro-output-type", "id", "local-id", "hidden"})
_EVERYBODY_LOGGED_IN = frozenset({"@authenticated", "@all", "@everyone", "authenticated"})
_NOBODY_LOGGED_IN = frozenset({"@anonymous", "anonymous"})


def is_condition(macro: str) -> bool:
    """Whether a macro, by its name in small letters, hides its body from some readers."""
    return bool(_CONDITION.search(macro))


def is_open_to_all(macro: str, parameters: Mapping[str, str]) -> bool:
    """Whether such a macro hides nothing from anybody who is logged in."""
    conditions = {key: value.casefold() for key, value in parameters.items() if value}
    said = {key: value for key, value in conditions.items() if key not in _SAYS_NOTHING_OF_WHO}
    if macro.startswith("hide"):
        return said.keys() == {"special"} and said["special"] in _NOBODY_LOGGED_IN
    if not macro.startswith("show"):
        return False
    return not said or (said.keys() == {"special"} and said["special"] in _EVERYBODY_LOGGED_IN)
