"""Whatever quote is accepted is an exact slice that equals it up to presentation; whatever is changed is refused."""

import random
import re
import unicodedata

from hypothesis import assume, given
from hypothesis import strategies as st

from core.domain.document import CanonicalText
from core.domain.evidence import ClaimKind, ClaimStatus, text_hash
from core.verification import EvidenceIndex, Located, Verifier, recheck
from tests.unit.verification.evidence_samples import TODAY, draft, evidence, passage, prose

SENTENCES = (
    "La plantilla de Ávila dispone de 24 días hábiles de vacaciones al año.",
    "No se abona el taxi, salvo entre las 22:00 y las 6:00.",
    "El importe máximo es de 1.500,50 € por persona (IVA incluido).",
    "The on-call rota starts at 9 am and ends at 5 pm, Monday to Friday.",
    "Visitors must not enter the “clean room” without a badge of type B-12.",
    "Temperatures from -5 °C to +40 °C are fine; 10² cycles were tested.",
    "Reembolso: 3–5 días laborables – nunca más de 10.",
    "It's the manager's call: don't book before the budget is signed.",
)
documents = st.lists(st.sampled_from(SENTENCES), min_size=1, max_size=5).map(lambda chosen: prose(*chosen))


def letters(text: str) -> str:
    return "".join(char for char in unicodedata.normalize("NFC", text) if char.isalnum())


@given(documents, st.data())
def test_what_is_accepted_is_an_exact_slice_with_its_hash(document: CanonicalText, data: st.DataObject) -> None:
    text = document.text
    start = data.draw(st.integers(0, len(text) - 1))
    end = data.draw(st.integers(start + 1, len(text)))
    quote = text[start:end]
    claim = Verifier(TODAY).verify(
        draft(quote, quote, kind=ClaimKind.QUOTE),
        evidence(passage(document)),
        lambda _: True,
    )
    for citation in claim.citations:
        assert text_hash(text[citation.start_offset : citation.end_offset]) == citation.text_hash
        assert recheck(citation, text)
    assert not claim.citations or letters("".join(one.quote for one in claim.citations)) == letters(quote)


@given(documents, st.integers(0, 10**6))
def test_whole_sentences_are_found_in_any_presentation(document: CanonicalText, seed: int) -> None:
    rng = random.Random(seed)
    sentence = rng.choice(document.text.split("\n\n"))
    shown = re.sub(" ", lambda _: rng.choice([" ", "\u00a0", "  ", "\n"]), sentence)
    shown = shown.replace("“", '"').replace("”", '"').replace("'", "’").replace(" – ", " — ")
    shown = re.sub(r"(?<=[a-z]{3})(?=[a-z]{3})", lambda _: rng.choice(["", "", "\u00ad"]), shown)
    shown = unicodedata.normalize(rng.choice(["NFC", "NFD"]), shown)
    found = EvidenceIndex(evidence(passage(document))).locate("p1", shown, lambda _: None)
    assert isinstance(found, Located), found
    assert [found.passage.document_text[slice(*span)] for span in found.slices] == [sentence]


@given(st.sampled_from(SENTENCES), st.integers(0, 10**6))
def test_a_changed_character_of_a_number_sign_or_unit_is_never_accepted(sentence: str, seed: int) -> None:
    rng = random.Random(seed)
    places = [place for place, char in enumerate(sentence) if char in "0123456789²€°+-,."]
    assume(places)
    place = rng.choice(places)
    other = rng.choice([char for char in "0123456789²³½€$%°+−±" if char != sentence[place]])
    changed = sentence[:place] + other + sentence[place + 1 :]
    found = EvidenceIndex(evidence(passage(prose(*SENTENCES)))).locate("p1", changed, lambda _: None)
    assert not isinstance(found, Located)


@given(st.sampled_from(SENTENCES), st.data())
def test_a_word_dropped_added_or_swapped_is_never_accepted(sentence: str, data: st.DataObject) -> None:
    words = sentence.split(" ")
    place = data.draw(st.integers(1, len(words) - 2))
    word = data.draw(st.sampled_from(["no", "nunca", "not", "hasta", "mesa", "7"]))
    change = data.draw(st.sampled_from(["drop", "add", "swap"]))
    kept = words[place + (change != "add") :]
    changed = " ".join(words[:place] + ([] if change == "drop" else [word]) + kept)
    assume(changed != sentence and len(words[place].strip("–")) > 0)
    found = EvidenceIndex(evidence(passage(prose(*SENTENCES)))).locate("p1", changed, lambda _: None)
    assert not isinstance(found, Located)


@given(st.text(max_size=40), st.text(max_size=40), st.sampled_from(list(ClaimKind)))
def test_any_text_at_all_is_judged_without_an_error(quote: str, text: str, kind: ClaimKind) -> None:
    claim = Verifier(TODAY).verify(draft(text, quote, kind=kind), evidence(passage(prose(*SENTENCES))), lambda _: True)
    assert claim.status in ClaimStatus
    for reason in claim.reasons:
        assert reason.detail.isprintable()
        reason.detail.encode()
