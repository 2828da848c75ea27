"""Units, currencies and scales in Spanish and English, under one name each."""

from __future__ import annotations

import re

from core.verification.wording import any_of, pairs

CURRENCIES = pairs("""
    EUR: € EUR euro euros eur
    USD: US$ $US USD $ usd dólar dólares dolar dolares dollar dollars
    GBP: £ GBP gbp "libras esterlinas" "pounds sterling" pound pounds libra libras
    JPY: ¥ JPY jpy yen yenes
    CHF: CHF chf "francos suizos" "swiss francs"
    INR: ₹ INR inr
    MXN: MX$ MXN mxn "pesos mexicanos" "mexican pesos"
    CAD: CA$ C$ CAD cad
    AUD: AU$ A$ AUD aud
    peso: peso pesos
    cent: céntimo céntimos centimo centimos cent cents
""")
MONEY_BEFORE = any_of(form for form in CURRENCIES if not form.islower())
"""A pattern for what stands before an amount: `€`, `US$`, `EUR`."""

PERCENT = r"%|percent(?!age)|per\s+cent|por\s+ciento|por\s+cien|pct"
PERCENTAGE_POINT = r"puntos?\s+porcentual(?:es)?|percentage\s+points?|p\.?p\.?\b"

UNITS = pairs("""
    year: año años year years yr yrs
    month: mes meses month months
    week: semana semanas week weeks
    day: día días dia dias day days
    hour: hora horas hour hours h hr hrs
    minute: minuto minutos minute minutes min mins
    second: segundo segundos second seconds sec secs s
    quarter: trimestre trimestres quarter quarters
    fortnight: quincena quincenas fortnight fortnights
    km: km kilómetro kilómetros kilometro kilometros kilometre kilometres kilometer kilometers
    m: m metro metros metre metres meter meters
    cm: cm centímetro centímetros centimetro centimetros centimetre centimetres centimeter centimeters
    mm: mm milímetro milímetros milimetro milimetros millimetre millimetres millimeter millimeters
    mile: mi milla millas mile miles
    foot: ft foot feet ′
    inch: pulgada pulgadas inch inches ″
    yard: yd yarda yardas yard yards
    m2: m² m2 "metros cuadrados" "square metres" "square meters"
    km2: km² km2 "kilómetros cuadrados" "square kilometres" "square kilometers"
    mi2: "millas cuadradas" "square miles" "sq mi"
    ft2: "pies cuadrados" "square feet" "sq ft"
    m3: m³ m3 "metros cúbicos" "cubic metres" "cubic meters"
    ha: ha hectárea hectáreas hectare hectares
    acre: acre acres
    g: g gr gramo gramos gram grams gramme grammes
    kg: kg kilo kilos kilogramo kilogramos kilogram kilograms
    mg: mg miligramo miligramos milligram milligrams
    tonne: tonelada toneladas tonne tonnes
    ton: ton tons
    lb: lb lbs
    oz: oz onza onzas ounce ounces
    l: l L litro litros litre litres liter liters
    ml: ml mL mililitro mililitros millilitre millilitres milliliter milliliters
    celsius: °C ℃ "grados centígrados" "grados Celsius" "degrees Celsius"
    fahrenheit: °F ℉ "grados Fahrenheit" "degrees Fahrenheit"
    degree: ° grado grados degree degrees
    B: byte bytes
    kB: kB KB kilobyte kilobytes
    MB: MB megabyte megabytes
    GB: GB gigabyte gigabytes
    TB: TB terabyte terabytes
    Mbps: Mbps Mb/s
    Gbps: Gbps Gb/s
    kWh: kWh
    MWh: MWh
    W: W watt watts vatio vatios
    kW: kW kilowatt kilowatts kilovatio kilovatios
    MW: MW megawatt megawatts megavatio megavatios
    V: V volt volts voltio voltios
    A: amp amps amperio amperios
    Hz: Hz hertz hercio hercios
    kHz: kHz
    MHz: MHz
    GHz: GHz
    km/h: km/h kmh kph
    mph: mph
    m/s: m/s
    ms: ms milisegundo milisegundos millisecond milliseconds
    px: px píxel píxeles pixel pixels
    dpi: dpi
    dB: dB
    bar: bar bares
    Pa: Pa pascal pascals
    kPa: kPa
    kcal: kcal
    kJ: kJ
    J: J joule joules julio julios
""")
PERIODS = frozenset({"year", "month", "week", "day", "hour", "minute", "second", "quarter", "fortnight", "ms"})

# How a day is counted changes the number of days: no qualifier may be added or lost unseen.
QUALIFIERS = pairs("""
    working: laborable laborables hábil hábiles habil habiles working business work
    calendar: natural naturales "de calendario" calendar
    consecutive: consecutivo consecutivos seguido seguidos consecutive
    full: completo completos completa completas full
""")

_CASED = {form for form in UNITS if not form.islower() or len(form) <= 3 or not form.isalpha()}
_WORDS = UNITS.keys() - _CASED
_QUALIFIER = any_of(QUALIFIERS)
AFTER_NUMBER = re.compile(
    rf"""
      [\s\u00a0-]?
      (?P<before>(?i:{_QUALIFIER})[\s-])?
      (?:(?P<unit>{any_of(_CASED)}|(?i:{any_of(_WORDS)}))(?![\w²³])|(?P<mark>["”″'’′](?!\w)))
      (?:\s(?P<after>(?i:{_QUALIFIER}))\b)?
    """,
    re.VERBOSE,
)
"""What may follow a number: a unit, with its qualifier before (English) or after it (Spanish)."""

_MENTION = re.compile(rf"(?<!\w)(?:{any_of(_CASED)}|(?i:{any_of(_WORDS)})|{any_of(CURRENCIES)}|%)(?!\w)")


def unit_name(form: str) -> str:
    """The one name of a unit in any of its forms."""
    return UNITS.get(form) or UNITS.get(form.lower(), "")


def units_mentioned(text: str) -> frozenset[str]:
    """The units and currencies that a table's heading names (`Días`, `Precio (€)`), with `%` for percent."""
    return frozenset(
        unit_name(match[0]) or CURRENCIES.get(match[0]) or CURRENCIES.get(match[0].lower(), match[0])
        for match in _MENTION.finditer(text)
    )
