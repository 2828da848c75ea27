"""What every embedder promises; each test runs over all of them."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from core.embedding.base import Embedder, PassageInput, Vectors

HOLIDAYS = "Every employee has 25 days of paid leave a year. The canteen opens at noon. Visitors wear a badge."
VIAJES = "Los gastos de viaje se pagan con la nómina. La contraseña tiene catorce caracteres. El lunes es festivo."

STRANGE = ["", "   ", "\n\n", "😀👩‍💻", "\u200b", "مرحبا بالعالم", "日本語のテキスト", "n\u0303", "\ud83d lone", "</s>"]


def passage(text: str, context: str = "") -> PassageInput:
    """A passage whose sentences end with a full stop."""
    ends = [index + 1 for index, sign in enumerate(text) if sign == "."]
    starts = [0, *(end + 1 for end in ends[:-1])]
    return PassageInput(context, text, tuple(zip(starts, ends, strict=True)))


def assert_unit(vectors: Vectors, rows: int, dimension: int) -> None:
    assert vectors.dtype == np.float32
    assert vectors.shape == (rows, dimension)
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-4)


def test_vectors_are_float32_of_length_one_and_of_the_named_dimension(embedder: Embedder) -> None:
    assert_unit(embedder.embed_queries(["How many days?", "¿Cuántos días?"]), 2, embedder.dimension)
    for embedding in embedder.embed_passages([passage(HOLIDAYS, "Handbook › Leave"), passage(VIAJES)]):
        assert_unit(embedding.vector[None], 1, embedder.dimension)
        assert_unit(embedding.sentence_vectors, 3, embedder.dimension)


def test_nothing_in_gives_nothing_out(embedder: Embedder) -> None:
    assert embedder.embed_queries([]).shape == (0, embedder.dimension)
    assert embedder.embed_passages([]) == []
    assert embedder.query_token_vectors([]) == []
    assert embedder.embed_passages([PassageInput("", "Text.")])[0].sentence_vectors.shape == (0, embedder.dimension)


@pytest.mark.parametrize(
    ("question", "right"),
    [
        ("How much holiday do I get?", (0, 0)),
        ("¿Cuántas vacaciones tengo?", (0, 0)),
        ("When is lunch?", (0, 1)),
        ("¿Qué longitud tiene la contraseña?", (1, 1)),
        ("How long is a password?", (1, 1)),
    ],
)
def test_a_question_finds_its_sentence_in_either_language(
    embedder: Embedder, question: str, right: tuple[int, int]
) -> None:
    (vector,) = embedder.embed_queries([question])
    number, sentence = right
    embeddings = embedder.embed_passages([passage(HOLIDAYS), passage(VIAJES)])
    assert np.argmax(embeddings[number].sentence_vectors @ vector) == sentence


def test_a_question_finds_its_passage(embedder: Embedder) -> None:
    questions = embedder.embed_queries(["How many days of paid leave do I have?", "¿Quién paga los gastos de viaje?"])
    passages = np.stack([e.vector for e in embedder.embed_passages([passage(HOLIDAYS), passage(VIAJES)])])
    assert (questions @ passages.T).argmax(axis=1).tolist() == [0, 1]


def test_order_and_company_of_the_inputs_do_not_matter(embedder: Embedder) -> None:
    texts = ["Short.", HOLIDAYS * 3, "", VIAJES, "x", HOLIDAYS, "A middling sentence about nothing much."]
    together = [e.vector for e in embedder.embed_passages([PassageInput("", text) for text in texts])]
    for text, vector in zip(texts, together, strict=True):
        assert embedder.embed_passages([PassageInput("", text)])[0].vector @ vector > 0.98
    questions = embedder.embed_queries(texts)
    for text, vector in zip(texts, questions, strict=True):
        assert embedder.embed_queries([text])[0] @ vector > 0.98


def test_the_context_is_read_with_the_passage(embedder: Embedder) -> None:
    text = "It is paid on the last day of the month."
    salary, rent = embedder.embed_passages([passage(text, "Human resources › Salary"), passage(text, "Flat › Rent")])
    (question,) = embedder.embed_queries(["When is the salary paid?"])
    assert salary.vector @ question > rent.vector @ question


def test_a_sentence_beyond_the_window_is_not_lost(embedder: Embedder) -> None:
    sentence = "The meeting of the team takes place on the second floor every week and lasts one hour. "
    filler, rest = sentence * 32, (sentence * 4).strip()
    text = filler + "The secret word of the safe is marmalade. " + rest
    (embedding,) = embedder.embed_passages([passage(text, "Handbook › Meetings")])
    (question,) = embedder.embed_queries(["What is the secret word of the safe?"])
    assert_unit(embedding.sentence_vectors, 37, embedder.dimension)
    scores = embedding.sentence_vectors @ question
    assert scores[32] > np.median(scores) + 0.01
    (without,) = embedder.embed_passages([passage(filler + rest, "Handbook › Meetings")])
    assert embedding.vector @ question > without.vector @ question


def test_one_sentence_longer_than_the_window_is_read_to_its_end(embedder: Embedder) -> None:
    start = "one two three four five six seven eight nine ten " * 80
    plain, special = embedder.embed_passages(
        [PassageInput("", text, ((0, len(text)),)) for text in (start, start + "elephants in the zoo " * 40)]
    )
    (question,) = embedder.embed_queries(["elephants in the zoo"])
    assert special.vector @ question > plain.vector @ question + 0.01
    assert special.sentence_vectors[0] @ question > plain.sentence_vectors[0] @ question + 0.01


def test_a_context_longer_than_the_window_leaves_room_for_the_text(embedder: Embedder) -> None:
    (embedding,) = embedder.embed_passages([passage(HOLIDAYS, "Handbook of the whole company › " * 200)])
    (question,) = embedder.embed_queries(["When does the canteen open?"])
    assert np.argmax(embedding.sentence_vectors @ question) == 1


@pytest.mark.parametrize(
    "text",
    ["", "   ", "\n\n", "😀👩‍💻", "\u200b", "مرحبا بالعالم", "日本語のテキスト", "n\u0303", "\ud83d lone", "</s>"],
)
def test_any_text_has_a_vector(embedder: Embedder, text: str) -> None:
    assert_unit(embedder.embed_queries([text]), 1, embedder.dimension)
    (embedding,) = embedder.embed_passages([PassageInput("Context", text, ((0, len(text)), (len(text), len(text))))])
    assert_unit(embedding.vector[None], 1, embedder.dimension)
    assert_unit(embedding.sentence_vectors, 2, embedder.dimension)


def test_tokens_carry_their_place_in_the_text(embedder: Embedder) -> None:
    text = "La contraseña tiene catorce caracteres."
    (tokens,) = embedder.passage_token_vectors([passage(text, "Manual › Claves")])
    assert_unit(tokens.vectors, len(tokens.ids), embedder.token_dimension)
    assert tokens.ids.dtype == np.int32
    pieces = [text[start:end] for start, end in tokens.offsets]
    assert "".join(piece.strip() for piece in pieces) == text.replace(" ", "")


def test_the_same_word_has_the_same_token_ids_in_questions_and_passages(embedder: Embedder) -> None:
    (question,) = embedder.query_token_vectors(["contraseña"])
    (text,) = embedder.passage_token_vectors([PassageInput("", "la contraseña")])
    assert set(question.ids.tolist()) <= set(text.ids.tolist())


def test_tokens_of_a_long_passage_are_complete(embedder: Embedder) -> None:
    text = "The meeting takes place on the second floor. " * 80
    (tokens,) = embedder.passage_token_vectors([PassageInput("Title", text)])
    covered = np.zeros(len(text), bool)
    for start, end in tokens.offsets:
        covered[start:end] = True
    assert all(covered[index] or text[index].isspace() for index in range(len(text)))


def test_threads_share_one_embedder(embedder: Embedder) -> None:
    questions = [f"How many days of leave in year {year}?" for year in range(2000, 2012)]
    alone = [embedder.embed_queries([question])[0] for question in questions]
    with ThreadPoolExecutor(4) as pool:
        together = list(pool.map(lambda question: embedder.embed_queries([question])[0], questions))
    np.testing.assert_allclose(np.stack(together), np.stack(alone), atol=1e-5)


def test_both_engines_read_the_same_weights_alike(packaged: Embedder, torch_model: Embedder) -> None:
    texts = [HOLIDAYS, VIAJES, "Invoice INV-2041", "Die Reisekosten werden erstattet."]
    cosines = (packaged.embed_queries(texts) * torch_model.embed_queries(texts)).sum(axis=1)
    assert cosines.min() > 0.99


def test_models_and_ways_of_reading_sentences_have_names_of_their_own(
    packaged: Embedder, packaged_late: Embedder, torch_model: Embedder
) -> None:
    assert len({packaged.model_id, packaged_late.model_id, torch_model.model_id}) == 3
