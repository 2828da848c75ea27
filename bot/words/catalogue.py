"""The catalogues: gettext `.po` files, read as they are.

gettext and not Fluent: `fluent.runtime` had no release after March 2023, calls itself alpha and needs pytz, while
gettext is in the standard library, Babel (which dates and numbers need anyway) reads its files, and translators have
tools for them. The files are read without a compile step, so that no binary is kept beside the text it came from.

A message's id is a key (`answer.sources`), not English text: both languages are translations, neither is the source.
"""

from __future__ import annotations

import io
from functools import cache
from gettext import GNUTranslations
from importlib.resources import files

from babel.messages.catalog import Catalog
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po

LANGUAGES = ("en", "es")
DEFAULT_LANGUAGE = "en"


def language_of(tag: str | None) -> str:
    """The language of the bot for a tag such as `es`, `es-MX` or Slack's `es_LA`; English where there is none."""
    language = (tag or "").replace("_", "-").partition("-")[0].lower()
    return language if language in LANGUAGES else DEFAULT_LANGUAGE


def catalogue(language: str) -> Catalog:
    """Read a language's catalogue as a list of messages, for the tests and for translators."""
    data = files("bot.words").joinpath(f"{language}.po").read_bytes()
    return read_po(io.BytesIO(data), locale=language, abort_invalid=True)


@cache
def translations(language: str) -> GNUTranslations:
    """A language's catalogue, ready to look words up in (with its rule for plurals)."""
    compiled = io.BytesIO()
    write_mo(compiled, catalogue(language))
    compiled.seek(0)
    return GNUTranslations(compiled)
