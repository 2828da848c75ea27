import unicodedata

import pytest

from sync.sources.globs import matches


@pytest.mark.parametrize(
    ("pattern", "path", "does"),
    [
        ("finanzas/**", "finanzas/a.md", True),
        ("finanzas/**", "finanzas/b/c.md", True),
        ("finanzas/**", "finanzas2/a.md", False),
        ("finanzas/**", "otra/finanzas/a.md", False),
        ("**/*.md", "a.md", True),
        ("**/*.md", "x/y/a.md", True),
        ("**/*.md", "a.md.txt", False),
        ("*.md", "x/a.md", False),
        ("a/**/b.md", "a/b.md", True),
        ("a/**/b.md", "a/x/y/b.md", True),
        ("a/**/b.md", "a/xb.md", False),
        ("?.md", "a.md", True),
        ("?.md", "/.md", False),
        ("**", "x/y/.oculto", True),
        ("*", ".oculto", True),
        ("ti/*.md", "TI/a.md", False),
        ("ti/*.md", "ti/a.MD", False),
        ("a+(b).[c].md", "a+(b).[c].md", True),
        ("a.md", "axmd", False),
        ("a*b*c.md", "a--b--c.md", True),
    ],
)
def test_patterns_match_whole_paths(pattern: str, path: str, does: bool) -> None:
    assert matches(pattern, path) is does


def test_accents_match_however_they_are_written() -> None:
    assert matches(unicodedata.normalize("NFD", "política/**"), unicodedata.normalize("NFC", "política/a.md"))
