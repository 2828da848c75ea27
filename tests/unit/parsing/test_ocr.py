"""Scanned pages and pictures: drawn here from text of ours, read by the real program where it is, else by a script."""

from __future__ import annotations

import io
from pathlib import Path

import pypdfium2
import pytest
from PIL import Image

from core.domain.document import BlockKind, SourceDocument
from core.errors import ParsingError
from core.settings import SourceKind, SourceSettings
from core.text.canonical import canonicalise
from sync.parsing.formats import FileReader
from sync.parsing.limits import FileLimits
from sync.parsing.ocr import Ocr
from sync.parsing.ocr_memory import OcrMemory
from sync.parsing.page_blocks import READ_BY_OCR
from sync.parsing.tesseract import ReadLine, Tesseract
from sync.sources import open_source
from tests.unit.parsing.pdf_files import pdf

GARDEN = (
    (22, "Normas del huerto"),
    (11, "El riego de los bancales empieza a las 7:30 y"),
    (11, "termina a las 9:15, también en agosto."),
    (0, ""),
    (11, "The tool shed is locked with code 4471 and"),
    (11, "opens every Saturday for members."),
)


def drawn(*lines: tuple[int, str]) -> Image.Image:
    """A page as a scanner sees it, at 150 dots an inch: (size in points, text) line after line; 0 parts paragraphs."""
    texts, y = [], 720.0
    for size, text in lines:
        texts += [(70.0, y, float(size), text)] if text else []
        y -= size * 1.35 or 22
    document = pypdfium2.PdfDocument(pdf(texts))  # pdfium brings letters with accents along
    image: Image.Image = document[0].render(scale=150 / 72, grayscale=True).to_pil()
    document.close()
    return image


def saved(*images: Image.Image, form: str = "PDF") -> bytes:
    out = io.BytesIO()
    more = {"save_all": True, "append_images": list(images[1:])} if form in {"PDF", "TIFF"} else {}
    images[0].save(out, form, resolution=150, **more)
    return out.getvalue()


def joined(*files: bytes) -> bytes:
    whole, out = pypdfium2.PdfDocument.new(), io.BytesIO()
    for data in files:
        part = pypdfium2.PdfDocument(data)
        whole.import_pages(part)
        part.close()
    whole.save(out)
    whole.close()
    return out.getvalue()


class Scripted(Tesseract):
    """Reads what it is told, and counts."""

    reads: list[int]

    def __init__(self, *texts: str, missing: str = "") -> None:
        super().__init__()
        object.__setattr__(self, "reads", [])
        object.__setattr__(self, "texts", texts)
        object.__setattr__(self, "absent", missing)

    def missing(self) -> str:
        return str(self.absent)  # type: ignore[attr-defined]

    def read(self, picture: bytes) -> tuple[ReadLine, ...]:
        text = self.texts[len(self.reads)]  # type: ignore[attr-defined]
        self.reads.append(len(picture))
        if text == "!":
            raise ParsingError("OCR failed.")
        return (ReadLine(text, 100, 800, 900, 850, 50, 0),)


def reader(tesseract: Tesseract, pages: int = 200, memory: OcrMemory | None = None) -> FileReader:
    return FileReader(ocr=Ocr(tesseract, pages, memory))


@pytest.mark.tesseract
def test_a_scan_is_read_with_its_heading_its_paragraphs_and_its_pages() -> None:
    parsed = reader(Tesseract()).parse(
        saved(drawn(*GARDEN), drawn((11, "Segunda hoja: la cuota es de 35 euros."))), "h.pdf"
    )
    assert [(block.kind, block.page, block.text) for block in parsed.blocks] == [
        (BlockKind.HEADING, 1, "Normas del huerto"),
        (
            BlockKind.PARAGRAPH,
            1,
            "El riego de los bancales empieza a las 7:30 y termina a las 9:15, también en agosto.",
        ),
        (BlockKind.PARAGRAPH, 1, "The tool shed is locked with code 4471 and opens every Saturday for members."),
        (BlockKind.PARAGRAPH, 2, "Segunda hoja: la cuota es de 35 euros."),
    ]
    assert {block.label for block in parsed.blocks} == {READ_BY_OCR}
    assert (parsed.title, parsed.ocr_pages) == ("Normas del huerto", 2)
    canonical = canonicalise(parsed.blocks)
    assert [canonical.text[b.start : b.end] for b in canonical.blocks if b.page == 2] == [parsed.blocks[-1].text]
    assert canonical.sections[-1].path == ("Normas del huerto",)


@pytest.mark.tesseract
@pytest.mark.parametrize("form", ["PNG", "JPEG", "TIFF"])
def test_a_picture_is_read(form: str) -> None:
    parsed = reader(Tesseract()).parse(saved(drawn(*GARDEN), form=form), f"foto.{form.lower()}")
    assert "code 4471" in parsed.blocks[-1].text
    assert (parsed.ocr_pages, parsed.blocks[0].page) == (1, None)


def test_only_the_pages_without_text_are_read_and_each_block_says_whether_it_was() -> None:
    text = pdf([(70, 700, 10, "Esta hoja tiene letras.")])
    parsed = reader(Scripted("Esta hoja era una foto.")).parse(joined(text, saved(drawn((11, "x")))), "m.pdf")
    assert [(b.text, b.page, b.label) for b in parsed.blocks] == [
        ("Esta hoja tiene letras.", 1, ""),
        ("Esta hoja era una foto.", 2, READ_BY_OCR),
    ]
    assert parsed.warnings == ("1 of its 2 pages were read by OCR.",)


def test_text_in_letters_and_text_of_ocr_are_of_one_size() -> None:
    text = pdf([(70, 720, 18, "Manual"), (70, 700, 12, "Una hoja con letras, y bastantes palabras en ella.")])
    parsed = reader(Scripted("Una foto.")).parse(joined(text, saved(drawn((11, "x")))), "m.pdf")
    assert [b.kind for b in parsed.blocks] == [BlockKind.HEADING, BlockKind.PARAGRAPH, BlockKind.PARAGRAPH]


def test_a_scan_is_read_once_and_what_was_read_is_kept(tmp_path: Path) -> None:
    scan, memory = saved(drawn((11, "x"))), OcrMemory(tmp_path)
    first, again = Scripted("Lo leído."), Scripted(missing="OCR needs the program tesseract: install it.")
    assert reader(first, memory=memory).parse(scan, "a.pdf") == reader(again, memory=memory).parse(scan, "a.pdf")
    assert (len(first.reads), len(again.reads)) == (1, 0)
    (place,) = tmp_path.iterdir()
    assert place.stat().st_mode & 0o077 == 0
    memory.forget_unused(now=place.stat().st_mtime + 91 * 86_400)
    assert list(tmp_path.iterdir()) == []


def test_a_page_that_failed_is_named_and_tried_again(tmp_path: Path) -> None:
    scan, memory = saved(drawn((11, "x")), drawn((11, "y"))), OcrMemory(tmp_path)
    parsed = reader(Scripted("Uno.", "!"), memory=memory).parse(scan, "a.pdf")
    assert [b.text for b in parsed.blocks] == ["Uno."]
    assert parsed.warnings == ("1 of its 2 pages were read by OCR.", "Page 2: OCR failed.")
    parsed = reader(Scripted("Dos."), memory=memory).parse(scan, "a.pdf")
    assert [(b.text, b.page) for b in parsed.blocks] == [("Uno.", 1), ("Dos.", 2)]


def test_no_more_pages_are_read_than_the_settings_say() -> None:
    parsed = reader(Scripted("Uno."), pages=1).parse(saved(drawn((11, "x")), drawn((11, "y"))), "a.pdf")
    assert parsed.ocr_pages == 1
    assert parsed.warnings[1] == "Only the first 1 of its 2 scanned pages were read by OCR."


def test_a_page_of_ten_metres_is_drawn_small_enough() -> None:
    out = io.BytesIO()
    drawn((11, "x")).save(out, "PDF", resolution=4)
    program = Scripted("Mapa.")
    assert reader(program).parse(out.getvalue(), "mapa.pdf").ocr_pages == 1
    assert program.reads[0] < 26_000_000


def test_a_picture_of_too_many_pixels_is_refused_before_it_is_unpacked() -> None:
    data = saved(Image.new("1", (20_000, 10_000), 1), form="PNG")
    assert len(data) < 100_000
    with pytest.raises(ParsingError, match=r"big\.png has more than 100 million pixels"):
        reader(Scripted()).parse(data, "big.png")


@pytest.mark.parametrize("data", [b"", b"\x89PNG\r\n\x1a\n", b"GIF89a", saved(drawn((11, "x")), form="PNG")[:200]])
def test_a_broken_picture_is_one_sentence(data: bytes) -> None:
    with pytest.raises(ParsingError, match=r"x\.png is broken: it cannot be read as a picture"):
        reader(Scripted("x")).parse(data, "x.png")


def test_a_picture_of_which_no_page_could_be_read_failed_and_is_not_empty() -> None:
    with pytest.raises(ParsingError, match=r"OCR failed"):
        reader(Scripted("!")).parse(saved(drawn((11, "x")), form="PNG"), "x.png")


def test_an_icon_is_not_read() -> None:
    assert reader(Scripted()).parse(saved(Image.new("L", (32, 32), 0), form="PNG"), "icon.png").blocks == ()


def test_without_the_program_a_scan_is_not_read_and_a_mixed_file_keeps_its_letters() -> None:
    files = reader(Scripted(missing="OCR needs the program tesseract: install tesseract-ocr."))
    scan = saved(drawn((11, "x")))
    with pytest.raises(ParsingError, match=r"^OCR needs the program tesseract: install tesseract-ocr\.$"):
        files.parse(scan, "a.pdf")
    parsed = files.parse(joined(pdf([(70, 700, 10, "Letras.")]), scan), "b.pdf")
    assert [b.text for b in parsed.blocks] == ["Letras."]
    assert "install tesseract-ocr" in parsed.warnings[0]


def test_what_is_missing_is_named_as_debian_names_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    assert Tesseract("spa+eng").missing() == (
        "OCR needs the program tesseract: install tesseract-ocr, tesseract-ocr-spa and tesseract-ocr-eng."
    )
    program = tmp_path / "tesseract"
    program.write_text("#!/bin/sh\necho 'List of available languages (2):'\necho eng\necho osd\n")
    program.chmod(0o755)
    assert Tesseract("eng").missing() == ""
    assert Tesseract("spa+chi_sim+eng").missing() == (
        "OCR needs the language spa+chi_sim: install tesseract-ocr-spa and tesseract-ocr-chi-sim."
    )


def test_a_page_that_takes_too_long_is_given_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = tmp_path / "tesseract"
    program.write_text("#!/bin/sh\nexec /bin/sleep 600\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(ParsingError, match=r"OCR took longer than 0\.2 seconds"):
        Tesseract("eng", seconds=0.2).read(b"P5 1 1 255 0")


def test_a_folder_holds_pictures_only_where_ocr_is_wanted(tmp_path: Path) -> None:
    (tmp_path / "access.toml").write_text('[[rule]]\nglob = "**"\nallow = ["everyone"]\n')
    (tmp_path / "cartel.png").write_bytes(saved(drawn((11, "x")), form="PNG"))
    (tmp_path / "a.md").write_text("# A\n\nTexto.")
    settings = SourceSettings(name="f", kind=SourceKind.FOLDER, path=tmp_path)
    assert [item.key for item in open_source(settings).read()] == ["a.md"]
    source = open_source(settings, reader(Scripted("Cartel.")))
    items = [item for item in source.read() if isinstance(item, SourceDocument)]
    assert source.describe().documents == 2
    assert [(i.key, i.ocr_pages, i.metadata.media_type) for i in items] == [
        ("a.md", 0, "text/markdown"),
        ("cartel.png", 1, "image/png"),
    ]


def test_the_limits_of_the_settings_hold(tmp_path: Path) -> None:
    (tmp_path / "access.toml").write_text('[[rule]]\nglob = "**"\nallow = ["everyone"]\n')
    (tmp_path / "a.md").write_text("palabra " * 200_000)
    (tmp_path / "b.pdf").write_bytes(pdf([(70, 700, 10, "Uno.")], [(70, 700, 10, "Dos.")]))
    settings = SourceSettings(name="f", kind=SourceKind.FOLDER, path=tmp_path)
    large, short = open_source(settings, FileReader(FileLimits(largest_file=2**20, most_pages=1))).read()
    assert not isinstance(large, SourceDocument)
    assert large.sentence == "a.md is larger than the limit of 1 MB."
    assert isinstance(short, SourceDocument)
    assert [b.text for b in short.blocks] == ["Uno."]
    assert short.warnings[0] == "Only its first 1 of 2 pages were read."
