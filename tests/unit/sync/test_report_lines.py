from __future__ import annotations

from core.domain.syncing import report_lines


def test_many_failures_of_one_kind_are_one_line() -> None:
    failures = [(f"12000{i}", f"Page 12000{i} is in index.html, but its file is missing.") for i in range(202)]
    [line] = report_lines(failures)
    assert line.startswith("202 documents: Page … is in index.html, but its file is missing.")
    assert "120000, 120001, 120002 and 199 more" in line


def test_few_failures_keep_their_own_lines() -> None:
    assert report_lines([("a.pdf", "It is broken."), ("b.pdf", "It has a password.")]) == (
        "a.pdf: It is broken.",
        "b.pdf: It has a password.",
    )


def test_different_kinds_stay_apart_and_whole_sentences_are_kept() -> None:
    lines = report_lines([*((f"{i}.md", "Nobody may read it.") for i in range(9)), ("", "A rule names no page.")])
    assert lines[0].startswith("9 documents: Nobody may read it. (0.md, 1.md, 2.md and 6 more)")
    assert lines[1] == "A rule names no page."
