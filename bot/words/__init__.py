"""All words of the bot, in Spanish and English: one catalogue per language, one method per text."""

from bot.words.catalogue import DEFAULT_LANGUAGE, LANGUAGES, language_of
from bot.words.words import Words

__all__ = ["DEFAULT_LANGUAGE", "LANGUAGES", "Words", "language_of"]
