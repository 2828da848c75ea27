"""One of everything that Block Kit has, to be drawn."""

from __future__ import annotations

from typing import Any

Json = dict[str, Any]


def plain(text: str) -> Json:
    return {"type": "plain_text", "text": text, "emoji": True}


def mrkdwn(text: str) -> Json:
    return {"type": "mrkdwn", "text": text}


def option(text: str, value: str) -> Json:
    return {"text": plain(text), "value": value}


def leaf(text: str, **style: bool) -> Json:
    return {"type": "text", "text": text, **({"style": style} if style else {})}


def section(*elements: Json) -> Json:
    return {"type": "rich_text_section", "elements": list(elements)}


CONFIRM = {
    "title": plain("Really?"),
    "text": mrkdwn("It *cannot* be undone."),
    "confirm": plain("Do it"),
    "deny": plain("Leave it"),
    "style": "danger",
}
MENU = [option("Strict", "strict"), option("Balanced", "balanced"), option("Open", "open")]
TEXTS: list[Json] = [
    {"type": "header", "text": plain("Every block :books:")},
    {
        "type": "section",
        "text": mrkdwn(
            "*bold* _italic_ ~struck~ `code` <https://ficheros.almendro.example/a?b=1&amp;c=2|a link> :nosuchemoji:\n"
            "> quoted\n```\nraw *text*\n```\n<!date^1767225600^{date_num}|a day> &lt;tag&gt; <!here>"
        ),
        "fields": [mrkdwn("*Left*\none"), mrkdwn("*Right*\ntwo")],
    },
    {"type": "divider"},
    {
        "type": "rich_text",
        "elements": [
            section(leaf("bold", bold=True), leaf(" struck", strike=True), {"type": "emoji", "name": "tada"}),
            {
                "type": "rich_text_list",
                "style": "ordered",
                "indent": 0,
                "elements": [section(leaf("first")), section(leaf("second"))],
            },
            {"type": "rich_text_list", "style": "bullet", "indent": 1, "elements": [section(leaf("deeper"))]},
            {"type": "rich_text_quote", "elements": [leaf("a quotation")]},
            {"type": "rich_text_preformatted", "elements": [leaf("x = 1")]},
        ],
    },
    {
        "type": "markdown",
        "text": "# Title\n\n**bold** *italic* [link](https://a.example)\n\n- one\n  - two\n\n|a|b|\n|---|---|\n|1|2|\n",
    },
    {
        "type": "context",
        "elements": [
            {"type": "image", "image_url": "https://a.example/i.png", "alt_text": "a seal"},
            mrkdwn("small *print*"),
        ],
    },
    {
        "type": "image",
        "image_url": "https://a.example/p.png",
        "alt_text": "a plan of the site",
        "title": plain("Plan"),
    },
]
TABLE: Json = {
    "type": "table",
    "rows": [
        [{"type": "raw_text", "text": "Country"}, {"type": "raw_text", "text": "Days"}],
        [{"type": "raw_text", "text": "Spain"}, {"type": "rich_text", "elements": [section(leaf("25", bold=True))]}],
    ],
    "column_settings": [{}, {"align": "right"}],
}
CONTROLS: list[Json] = [
    {
        "type": "actions",
        "block_id": "controls",
        "elements": [
            {"type": "button", "action_id": "press", "text": plain("Press me"), "value": "v", "style": "primary"},
            {"type": "button", "action_id": "ask", "text": plain("Ask me"), "value": "w", "confirm": CONFIRM},
            {"type": "static_select", "action_id": "mode", "placeholder": plain("Mode"), "options": MENU},
            {"type": "users_select", "action_id": "who", "placeholder": plain("Who")},
            {"type": "overflow", "action_id": "more", "options": [option("Hide", "hide"), option("Show", "show")]},
            {"type": "datepicker", "action_id": "day", "initial_date": "2026-11-29"},
            {"type": "checkboxes", "action_id": "ticks", "options": MENU[:2]},
            {"type": "radio_buttons", "action_id": "one", "options": MENU[:2]},
        ],
    },
    {
        "type": "actions",
        "block_id": "again",
        "elements": [{"type": "button", "action_id": "press", "text": plain("Press me too"), "value": "second"}],
    },
    {
        "type": "context_actions",
        "elements": [
            {
                "type": "feedback_buttons",
                "action_id": "rate",
                "positive_button": {"text": plain("Good"), "value": "up"},
                "negative_button": {"text": plain("Bad"), "value": "down"},
            },
            {"type": "icon_button", "action_id": "bin", "icon": "trash", "text": plain("Remove")},
        ],
    },
]
PLAN: list[Json] = [
    {
        "type": "plan",
        "title": "Reading",
        "tasks": [
            {"type": "task_card", "task_id": "1", "title": "Search", "status": "complete"},
            {"type": "task_card", "task_id": "2", "title": "Verify", "status": "in_progress"},
        ],
    }
]
LANGUAGES = [option("Spanish", "es"), option("English", "en")]


def asked(block_id: str, label: str, element: Json, *, required: bool = False) -> Json:
    """An input of a modal."""
    held = element | {"action_id": "v"}
    return {"type": "input", "block_id": block_id, "label": plain(label), "element": held, "optional": not required}


MODAL: Json = {
    "type": "modal",
    "callback_id": "gallery",
    "title": plain("Settings"),
    "submit": plain("Save"),
    "close": plain("Not now"),
    "blocks": [
        {"type": "section", "text": mrkdwn("What may *#general* use?")},
        asked("name", "Name", {"type": "plain_text_input", "max_length": 20}, required=True) | {"hint": plain("Short")},
        asked("mode", "Mode", {"type": "static_select", "options": MENU, "initial_option": MENU[1]}, required=True),
        asked(
            "sources",
            "Sources",
            {"type": "multi_static_select", "options": [option("Wiki", "w"), option("Drive", "d")]},
        ),
        asked("where", "Channel", {"type": "conversations_select"}),
        asked("people", "People", {"type": "multi_users_select"}),
        asked(
            "flags", "Also", {"type": "checkboxes", "options": [option("Follow-ups", "f"), option("Privately", "p")]}
        ),
        asked("language", "Language", {"type": "radio_buttons", "options": LANGUAGES}, required=True),
        asked("until", "Until", {"type": "datepicker"}),
    ],
}
