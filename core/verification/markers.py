"""The words that turn or limit a sentence, in Spanish and English, under one name for both languages.

`hasta 22 días` and `up to 22 days` carry the same marker; so a claim in one language can be held against a quote in
the other. Idioms that contain such a word without its meaning (`no obstante`, `not only`) are passed over first.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum


class Marker(StrEnum):
    """What a marker does to its sentence."""

    NEGATION = "negation"
    REFUSAL = "refusal"
    """A word that negates without a negator: prohibido, forbidden, denied."""
    AFFIX = "affix"
    """A word that is negative in its form (insuficiente, unpaid): it explains a negation, and asks for none."""
    EXCEPTION = "exception"
    ONLY = "only"
    AT_MOST = "at most"
    AT_LEAST = "at least"
    SINCE = "since"
    """From a date or a number on: a partir de, desde, from, after."""
    APPROXIMATELY = "approximately"
    CONDITION = "condition"
    SOME = "some"
    ALL = "all"
    DUTY = "duty"
    PERMISSION = "permission"
    ADVICE = "advice"


@dataclass(frozen=True, slots=True)
class MarkerHit:
    """A marker at (start, end) of a text."""

    marker: Marker
    start: int
    end: int


_NO = r"(?:no|not|nunca|never)"
_FORMS: tuple[tuple[str, str], ...] = (
    (
        "idle",
        r"""no\ obstante | sin\ embargo | sin\ duda | no\ doubt | nonetheless | nevertheless | no\.(?=\ ?\d)
          | no\ (?:s[oó]lo|solamente|[uú]nicamente) | not\ (?:only|just|merely) | whether\ or\ not | si\ no\b(?=[?])
          | even\ (?:if|though) | as\ if | as\ well\ as | incluso\ si | como\ si | if\ any | at\ all | not\ applicable
          | sin\ perjuicio\ de | after\ all | all\ right | so\ far | hasta\ ahora | hasta\ luego | por\ si\ solo
          | such\ as | from(?=\ home\b) | desde(?=\ casa\b) | al\ respecto | si\ bien""",
    ),
    (
        "at_most",
        rf"""no\ m[aá]s\ (?:de|que|tarde\ de) | {_NO}\ more\ than | no\ later\ than | como\ m[aá]ximo | a\ lo\ sumo
          | a\ m[aá]s\ tardar
          | {_NO}\ (?:se\ )?(?:podr[aá]\ |puede\ |may\ |must\ |shall\ )?(?:super|exced|exceed|rebas)\w*
          | (?:up\ )?to\ a\ maximum\ of | up\ to | at\ most | m[aá]xim[oa]s?(?:\ de)? | max(?:imum)?(?:\ of)? | m[aá]x
          | hasta(?!\ que) | until | till | within | less\ than | fewer\ than | menos\ del? | inferior(?:es)?\ a | below
          | por\ debajo\ de | antes\ del? | before | dentro\ del? | en\ (?:un|el)\ plazo\ (?:m[aá]ximo\ )?de
          | under(?=\ \d)""",
    ),
    (
        "at_least",
        rf"""no\ menos\ de | {_NO}\ (?:less|fewer)\ than | al\ menos | por\ lo\ menos | como\ m[ií]nimo | at\ least
          | m[ií]nim[oa]s?(?:\ de)? | minimum(?:\ of)? | m[aá]s\ del? | more\ than | over(?=\ [\d€$£]) | above
          | superior(?:es)?\ a | por\ encima\ de | exceeding | exceeds? | supera[nr]?
          | excede[nr]? | mayor(?:es)?\ (?:de|que) | older\ than""",
    ),
    (
        "exception",
        r"""salvo | excepto | exceptuando | (?:con\ )?(?:la\ )?excepci[oó]n(?:es)?(?:\ de)?
          | a\ menos\ que | a\ no\ ser\ que | unless | except(?:ing)?
          | (?:with\ the\ )?exceptions?(?:\ of)? | excluding | excluyendo | other\ than
          | aparte\ de | apart\ from | save\ for | con\ la\ salvedad | but\ not | pero\ no | barring""",
    ),
    (
        "condition",
        r"""siempre\ (?:que|y\ cuando) | provid(?:ed|ing)(?:\ that)? | (?:as|so)\ long\ as | en\ caso\ de(?:\ que)?
          | in\ (?:the\ )?(?:case|event)\ (?:of|that) | sujet[oa]s?\ a | subject\ to
          | previ[oa]s?\ (?:aprobaci|autoriza|aviso|solicitud|consentimiento|acuerdo)\w*
          | con\ (?:la\ )?(?:aprobaci|autoriza|permiso)\w*
          | (?:with|upon)\ (?:the\ |prior\ |written\ )*(?:approval|authori[sz]ation|consent|permission)
          | prior\ (?:approval|authori[sz]ation|consent|notice) | si | if""",
    ),
    ("only", r"just(?=\ \d) | s[oó]lo | solamente | [uú]nicamente | exclusivamente | only | solely | exclusively"),
    (
        "since",
        r"""a\ partir\ del? | desde | from | since | starting | as\ of | as\ from | despu[eé]s\ del? | after | tras""",
    ),
    (
        "approximately",
        r"""aproximadamente | approximately | casi | almost | nearly | roughly | cerca\ del? | alrededor\ del?
          | (?:about|around|some|unos|unas|circa|aprox\.?)(?=\ [\d€$£])""",
    ),
    (
        "some",
        r"""algun[oa]s | some | certain | ciert[oa]s? | la\ mayor[ií]a | most(?=\ (?:of\ )?(?:the\b|\w+s\b)) | majority
          | usually | normalmente | generalmente | generally | habitualmente | sometimes | a\ veces
          | often | a\ menudo | con\ frecuencia | frecuentemente | frequently
          | suelen? | typically""",
    ),
    ("all", r"tod[oa]s? | all | every | siempre | always | cualquier\w* | any | everyone | everybody"),
    (
        "advice",
        r"deber[ií]an? | se\ recomienda\w* | recomend\w+ | recommend\w* | should | conviene | advis\w+ | aconsej\w+",
    ),
    (
        "duty",
        r"""debe[ns]? | debemos | deber[aá]n? | tienen?\ que | hay\ que | obligatori\w+ | must | shall | mandatory
          | required | ha(?:s|ve)\ to | compulsory""",
    ),
    (
        "permission",
        r"""pued[eo]n?s? | podr[aá]n? | permiti\w+ | permite[ns]? | may | can | could | allowed | optional\w*
          | opcional\w*""",
    ),
    (
        "refusal",
        r"""prohib\w+ | forbid\w* | forbade | denied | denies | deny | deneg\w+ | deniega\w* | refus\w+ | rechaz\w+
          | reject\w* | exclu(?:ye|id|ded|des|de)\w* | imposibles? | impossible | unable | unavailable | lacks?
          | carece\w* | fail(?:s|ed)? | banned | disallow\w* | unauthori[sz]ed | prevent\w* | impid\w+ | impide\w*
          | invalid | inv[aá]lid[oa]s? | ineligible | illegal | ilegal(?:es)? | cease[sd]? | deja(?:n|r[aá]n?)?\ de""",
    ),
    (
        "affix",
        r"""(?!unless|regardless|nevertheless|nonetheless|wireless)\w{3,}less | un\w{3,}(?:ed|able|ful) | non[a-z]{4,}
          | in(?:suffic|suficien|elig|eleg|complet|correct|compat|activ|direct|dispon)\w+
          | ne[gi]+(?:ó|aron|ar|an|a|ativ[oa]) | impag\w+ | falta(?:n|\ de)? | ausencia | absence | desconocid\w+
          | oppos\w+ | contra | against""",
    ),
    (
        "negation",
        r"""no | not | cannot | \w+n't | never | nunca | jam[aá]s | sin | without | ni | nor | neither | none | nobody
          | nothing | nadie | nada | ning[uú]n\w* | tampoco | non(?=-)""",
    ),
)  # fmt: skip
_MARKERS = re.compile(
    r"(?<![\w-])(?:" + "|".join(f"(?P<{name}>{forms})" for name, forms in _FORMS) + r")(?!\w)", re.VERBOSE
)


def find_markers(text: str) -> tuple[MarkerHit, ...]:
    """Find the markers of a text, in order."""
    low = text.replace("’", "'").lower()
    if len(low) != len(text):
        low = "".join(one if len(one := character.lower()) == 1 else character for character in text)
    hits = []
    for match in _MARKERS.finditer(low):
        name = match.lastgroup
        if name is not None and name != "idle":
            hits.append(MarkerHit(_MARKER[name], match.start(), match.end()))
    return tuple(hits)


_MARKER = {name: Marker(name.replace("_", " ")) for name, _ in _FORMS if name != "idle"}
