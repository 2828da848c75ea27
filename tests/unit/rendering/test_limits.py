from __future__ import annotations

import ast
from pathlib import Path

from bot.rendering import limits
from bot.rendering.blocks import note, rich, section, text


def test_size_counts_what_slack_stores() -> None:
    assert limits.size("abc") == 3
    assert limits.size("é") == 1
    assert limits.size("😀") == 2
    assert limits.size("a&b") == len("a&amp;b")
    assert limits.size("<>") == len("&lt;&gt;")


def test_weight_sums_the_texts_of_all_kinds_of_blocks() -> None:
    assert limits.weight([rich(section(text("abc"), text("de", bold=True))), note("fg")]) == 7


def test_no_other_module_knows_a_limit_of_slack() -> None:
    known = {limits.MESSAGE_TEXT, limits.SECTION_TEXT, limits.MARKDOWN_TEXT, limits.TABLE_TEXT}
    for path in Path(limits.__file__).parent.glob("*.py"):
        if path.name != "limits.py":
            numbers = {node.value for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, ast.Constant)}
            assert not known & {number for number in numbers if isinstance(number, int)}, path
