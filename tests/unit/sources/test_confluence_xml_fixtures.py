"""Ten real or real-shaped exports: what each is named for is right."""

import datetime as dt
from pathlib import Path

import pytest

from core.domain.access import NOBODY, AccessRule, Principal
from core.domain.document import BlockKind, SourceDocument
from core.text.canonical import canonicalise
from sync.parsing.confluence_macros import NOT_INCLUDED
from sync.sources.confluence_xml import ConfluenceXmlSource
from sync.sources.confluence_xml_access import NO_SPACE_RULE
from tests.unit.sources.confluence_dump import documents, failures

pytestmark = pytest.mark.shared

_NAMES = "asciichar28 attachhist contentStatus history include permissions spanishaccentsintitle table users viewpropag"
OWNER, USER = Principal.user("owner@x.com"), Principal.user("user1@x.com")
EVERYBODY = Principal.group("confluence-users")
GROUP_A, GROUP_B = Principal.group("groupa"), Principal.group("groupb")


def source_of(shared_data: Path, name: str, users_file: Path | None = None) -> ConfluenceXmlSource:
    return ConfluenceXmlSource("wiki", shared_data / "confluence_xml" / name, users_file=users_file)


def read(shared_data: Path, name: str, users_file: Path | None = None) -> dict[str, SourceDocument]:
    return documents(source_of(shared_data, name, users_file))


def canonical(document: SourceDocument) -> str:
    return canonicalise(document.blocks).text


@pytest.mark.parametrize("name", _NAMES.split())
def test_every_export_is_read_without_a_failure(shared_data: Path, name: str) -> None:
    source = source_of(shared_data, name)
    assert failures(source) == {}
    assert source.describe().documents >= 1


@pytest.mark.parametrize(
    "name",
    ["asciichar28", "attachhist", "contentStatus", "history", "include", "spanishaccentsintitle", "table", "users"],
)
def test_exports_without_space_permissions_are_for_nobody_and_say_so(shared_data: Path, name: str) -> None:
    for found in read(shared_data, name).values():
        assert found.rule == NOBODY
        assert "/" in found.key or NO_SPACE_RULE in found.warnings


def test_asciichar28_control_characters_do_not_end_the_reading(shared_data: Path) -> None:
    raw = (shared_data / "confluence_xml/asciichar28/entities.xml").read_bytes()
    assert b"\x08" in raw
    found = read(shared_data, "asciichar28")
    assert found.keys() == {"45809845"}  # the page with the character is a draft; the attachment with it is deleted
    assert found["45809845"].metadata.title == "My Space Home"
    assert found["45809845"].metadata.modified_at == dt.datetime(2016, 10, 11, 14, 47, 37, tzinfo=dt.UTC)


def test_attachhist_only_the_current_version_of_each_file_is_a_document(shared_data: Path) -> None:
    found = read(shared_data, "attachhist")
    attached = {key: canonical(document) for key, document in found.items() if "/" in key}
    assert attached == {
        "948633601/948830209": "third attachment rev",
        "948633601/948043783": "second attachment, first rev",
    }
    assert found["948633601/948830209"].metadata.source_version == "3"
    assert canonical(found["948633601"]).startswith("First attachment was updated with a third revision")
    history = [(old.key, old.number, old.comment) for old in source_of(shared_data, "attachhist").history()]
    assert history == [
        ("948633601", 1, ""),
        ("948633601", 2, ""),
        ("948633601/948830209", 1, "This is the first attachment revision"),
        ("948633601/948830209", 2, "first attachment, second rev"),
    ]


def test_contentstatus_archived_pages_and_drafts_are_left_out(shared_data: Path) -> None:
    assert {d.metadata.title for d in read(shared_data, "contentStatus").values()} == {"TestContent"}


def test_history_old_versions_are_known_and_only_the_current_one_is_a_document(shared_data: Path) -> None:
    found = read(shared_data, "history")
    assert found.keys() == {"95917606"}
    assert found["95917606"].metadata.source_version == "43"
    assert found["95917606"].metadata.author == "331651"
    history = list(source_of(shared_data, "history").history())
    assert [(old.key, old.number, old.author, old.comment) for old in history] == [
        ("95917606", 41, "496262", "comment 1"),
        ("95917606", 42, "496262", "comment 2"),
    ]
    assert history[0].modified_at == dt.datetime(2015, 6, 8, 13, 44, 7, tzinfo=dt.UTC)


def test_include_macros_leave_no_garbage_and_what_is_missing_is_said(shared_data: Path) -> None:
    found = read(shared_data, "include")["10"]
    assert canonical(found) == "Include inline:"
    assert NOT_INCLUDED in found.warnings


def test_permissions_page_demands_the_space_and_its_own_restriction(shared_data: Path) -> None:
    found = read(shared_data, "permissions")
    web = found["66719934"].rule
    in_space_only = Principal.group("great di")
    own = {Principal.group("great web"), Principal.group("super team"), Principal.group("great all")}
    assert len(web.clauses) == 2
    assert any(own <= clause and Principal.user("stewartj@mail.cox.smu.edu") in clause for clause in web.clauses)
    assert not web.satisfied_by(frozenset({in_space_only}))
    assert web.satisfied_by(frozenset({in_space_only, Principal.group("super team")}))
    assert not web.satisfied_by(frozenset({Principal.group("great web")}))
    assert web.satisfied_by(frozenset({Principal.group("great all")}))  # it is in both
    assert len(found["68519125"].rule.clauses) == 1
    assert "01f7c1ca483b2b1c01483b2d5c552520" in " ".join(found["66719934"].warnings)  # a user without an address


def test_viewpropag_restrictions_reach_every_descendant(shared_data: Path) -> None:
    found = read(shared_data, "viewpropag")
    rules = {document.metadata.title: document.rule for document in found.values()}
    assert rules == {
        "viewpropagate Home": AccessRule.of({EVERYBODY}),
        "WithViewRights": AccessRule.of({EVERYBODY}, {GROUP_A}),
        "WithEditRights": AccessRule.of({EVERYBODY}, {GROUP_A}, {GROUP_B}),
        "NoParticularRights": AccessRule.of({EVERYBODY}, {GROUP_A}, {GROUP_B}),
    }


def test_viewpropag_people_of_a_cloud_export_are_named_in_users_toml(shared_data: Path, tmp_path: Path) -> None:
    users = tmp_path / "users.toml"
    users.write_text(
        '[users]\nowneruser = "owner@x.com"\n"712020:e1bd3d55-3ddc-454f-b4b0-2dde7bea2b85" = "user1@x.com"\n'
    )
    found = read(shared_data, "viewpropag", users_file=users)
    rule = found["678036192"].rule
    assert rule == AccessRule.of({EVERYBODY, OWNER}, {GROUP_A, OWNER, USER}, {GROUP_B, OWNER, USER})
    assert rule.satisfied_by(frozenset({OWNER}))
    assert not found["678036192"].warnings


def test_spanishaccentsintitle_accents_stand_in_title_and_text(shared_data: Path) -> None:
    found = read(shared_data, "spanishaccentsintitle")["553140212"]
    assert found.metadata.title == "Módulo"
    assert found.metadata.breadcrumbs == ("Mesa de Entrada", "Home")
    assert canonical(found) == "Un días, entrar al módulo de imprimir etiquetas"


def test_table_every_row_stands_under_its_header(shared_data: Path) -> None:
    blocks = read(shared_data, "table")["10"].blocks
    headers = [block for block in blocks if block.kind is BlockKind.TABLE_HEADER]
    aligned = ("Text left aligned in this column", "Text centered in this column", "Text right aligned in this column")
    assert [block.cells for block in headers] == [aligned] * 3 + [("Name", "Description", "Link")]
    assert [block.table for block in headers] == [1, 2, 3, 4]
    text = canonical(read(shared_data, "table")["10"])
    assert "Lorem | Ipsum | Dolor - Erste Zeile ist in gr;ner Farbe" in text
    assert text.count("Administrative Spaces") == 1
    assert text.count("Test with bullet points") == 30
    assert "rgb(" not in text and "highlight" not in text


def test_users_mentions_are_names_and_comments_stand_apart(shared_data: Path) -> None:
    found = read(shared_data, "users")["10"]
    assert canonical(found) == "User Name User Name User Name"
    (comment,) = source_of(shared_data, "users").comments()
    assert (comment.page_key, comment.author, comment.text) == ("10", "User Name", "Comment")
