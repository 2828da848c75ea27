"""Checks of Block Kit blocks, as Slack makes them before it takes a message.

Each follows its page under https://docs.slack.dev/reference/block-kit/blocks. The wording of the problems is Slack's,
as far as people have quoted it ("must be less than 3001 characters [json-pointer:/blocks/0/text/text]").
"""

from collections.abc import Callable
from typing import Any

from bot.standin import limits
from bot.standin.element_checks import (
    IN_ACTIONS,
    IN_CONTEXT_ACTIONS,
    IN_INPUT,
    IN_SECTION,
    check_element,
    check_image,
)
from bot.standin.findings import Findings, Place
from bot.standin.model import Json
from bot.standin.problems import ApiError, Problem


def find_problems(blocks: Any, *, most: int = limits.BLOCKS_IN_MESSAGE, pointer: str = "") -> list[Problem]:
    """List what is wrong with the blocks of one message or view; `pointer` is where `blocks` stands."""
    findings = Findings()
    surface = Place({"blocks": blocks}, pointer, findings)
    for block in surface.children("blocks", most=most, least=0):
        _check_block(block)
    if findings.markdown_length > limits.MARKDOWN_IN_MESSAGE:
        surface.wrong(f"markdown blocks must be less than {limits.MARKDOWN_IN_MESSAGE + 1} characters", "blocks")
    if findings.tables_length > limits.TABLES_TEXT_IN_MESSAGE:
        surface.wrong(f"table cells must be less than {limits.TABLES_TEXT_IN_MESSAGE + 1} characters", "blocks")
    return findings.problems


def require_valid_blocks(blocks: Any, *, pointer: str = "") -> list[Json]:
    """Return a message's blocks, or raise `invalid_blocks` or `msg_blocks_too_long`."""
    if not isinstance(blocks, list):
        raise ApiError("invalid_blocks_format", is_violation=True)
    problems = find_problems(blocks, pointer=pointer)
    if problems:
        raise ApiError("invalid_blocks", problems=problems, is_violation=True)
    total = text_length(blocks)
    if total > limits.MESSAGE_BLOCKS_TEXT:
        problem = Problem(f"{total} characters of text, {limits.MESSAGE_BLOCKS_TEXT} are taken", "/blocks")
        raise ApiError("msg_blocks_too_long", problems=[problem], is_violation=True)
    return blocks


def text_length(value: Any) -> int:
    """Sum the lengths of all strings under `text` keys, however deep."""
    if isinstance(value, dict):
        own = value.get("text")
        nested = sum(text_length(child) for child in value.values())
        return nested + (len(own) if isinstance(own, str) else 0)
    if isinstance(value, list):
        return sum(text_length(child) for child in value)
    return 0


def with_block_ids(blocks: list[Json], new_id: Callable[[], str]) -> list[Json]:
    """Give each block that has none a `block_id`, as Slack does when it stores them."""
    return [{**block, "block_id": block.get("block_id") or new_id()} for block in blocks]


def _check_block(block: Place) -> None:
    kind = block.value.get("type")
    check = _CHECKS.get(str(kind))
    if check is None:
        block.wrong(f"unsupported type: {kind}", "type")
        return
    block_id = block.string("block_id", most=limits.BLOCK_ID)
    if block_id and block_id in block.findings.block_ids:
        block.wrong(f"`block_id` {block_id!r} already exists", "block_id")
    block.findings.block_ids.add(block_id)
    check(block)


def _check_unique_action_ids(elements: list[Place]) -> None:
    seen: set[str] = set()
    for element in elements:
        action_id = element.value.get("action_id")
        if isinstance(action_id, str):
            if action_id in seen:
                element.wrong(f"`action_id` {action_id!r} already exists", "action_id")
            seen.add(action_id)


def _section(block: Place) -> None:
    if "text" not in block.value and "fields" not in block.value:
        block.wrong("missing required field: text or fields")
    block.text("text")
    for item in block.children("fields", most=limits.SECTION_FIELDS, required=False):
        item.is_text(most=limits.SECTION_FIELD)
    accessory = block.child("accessory")
    if accessory is not None:
        check_element(accessory, IN_SECTION)


def _header(block: Place) -> None:
    block.text("text", most=limits.HEADER, plain=True, required=True)


def _context(block: Place) -> None:
    for element in block.children("elements", most=limits.CONTEXT_ELEMENTS):
        if element.value.get("type") == "image":
            check_image(element)
        else:
            element.is_text()


def _actions(block: Place) -> None:
    elements = list(block.children("elements", most=limits.ACTIONS_ELEMENTS))
    for element in elements:
        check_element(element, IN_ACTIONS)
    _check_unique_action_ids(elements)


def _context_actions(block: Place) -> None:
    elements = list(block.children("elements", most=limits.CONTEXT_ACTIONS_ELEMENTS))
    for element in elements:
        check_element(element, IN_CONTEXT_ACTIONS)
    _check_unique_action_ids(elements)


def _image(block: Place) -> None:
    check_image(block)
    block.text("title", most=limits.ALT_TEXT, plain=True)


def _input(block: Place) -> None:
    block.text("label", most=2000, plain=True, required=True)
    block.text("hint", most=2000, plain=True)
    element = block.child("element", required=True)
    if element is not None:
        check_element(element, IN_INPUT)


def _markdown(block: Place) -> None:
    block.findings.markdown_length += len(block.string("text", most=limits.MARKDOWN_TEXT, required=True))


def _rich_text(block: Place) -> None:
    allowed = ("rich_text_section", "rich_text_list", "rich_text_preformatted", "rich_text_quote")
    for element in block.children("elements", most=10_000, least=0):
        element.one_of("type", allowed, required=True)
        for _ in element.children("elements", most=10_000, least=0):
            pass


def _table(block: Place) -> None:
    rows = block.value.get("rows")
    if not isinstance(rows, list) or not rows:
        block.wrong("missing required field: rows")
        return
    if len(rows) > limits.TABLE_ROWS:
        block.wrong(f"no more than {limits.TABLE_ROWS} items allowed", "rows")
    for index, row in enumerate(rows):
        _check_row(block, index, row)
    for column in block.children("column_settings", most=limits.TABLE_COLUMNS, least=0, required=False):
        column.one_of("align", ("left", "center", "right"))


def _check_row(block: Place, index: int, row: Any) -> None:
    here = f"rows/{index}"
    if not isinstance(row, list):
        block.wrong("must provide an array", here)
        return
    if len(row) > limits.TABLE_COLUMNS:
        block.wrong(f"no more than {limits.TABLE_COLUMNS} items allowed", here)
    cells = Place({"row": row}, f"{block.pointer}/{here}", block.findings)
    for cell in cells.children("row", most=len(row), least=1):
        cell.one_of("type", ("raw_text", "rich_text"), required=True)
        if cell.value.get("type") == "raw_text":
            cell.string("text", most=limits.TABLES_TEXT_IN_MESSAGE, required=True)
        block.findings.tables_length += text_length(cell.value)


def _data_table(block: Place) -> None:
    block.string("caption", most=2000, required=True)
    rows = block.value.get("rows")
    if not isinstance(rows, list) or not 2 <= len(rows) <= limits.DATA_TABLE_ROWS:
        block.wrong(f"from 2 to {limits.DATA_TABLE_ROWS} items allowed", "rows")


def _plan(block: Place) -> None:
    block.string("title", most=limits.TASK_TITLE, required=True)
    for task in block.children("tasks", most=100, least=0, required=False):
        _task_card(task)


def _task_card(block: Place) -> None:
    block.string("task_id", most=255, required=True)
    block.string("title", most=limits.TASK_TITLE, required=True)
    block.one_of("status", ("pending", "in_progress", "complete", "error"))


def _nothing_more(block: Place) -> None:
    """Accept a block whose inside is checked by the JSON schema only."""


_CHECKS: dict[str, Callable[[Place], None]] = {
    "actions": _actions,
    "alert": _nothing_more,
    "card": _nothing_more,
    "carousel": _nothing_more,
    "container": _nothing_more,
    "context": _context,
    "context_actions": _context_actions,
    "data_table": _data_table,
    "divider": _nothing_more,
    "file": _nothing_more,
    "header": _header,
    "image": _image,
    "input": _input,
    "markdown": _markdown,
    "plan": _plan,
    "rich_text": _rich_text,
    "section": _section,
    "table": _table,
    "task_card": _task_card,
    "video": _nothing_more,
}
