import io
import os
import stat
import zipfile
from pathlib import Path

import pytest

from core.errors import ParsingError, SourceError
from sync.sources.export_tree import open_tree


def zipped(files: dict[str, bytes]) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    return out.getvalue()


def saved(folder: Path, data: bytes, name: str = "export.zip") -> Path:
    path = folder / name
    path.write_bytes(data)
    return path


def test_a_folder_and_a_zip_of_it_are_the_same(tmp_path: Path) -> None:
    files = {"a.md": b"1", "b/c.md": b"2", "política.md": b"3"}
    folder = tmp_path / "x"
    for name, data in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(data)
    for tree in (open_tree(folder), open_tree(saved(tmp_path, zipped(files)))):
        assert list(tree) == sorted(files)
        assert {name: tree.read(name) for name in tree} == files
        assert tree.warnings == ()


def test_zips_inside_are_folders(tmp_path: Path) -> None:
    inner = zipped({"a.md": b"1"})
    path = saved(tmp_path, zipped({"x/inner.zip": inner, "b.md": b"2"}))
    assert list(open_tree(path)) == ["b.md", "x/inner.zip/a.md"]
    (tmp_path / "y").mkdir()
    saved(tmp_path / "y", inner, "inner.zip")
    assert list(open_tree(tmp_path / "y")) == ["inner.zip/a.md"]


def test_a_name_in_either_normal_form_is_one_path(tmp_path: Path) -> None:
    tree = open_tree(saved(tmp_path, zipped({"poli\u0301tica.md": b"1"})))
    assert list(tree) == ["pol\u00edtica.md"]
    assert tree.read("poli\u0301tica.md") == b"1"


@pytest.mark.parametrize("name", ["../evil.md", "/etc/passwd", "a/../../evil.md", "C:/evil.md", "..\\evil.md"])
def test_paths_out_of_a_zip_are_left_out(tmp_path: Path, name: str) -> None:
    tree = open_tree(saved(tmp_path, zipped({name: b"x", "good.md": b"y"})))
    assert list(tree) == ["good.md"]
    assert "left out" in tree.warnings[0]


def test_links_out_of_a_folder_are_not_followed(tmp_path: Path) -> None:
    (tmp_path / "secret.md").write_text("x")
    (tmp_path / "others").mkdir()
    (tmp_path / "others" / "a.md").write_text("x")
    root = tmp_path / "export"
    root.mkdir()
    (root / "good.md").write_text("x")
    (root / "inside.md").symlink_to(root / "good.md")
    (root / "link.md").symlink_to(tmp_path / "secret.md")
    (root / "folder").symlink_to(tmp_path / "others")
    (root / "nowhere.md").symlink_to(tmp_path / "missing.md")
    tree = open_tree(root)
    assert list(tree) == ["good.md", "inside.md"]
    assert len(tree.warnings) == 3


def test_links_in_a_zip_are_left_out(tmp_path: Path) -> None:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        link = zipfile.ZipInfo("link.md")
        link.external_attr = (stat.S_IFLNK | 0o777) << 16
        archive.writestr(link, "/etc/passwd")
    tree = open_tree(saved(tmp_path, out.getvalue()))
    assert list(tree) == []
    assert "is a link" in tree.warnings[0]


def test_special_files_are_no_files(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.md")
    assert list(open_tree(tmp_path)) == []


def test_a_member_that_grows_beyond_measure_is_refused_when_it_is_read(tmp_path: Path) -> None:
    tree = open_tree(saved(tmp_path, zipped({"bomb.md": b"0" * 30_000_000, "good.md": b"x"})))
    with pytest.raises(ParsingError, match=r"bomb\.md .*refused"):
        tree.read("bomb.md")
    assert tree.read("good.md") == b"x"


def test_a_damaged_member_is_one_sentence_and_the_rest_goes_on(tmp_path: Path) -> None:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        archive.writestr("bad.md", b"hola mundo")
        archive.writestr("good.md", b"y")
    tree = open_tree(saved(tmp_path, out.getvalue().replace(b"hola mundo", b"hola mundX", 1)))
    with pytest.raises(ParsingError, match=r"bad\.md cannot be read"):
        tree.read("bad.md")
    assert tree.read("good.md") == b"y"


def test_a_damaged_zip_inside_is_a_warning(tmp_path: Path) -> None:
    tree = open_tree(saved(tmp_path, zipped({"inner.zip": b"no zip", "good.md": b"x"})))
    assert "good.md" in tree
    assert "inner.zip" in tree.warnings[0]


def test_a_missing_or_broken_export_is_a_sentence(tmp_path: Path) -> None:
    with pytest.raises(SourceError, match="does not exist"):
        open_tree(tmp_path / "missing")
    with pytest.raises(SourceError, match="neither a folder nor a readable zip"):
        open_tree(saved(tmp_path, b"no zip"))


def test_the_root_of_an_export_is_where_its_marker_is(tmp_path: Path) -> None:
    tree = open_tree(saved(tmp_path, zipped({"ALM/index.html": b"1", "ALM/a/index.html": b"2", "x.md": b"3"})))
    assert list(tree.rooted_at("index.html")) == ["a/index.html", "index.html"]
    with pytest.raises(SourceError, match=r"holds no drive\.json"):
        tree.rooted_at("drive.json")
