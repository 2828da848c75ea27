from core.chunking import align_chunk_ids
from core.domain.document import Chunk


def chunk(text: str, chunk_id: str) -> Chunk:
    return Chunk(chunk_id, "d", 0, len(text), text, (), "", "es")


def version(*texts: str) -> list[Chunk]:
    return [chunk(text, f"d#s1-p{number}") for number, text in enumerate(texts, start=1)]


def pairs(chunks: list[Chunk]) -> list[tuple[str, str]]:
    return [(c.chunk_id, c.text) for c in chunks]


ONE = "los empleados tienen veintitrés días de vacaciones al año"
TWO = "el hotel se paga hasta ciento veinte euros por noche"
THREE = "las guardias se compensan con un día libre por semana"


def test_an_unchanged_version_keeps_every_id() -> None:
    old = version(ONE, TWO, THREE)
    assert [c.chunk_id for c in align_chunk_ids(pairs(old), old)] == ["d#s1-p1", "d#s1-p2", "d#s1-p3"]


def test_a_chunk_put_in_front_gets_a_new_id_and_the_others_keep_theirs() -> None:
    new = align_chunk_ids(pairs(version(ONE, TWO)), version(THREE, ONE, TWO))
    assert [c.chunk_id for c in new] == ["d#s1-p3", "d#s1-p1", "d#s1-p2"]


def test_a_small_change_keeps_the_id() -> None:
    changed = TWO.replace("ciento veinte", "ciento treinta")
    new = align_chunk_ids(pairs(version(ONE, TWO, THREE)), version(ONE, changed, THREE))
    assert [c.chunk_id for c in new] == ["d#s1-p1", "d#s1-p2", "d#s1-p3"]
    assert new[1].text == changed


def test_different_content_in_the_same_place_gets_a_new_id() -> None:
    new = align_chunk_ids(pairs(version(ONE, TWO)), version(ONE, "nada de lo anterior vale ya aquí"))
    assert [c.chunk_id for c in new] == ["d#s1-p1", "d#s1-p3"]


def test_the_id_of_a_deleted_chunk_is_never_used_again() -> None:
    after_deletion = align_chunk_ids(pairs(version(ONE, TWO)), version(ONE))
    new = align_chunk_ids(pairs(list(after_deletion)), version(ONE, THREE), used={"d#s1-p1", "d#s1-p2"})
    assert [c.chunk_id for c in new] == ["d#s1-p1", "d#s1-p3"]


def test_chunks_that_change_places_keep_their_ids() -> None:
    new = align_chunk_ids(pairs(version(ONE, TWO, THREE)), version(THREE, ONE, TWO))
    assert [c.chunk_id for c in new] == ["d#s1-p3", "d#s1-p1", "d#s1-p2"]


def test_repeated_texts_each_keep_one_id() -> None:
    new = align_chunk_ids(pairs(version(ONE, ONE, ONE)), version(ONE, ONE))
    ids = [c.chunk_id for c in new]
    assert len(set(ids)) == 2
    assert set(ids) < {"d#s1-p1", "d#s1-p2", "d#s1-p3"}


def test_the_most_similar_of_two_changed_chunks_keeps_the_id() -> None:
    near, far = TWO + " en Madrid", TWO.replace("el hotel se paga", "la cena cuesta") + " como mucho hoy"
    new = align_chunk_ids(pairs(version(TWO)), version(far, near))
    assert new[1].chunk_id == "d#s1-p1"
    assert new[0].chunk_id != "d#s1-p1"
