"""Checks of Block Kit elements: buttons, menus, inputs, feedback buttons.

Each follows its page under https://docs.slack.dev/reference/block-kit/block-elements.
"""

from bot.standin import limits
from bot.standin.findings import Place

CHOICES = frozenset({"radio_buttons", "checkboxes"})
STATIC_MENUS = frozenset({"static_select", "multi_static_select"})
OTHER_MENUS = frozenset(
    f"{prefix}{kind}_select" for prefix in ("", "multi_") for kind in ("users", "conversations", "channels", "external")
)
TEXT_INPUTS = frozenset({"plain_text_input", "email_text_input", "url_text_input", "number_input", "rich_text_input"})
PICKERS = frozenset({"datepicker", "timepicker", "datetimepicker"})

IN_ACTIONS = frozenset({"button", "overflow", "workflow_button", *CHOICES, *STATIC_MENUS, *OTHER_MENUS, *PICKERS})
IN_SECTION = IN_ACTIONS | {"image"}
IN_INPUT = TEXT_INPUTS | CHOICES | STATIC_MENUS | OTHER_MENUS | PICKERS | {"file_input"}
IN_CONTEXT_ACTIONS = frozenset({"feedback_buttons", "icon_button"})


def check_element(place: Place, allowed: frozenset[str]) -> None:
    """Check an element; `allowed` are the types that the block around it takes."""
    kind = place.value.get("type")
    if kind not in allowed:
        place.wrong(f"unsupported type: {kind}", "type")
        return
    if kind == "image":
        check_image(place)
        return
    place.string("action_id", most=limits.ACTION_ID)
    confirm = place.child("confirm")
    if confirm is not None:
        _check_confirmation(confirm)
    if kind == "button":
        _check_button(place)
    elif kind == "overflow":
        _check_options(place, most=limits.OVERFLOW_OPTIONS, with_url=True)
    elif kind in CHOICES:
        _check_options(place, most=limits.CHOICE_OPTIONS)
    elif kind in STATIC_MENUS:
        place.text("placeholder", most=limits.PLACEHOLDER, plain=True)
        _check_menu(place)
    elif kind == "feedback_buttons":
        for name in ("positive_button", "negative_button"):
            _check_feedback(place, name)
    elif kind == "icon_button":
        place.one_of("icon", ("trash",), required=True)
        place.text("text", plain=True, required=True)
        place.string("value", most=limits.VALUE, least=0)
    else:
        place.text("placeholder", most=limits.PLACEHOLDER, plain=True)


def check_image(place: Place) -> None:
    """Check an image's address and alternative text (block and element alike)."""
    if "slack_file" not in place.value:
        place.url("image_url", required=True)
    place.string("alt_text", most=limits.ALT_TEXT, required=True)


def _check_button(place: Place) -> None:
    place.text("text", most=limits.BUTTON_TEXT, plain=True, required=True)
    place.url("url")
    place.string("value", most=limits.VALUE, least=0)
    place.one_of("style", ("primary", "danger"))
    place.string("accessibility_label", most=limits.BUTTON_TEXT)


def _check_feedback(place: Place, name: str) -> None:
    button = place.child(name, required=True)
    if button is not None:
        button.text("text", most=limits.BUTTON_TEXT, plain=True, required=True)
        button.string("value", most=limits.VALUE, required=True)
        button.string("accessibility_label", most=limits.BUTTON_TEXT)


def _check_menu(place: Place) -> None:
    if "option_groups" not in place.value:
        _check_options(place, most=limits.OPTIONS)
        return
    for group in place.children("option_groups", most=limits.OPTIONS):
        group.text("label", most=limits.OPTION_TEXT, plain=True, required=True)
        _check_options(group, most=limits.OPTIONS)


def _check_options(place: Place, *, most: int, with_url: bool = False) -> None:
    for option in place.children("options", most=most):
        option.text("text", most=limits.OPTION_TEXT, required=True)
        option.string("value", most=limits.OPTION_VALUE, required=True)
        option.text("description", most=limits.OPTION_TEXT)
        if with_url:
            option.url("url")


def _check_confirmation(place: Place) -> None:
    place.text("title", most=limits.CONFIRM_TITLE, plain=True, required=True)
    place.text("text", most=limits.CONFIRM_TEXT, required=True)
    place.text("confirm", most=limits.CONFIRM_BUTTON, plain=True, required=True)
    place.text("deny", most=limits.CONFIRM_BUTTON, plain=True, required=True)
