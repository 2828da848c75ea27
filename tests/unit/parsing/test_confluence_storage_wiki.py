import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.domain.document import Block, BlockKind
from sync.parsing.confluence_macros import HIDDEN_BY_MACRO
from sync.parsing.confluence_storage import StorageText, read_storage


def read(markup: str) -> StorageText:
    return read_storage(markup, "page", wiki=True)


def lines(markup: str) -> list[str]:
    return [" | ".join(block.cells) or block.text for block in read(markup).blocks]


@pytest.mark.parametrize(
    ("markup", "expected"),
    [
        ("h2. Title\nText", ["Title", "Text"]),
        ("one\ntwo\n\nthree", ["one\ntwo", "three"]),
        ("*bold* _em_ +ins+ ??cite?? {{mono}}", ["bold em ins cite mono"]),
        ("-old- price, well-known half-price", ["~~old~~ price, well-known half-price"]),
        ("10^2^ m, H~2~O", ["10² m, H₂O"]),
        ("snake_case_name 2*3*4 a - b - c", ["snake_case_name 2*3*4 a - b - c"]),
        (r"\*not bold\* \{not a macro\}", ["*not bold* {not a macro}"]),
        (r"first\\second", ["first\nsecond"]),
        ("{color:red}red *text*{color} after", ["red text after"]),
        ("bq. quoted", ["quoted"]),
        ("{quote}\nquoted\n{quote}", ["quoted"]),
        ("a\n----\nb", ["a", "b"]),
        ("(/) done (x) not", ["(tick) done (cross) not"]),
        (
            "[~ana] wrote [the policy|HR:Policy#top] [Other page] [^file.pdf]",
            ["ana wrote the policy Other page file.pdf"],
        ),
        ("!picture.png|width=3! text", ["text"]),
        ("Stop! Now!", ["Stop! Now!"]),
        ("{toc}\n{anchor:x}text{children:depth=2}", ["text"]),
        ("{status:colour=Green|title=DONE} ok", ["DONE  ok"]),
        ("{expand:More}inside{expand}", ["More", "inside"]),
        ("{unclosed text", ["{unclosed text"]),
        ("", []),
    ],
)
def test_markup_leaves_what_a_reader_sees(markup: str, expected: list[str]) -> None:
    assert lines(markup) == expected


def test_lists_nest_by_their_marks() -> None:
    blocks = read("* one\n** two\nstill two\n*# three\n* four\n# first\n# second\n- dash").blocks
    assert [(b.text, b.level) for b in blocks] == [
        ("one", 0),
        ("two\nstill two", 1),
        ("1. three", 1),
        ("four", 0),
        ("1. first", 0),
        ("2. second", 0),
        ("dash", 0),
    ]


def test_tables_have_headers_links_and_cells_over_several_lines() -> None:
    blocks = read("||Zone||Price||\n|North|[5 €|http://x.example/a|b]|\n|South|two\nlines|\nafter").blocks
    assert [(b.kind, b.cells or (b.text,)) for b in blocks] == [
        (BlockKind.TABLE_HEADER, ("Zone", "Price")),
        (BlockKind.TABLE_ROW, ("North", "5 €")),
        (BlockKind.TABLE_ROW, ("South", "two\nlines")),
        (BlockKind.PARAGRAPH, ("after",)),
    ]


def test_code_is_kept_sign_by_sign() -> None:
    code = "a = {b: *c*}\n  [x|y] -d-"
    assert read(f"{{code:java|title=T}}\n{code}\n{{code}}").blocks == (
        Block(BlockKind.PARAGRAPH, "T"),
        Block(BlockKind.CODE, code, label="java"),
    )


def test_panels_keep_what_they_are_and_nest() -> None:
    blocks = read("{warning:title=Mind}\nText\n* item\n{info}inner{info}\n{warning}\nafter").blocks
    assert [(b.text, b.label) for b in blocks] == [
        ("Mind", "warning"),
        ("Text", "warning"),
        ("item", "warning"),
        ("inner", "information"),
        ("after", ""),
    ]


def test_text_for_some_readers_only_is_left_out() -> None:
    found = read("open\n{show-if:group=hr}\nSECRET\n{show-if}\nend")
    assert "SECRET" not in repr(found.blocks)
    assert found.warnings == (HIDDEN_BY_MACRO,)


def test_condition_that_is_never_closed_hides_the_rest() -> None:
    found = read("open\n{show-if:group=hr}\nSECRET")
    assert "SECRET" not in repr(found.blocks)
    assert found.warnings == (HIDDEN_BY_MACRO,)


def test_condition_whose_parameters_cannot_be_read_hides_the_rest() -> None:
    found = read("open\n{show-if:group={x}}\nSECRET\n{show-if}")
    assert "SECRET" not in repr(found.blocks)


@given(st.text(st.sampled_from("ab *_-+^~{}[]|!#\\\n(/)h1.:="), max_size=120))
def test_any_text_is_read(markup: str) -> None:
    read(markup)


@pytest.mark.parametrize("piece", ["{a}", "*a ", "_a b ", "*", "[a|", "{code}", "_a", "-a", "|a", "!a", "{{a", "a^b"])
def test_time_grows_with_the_length_and_not_with_its_square(piece: str) -> None:
    begun = time.process_time()
    read(piece * 20_000)
    assert time.process_time() - begun < 10
