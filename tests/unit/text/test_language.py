import json
from pathlib import Path

import pytest

from core.text.language import language_of


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("¿Cuántos días de vacaciones tengo?", "es"),
        ("cuantos dias de vacaciones tengo", "es"),
        ("vacaciones", "es"),
        ("que hago con el error E-4012", "es"),
        ("¿Qué es el onboarding?", "es"),
        ("How many days of holiday do I have?", "en"),
        ("who approves a trip to Barcelona", "en"),
        ("What is the precio of Plan Oro", "en"),
        ("Quantos dias de férias tenho?", "pt"),
        ("Combien de jours de congé ai-je ?", "fr"),
        ("Wie viele Urlaubstage habe ich?", "de"),
        ("Quants dies de vacances tinc?", "ca"),
        ("E-4012", "und"),
        ("1234 …", "und"),
        ("", "und"),
    ],
)
def test_the_language_of_a_question_is_told(text: str, language: str) -> None:
    assert language_of(text) == language


@pytest.mark.shared
@pytest.mark.parametrize("language", ["en", "es"])
def test_ninety_nine_of_a_hundred_real_questions_are_told_right(shared_data: Path, language: str) -> None:
    data = json.loads((shared_data / "qa" / "xquad" / f"xquad.{language}.json").read_text("utf-8"))["data"]
    questions = [qa["question"] for article in data for p in article["paragraphs"] for qa in p["qas"]]
    right = sum(language_of(question) == language for question in questions)
    assert right / len(questions) >= 0.99
