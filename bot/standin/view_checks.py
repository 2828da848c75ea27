"""Checks of a view (modal or home tab) before Slack opens, updates or publishes it."""

import json
from typing import Any

from bot.standin import limits
from bot.standin.block_checks import find_problems
from bot.standin.findings import Findings, Place
from bot.standin.model import Json
from bot.standin.problems import ApiError


def require_valid_view(view: Any, *, kinds: tuple[str, ...]) -> Json:
    """Return the view, or raise `invalid_arguments` (as Slack does for views) or `view_too_large`."""
    findings = Findings()
    if not isinstance(view, dict):
        Place({"view": view}, "", findings).wrong("must provide an object", "view")
        raise ApiError("invalid_arguments", problems=findings.problems, is_violation=True)
    if len(json.dumps(view).encode()) > limits.VIEW_BYTES:
        raise ApiError("view_too_large", is_violation=True)
    place = Place(view, "/view", findings)
    place.one_of("type", kinds, required=True)
    if view.get("type") == "modal":
        place.text("title", most=limits.VIEW_TITLE, plain=True, required=True)
        place.text("submit", most=limits.VIEW_BUTTON, plain=True)
        place.text("close", most=limits.VIEW_BUTTON, plain=True)
        has_input = any(isinstance(block, dict) and block.get("type") == "input" for block in view.get("blocks") or ())
        if has_input and "submit" not in view:
            place.wrong("missing required field: submit (the view has an input block)")
    place.string("private_metadata", most=limits.VIEW_METADATA, least=0)
    place.string("callback_id", most=limits.VIEW_CALLBACK_ID, least=0)
    place.string("external_id", most=255, least=0)
    findings.problems += find_problems(view.get("blocks"), most=limits.BLOCKS_IN_VIEW, pointer="/view")
    if findings.problems:
        raise ApiError("invalid_arguments", problems=findings.problems, is_violation=True)
    return view
