from __future__ import annotations

from tests.readme_tables import README, with_tables


def test_the_tables_of_the_readme_are_those_of_the_code() -> None:
    readme = README.read_text(encoding="utf-8")
    assert with_tables(readme) == readme, "write them anew: python -m tests.readme_tables"


def test_every_picture_of_the_readme_is_there() -> None:
    import re

    for picture in re.findall(r"!\[[^]]*\]\(([^)]+)\)", README.read_text(encoding="utf-8")):
        assert (README.parent / picture).is_file(), picture
