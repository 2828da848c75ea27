"""Groups, regions and rates that limit a sentence, under one name in Spanish and English."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from core.verification.wording import any_of, pairs, without_accents, words

_GROUPS = pairs("""
    intern: becario becaria becarios becarias intern interns trainee trainees practicante practicantes "en prácticas"
    manager: responsable responsables mando mandos manager managers supervisor supervisors supervisores jefe jefes jefa
    executive: directivo directivos directiva directivas executive executives "alta dirección"
    contractor: contratista contratistas subcontratados contractor contractors freelance freelances freelancers
    external: externo externos externa externas external
    part time: "a tiempo parcial" "tiempo parcial" "media jornada" part-time "part time"
    full time: "a tiempo completo" "tiempo completo" "jornada completa" full-time "full time"
    temporary: temporal temporales eventuales temporary "fixed-term"
    permanent: fijos indefinido indefinidos permanent "open-ended"
    remote: "en remoto" remoto remotos teletrabajadores remote remotely
    night: nocturno nocturnos nocturna nocturnas "de noche" night night-shift
    parent: padres madres progenitores progenitor parents parent
    new hire: "nueva incorporación" "nuevas incorporaciones" "new hires" "new hire" "new employees" "nuevos empleados"
    probation: "periodo de prueba" "período de prueba" probation probationary
    customer: cliente clientes customer customers client clients
    supplier: proveedor proveedores supplier suppliers vendor vendors
    student: estudiante estudiantes alumno alumnos student students
    member: socio socios miembro miembros member members
    adult: adulto adultos adult adults
    minor: menor menores minor minors child children niño niños
    woman: mujer mujeres woman women female
    man: hombre hombres man men male
""")
_GROUP = re.compile(rf"(?<![\w-])(?:{any_of(_GROUPS)})(?![\w-])", re.IGNORECASE)

REGIONS = pairs("""
    es: España Spain
    fr: Francia France
    de: Alemania Germany
    it: Italia Italy
    pt: Portugal
    uk: "Reino Unido" "United Kingdom" UK "Gran Bretaña" "Great Britain" Britain
    us: "Estados Unidos" "EE. UU." "EE.UU." EEUU "United States" USA US U.S. "U.S"
    england: Inglaterra England
    scotland: Escocia Scotland
    wales: Gales Wales
    se: Suecia Sweden
    no: Noruega Norway
    dk: Dinamarca Denmark
    fi: Finlandia Finland
    ru: Rusia Russia
    cn: China
    jp: Japón Japan
    in: India
    tr: Turquía Turkey
    gr: Grecia Greece
    at: Austria
    cz: "República Checa" "Czech Republic" Czechia
    hu: Hungría Hungary
    ro: Rumanía Romania
    ua: Ucrania Ukraine
    ma: Marruecos Morocco
    eg: Egipto Egypt
    za: Sudáfrica "South Africa"
    au: Australia
    ca: Canadá Canada
    lu: Luxemburgo Luxembourg
    north america: Norteamérica "América del Norte" "North America"
    south america: Sudamérica "América del Sur" "South America"
    africa: África Africa
    asia: Asia
    mx: México Mexico
    ar: Argentina
    co: Colombia
    cl: Chile
    pe: Perú Peru
    br: Brasil Brazil
    nl: "Países Bajos" Netherlands Holanda Holland
    be: Bélgica Belgium
    ch: Suiza Switzerland
    ie: Irlanda Ireland
    pl: Polonia Poland
    eu: Europa Europe "Unión Europea" "European Union" UE EU
    latam: Latinoamérica "América Latina" "Latin America" LATAM
    london: Londres London
    new york: "Nueva York" "New York"
    lisbon: Lisboa Lisbon
    paris: París Paris
    berlin: Berlín Berlin
    munich: Múnich Munich
    milan: Milán Milan
    rome: Roma Rome
    dublin: Dublín Dublin
    seville: Sevilla Seville
    madrid: Madrid
    barcelona: Barcelona
    valencia: Valencia
    bilbao: Bilbao
    malaga: Málaga Malaga
    zaragoza: Zaragoza Saragossa
    catalonia: Cataluña Catalunya Catalonia
    andalusia: Andalucía Andalusia
    basque country: "País Vasco" Euskadi "Basque Country"
    galicia: Galicia
    canary islands: Canarias "Islas Canarias" "Canary Islands"
    balearic islands: Baleares "Islas Baleares" "Balearic Islands"
    navarre: Navarra Navarre
    madrid: Madrid
    mexico city: "Ciudad de México" "Mexico City"
    bogota: Bogotá Bogota
    buenos aires: "Buenos Aires"
""")
_REGION = re.compile(rf"(?<!\w)(?:{any_of(REGIONS)})(?!\w)")
_PLACE = re.compile(
    r"(?<!\w)(?:[Ee]n|[Ii]n|[Aa]t|within|[Pp]ara|[Ff]or|(?:sedes?|oficinas?|plantas?|centros?|plantilla|personal|equipo|empleados|trabajadores"
    r"|offices?|staff|team|workforce|employees|workers)\s+(?:de|del|en|of|in|at))\s+"
    r"(?:(?:el|la|los|las|the)\s+)?(?P<name>[A-ZÁÉÍÓÚÑ][\w'’-]+(?:\s+(?:de\s+|del\s+|la\s+|of\s+)?[A-ZÁÉÍÓÚÑ][\w'’-]+)*)"
)
_NOT_PLACES = words("""
    El La Los Las The A An
    January February March April May June July August September October November December
    Monday Tuesday Wednesday Thursday Friday Saturday Sunday I
    Enero Febrero Marzo Abril Mayo Junio Julio Agosto Septiembre Octubre Noviembre Diciembre
    Lunes Martes Miércoles Jueves Viernes Sábado Domingo
""")

_RATES = pairs("""
    year: año anual anuales anualmente year annum annual annually yearly
    month: mes mensual mensuales mensualmente month monthly
    week: semana semanal semanales week weekly
    day: día dia diario diaria diarios diarias day daily
    hour: hora hour hourly
    quarter: trimestre trimestral trimestrales quarter quarterly
    person: persona empleado trabajador person employee head
    night: noche night
    km: km kilómetro kilometre kilometer mile milla
""")
_ADVERBS = words(
    "anual anuales anualmente mensual mensuales mensualmente semanal semanales diario diaria diarios diarias annual "
    "annually yearly monthly weekly daily hourly trimestral trimestrales quarterly"
)
_RATE = re.compile(
    rf"(?:\s?/\s?|\s+(?:al|a\s+la|por|cada|per|a|an|each|every)\s+)(?P<noun>{any_of(_RATES)})(?!\w)"
    rf"|\s+(?:[a-zá-ú]+\s+)?(?P<adverb>{any_of(_ADVERBS)})(?!\w)",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Limit:
    """A group, a region or a place that limits a sentence: its name in both languages and its words."""

    name: str
    text: str


def groups(text: str) -> tuple[Limit, ...]:
    """The groups of people that a sentence speaks of (never plain employees)."""
    return _distinct(Limit(_GROUPS[match[0].lower()], match[0]) for match in _GROUP.finditer(text))


def regions(text: str) -> tuple[Limit, ...]:
    """The countries, regions and cities of a text that have one name in both languages."""
    return _distinct(Limit(REGIONS[match[0]], match[0]) for match in _REGION.finditer(text))


def places(text: str) -> tuple[Limit, ...]:
    """What a sentence is limited to by `en`, `in`, `para`, `for` and a name."""
    return _distinct(
        Limit(REGIONS.get(match["name"], match["name"]), match[0])
        for match in _PLACE.finditer(text)
        if match["name"].split()[0] not in _NOT_PLACES
    )


def names_it(text: str, limit: Limit, across: bool = False) -> bool:
    """Whether a claim names a place or region, in either language; across languages a likeness is enough."""
    if limit.name in {found.name for found in regions(text)}:
        return True
    folded = without_accents(text)
    if without_accents(limit.name) in folded:
        return True
    named = [without_accents(word) for word in limit.name.split() if len(word) > 2]
    if across:
        return any(re.search(rf"(?<!\w){re.escape(word[:_COGNATE])}", folded) for word in named)
    return any(re.search(rf"(?<!\w){re.escape(word)}(?!\w)", folded) for word in named)


_COGNATE = 4


def rate_after(text: str, position: int) -> tuple[str, str]:
    """The rate that follows a value (`al año`, `per month`, `/h`): its one name and its words, or two empty texts."""
    match = _RATE.match(text, position)
    return ("", "") if match is None else (_rate_name(match), match[0].strip())


def rate_within(text: str, start: int, end: int) -> tuple[str, str]:
    """The first rate in a part of a text (`22 días de vacaciones al año`)."""
    match = _RATE.search(text, start, end)
    return ("", "") if match is None else (_rate_name(match), match[0].strip())


def _rate_name(match: re.Match[str]) -> str:
    return _RATES[(match["noun"] or match["adverb"]).lower()]


def rates(text: str) -> frozenset[str]:
    """All rates that a text names."""
    return frozenset(rate for place in re.finditer(r"(?=\s|/)", text) if (rate := rate_after(text, place.start())[0]))


def _distinct(limits: Iterable[Limit]) -> tuple[Limit, ...]:
    return tuple({limit.name: limit for limit in limits}.values())
