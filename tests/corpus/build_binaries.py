"""Write the PDF, DOCX and XLSX files of the sample corpus from the text in this script.

The files are checked in; run this only to change them:

    python -m venv /tmp/corpus && /tmp/corpus/bin/pip install reportlab==5.1.0 python-docx==1.2.0 openpyxl==3.1.5
    /tmp/corpus/bin/python tests/corpus/build_binaries.py

Two runs give the same bytes: dates are fixed, and ZIP entries are packed again in the order of their names.
"""

from __future__ import annotations

import datetime as dt
import io
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from docx import Document
from docx.enum.text import WD_BREAK
from docx.shared import Pt
from openpyxl import Workbook
from openpyxl.styles import Font
from reportlab.lib import colors  # type: ignore[import-untyped]  # not a dependency: see the docstring
from reportlab.lib.pagesizes import A4  # type: ignore[import-untyped]  # the same
from reportlab.lib.styles import getSampleStyleSheet  # type: ignore[import-untyped]  # the same
from reportlab.platypus import (  # type: ignore[import-untyped]  # the same
    PageBreak,
    Paragraph,
    SimpleDocTemplate,
    Spacer,
    Table,
    TableStyle,
)

HERE = Path(__file__).parent
WRITTEN_AT = dt.datetime(2026, 3, 2, 9, 0, tzinfo=dt.UTC)

Row = tuple[str | int | float, ...]


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading; level 1 is the title."""

    level: int
    text: str


@dataclass(frozen=True, slots=True)
class Items:
    """A list; numbered or with bullets."""

    texts: tuple[str, ...]
    numbered: bool = False


@dataclass(frozen=True, slots=True)
class Grid:
    """A table whose first row is its header."""

    rows: tuple[Row, ...]


@dataclass(frozen=True, slots=True)
class NewPage:
    """A page break."""


Piece = Heading | str | Items | Grid | NewPage


@dataclass(frozen=True, slots=True)
class Sheet:
    """A sheet of a workbook: lines above the table, the table, lines under it."""

    name: str
    above: tuple[str, ...]
    rows: tuple[Row, ...]
    below: tuple[str, ...] = ()
    merged: tuple[str, ...] = ()


EMERGENCY_PLAN: tuple[Piece, ...] = (
    Heading(1, "Plan de emergencia de Ribarroja"),
    "Versión 7, en vigor desde el 1 de abril de 2026. Responsable: Servicio de Prevención. Este plan se aplica al "
    "almacén de Ribarroja, a sus oficinas y al aparcamiento. Lo debe conocer toda persona que entre en el recinto, "
    "también las visitas y los camioneros.",
    Heading(2, "1. Cómo se da la alarma"),
    "Quien vea fuego, humo o un escape pulsa el pulsador más cercano y llama a la extensión 1112. La alarma de "
    "evacuación es una sirena continua de 60 segundos. Tres toques cortos significan que el simulacro ha terminado.",
    "Solo el jefe de emergencia puede anular la alarma, y nunca antes de haber comprobado la zona en persona.",
    Heading(2, "2. Evacuación"),
    Items(
        (
            "Deja lo que estés haciendo y para la carretilla con las horquillas en el suelo.",
            "Sal por la puerta señalizada más próxima. No uses los ascensores ni los muelles.",
            "Ve al punto de encuentro que te corresponde y espera el recuento.",
            "No vuelvas a entrar hasta que lo autorice el jefe de emergencia.",
        ),
        numbered=True,
    ),
    "El tiempo máximo de evacuación es de 4 minutos. En el simulacro del 11 de marzo de 2026 se tardaron 3 minutos y "
    "25 segundos.",
    Heading(2, "3. Puntos de encuentro"),
    Grid(
        (
            ("Zona", "Punto de encuentro", "Responsable del recuento"),
            ("Nave A y muelles 1 a 18", "P1, junto a la garita", "Jefe de turno"),
            ("Nave B y cámara de frío", "P2, aparcamiento norte", "Íñigo Peñalver"),
            ("Oficinas y comedor", "P3, jardín de la entrada", "Recepción"),
            ("Aparcamiento y visitas", "P1, junto a la garita", "Vigilancia"),
        )
    ),
    NewPage(),
    Heading(2, "4. Equipos de intervención"),
    "En cada turno hay como mínimo 6 personas en el equipo de primera intervención, 2 en el de primeros auxilios y "
    "un jefe de emergencia. La formación se repite cada 24 meses.",
    "El equipo de primera intervención usa extintores y mangueras solo si el fuego es pequeño y hay una salida a la "
    "espalda. En la sala de baterías no se usa agua.",
    Heading(2, "5. Derrames y escapes"),
    "Un derrame de menos de 5 litros lo recoge el personal con el material de los armarios verdes. Por encima de esa "
    "cantidad, o si el producto lleva pictograma de peligro, se evacúa un radio de 25 metros y se avisa a los "
    "bomberos.",
    "Si se detecta amoníaco en la cámara de frío, se evacúa la nave B completa, salvo el equipo con máscara autónoma.",
    Heading(2, "6. Teléfonos"),
    Grid(
        (
            ("Servicio", "Número", "Cuándo"),
            ("Emergencias internas", "1112", "Siempre, en primer lugar"),
            ("Bomberos y ambulancias", "112", "Lo llama el jefe de emergencia"),
            ("Mutua Levantina", "900 555 061", "Accidentes sin riesgo vital"),
            ("Servicio de Prevención", "2260", "De 7:00 a 19:00"),
        )
    ),
    Heading(2, "7. Simulacros"),
    "Se hacen dos simulacros al año, uno de ellos en turno de noche. La fecha se avisa solo al comité de seguridad.",
)

SERVICE_LEVELS: tuple[Piece, ...] = (
    Heading(1, "Service Level Guide 2026"),
    "What Almendro Logística promises to its customers, and what happens when a promise is not kept. Valid from 1 "
    "January 2026 to 31 December 2026. Owner: María Ángeles Güell, Sales.",
    Heading(2, "1. Cut-off times"),
    "Orders received before the cut-off leave on the same day. Orders received later leave on the next working day.",
    Grid(
        (
            ("Site", "Standard cut-off", "Express cut-off", "Saturdays"),
            ("Ribarroja", "17:00", "19:30", "Until 12:00"),
            ("Getafe", "16:30", "19:00", "Until 12:00"),
            ("Maia", "16:00", "18:00", "Closed"),
            ("Ballymount", "15:30", "17:00", "Closed"),
        )
    ),
    Heading(2, "2. Accuracy"),
    "At least 998 of every 1,000 order lines are picked without error. The figure is measured each month and per "
    "customer.",
    "Stock accuracy is at least 99.7%, counted twice a year. Differences of less than 0.3% are not refunded.",
    Heading(2, "3. Delivery"),
    Items(
        (
            "Mainland Spain and Portugal: 24 to 48 hours.",
            "Balearic Islands: 48 to 72 hours.",
            "Ireland: 24 hours, except for the islands, where it is 72 hours.",
            "Rest of the European Union: 3 to 6 working days.",
        )
    ),
    NewPage(),
    Heading(2, "4. Penalties"),
    "If fewer than 97% of the orders of a month leave on time, the customer receives a credit of 2% of the invoice "
    "of that month. Under 94% the credit is 5%. Credits never exceed 8% of a monthly invoice.",
    "There is no penalty when the delay comes from strikes, road closures or wrong addresses, or when the volume "
    "was more than 25% above the forecast.",
    Heading(2, "5. Claims"),
    "Claims are sent within 10 calendar days of the delivery. We answer in 5 working days. Damage that can be seen "
    "from outside must be written on the delivery note, unless the parcel was left in a locker.",
    Heading(2, "6. Contacts"),
    Grid(
        (
            ("Country", "Team", "Telephone"),
            ("Spain", "Clientes Valencia", "+34 960 555 020"),
            ("Portugal", "Clientes Porto", "+351 220 555 031"),
            ("Ireland", "Customer Care Dublin", "+353 1 555 0142"),
        )
    ),
)

FORKLIFT_CHECKLIST: tuple[Piece, ...] = (
    Heading(1, "Lista de revisión de carretillas"),
    "Se rellena al empezar cada turno. Una sola respuesta negativa en los puntos 1 a 4 impide usar la carretilla.",
    Heading(2, "Puntos de revisión"),
    Grid(
        (
            ("Punto", "Qué se mira", "Valor correcto"),
            ("1", "Freno de servicio", "Para en menos de 3 metros"),
            ("2", "Claxon y luz azul", "Funcionan"),
            ("3", "Cinturón", "Bloquea al tirar"),
            ("4", "Horquillas", "Sin grietas; desgaste menor del 10 %"),
            ("5", "Batería", "Más del 40 % de carga"),
            ("6", "Presión de ruedas", "8,5 bar"),
        )
    ),
    NewPage(),
    Heading(2, "Qué hacer si algo falla"),
    "Coloca la etiqueta roja, deja la llave en la oficina de turno y apunta el número de la carretilla en el parte "
    "MT-1. El taller la recoge en un máximo de 4 horas.",
    Heading(2, "Archivo"),
    "Las listas se guardan 12 meses en la oficina de turno.",
)

OFFICE_GUIDE: tuple[Piece, ...] = (
    Heading(1, "Guía de oficina de Valencia y Ribarroja"),
    "Edición de septiembre de 2026. Responsable: Personas y Servicios Generales. Reúne lo práctico del día a día "
    "en la sede y en el almacén.",
    Heading(2, "Horarios de apertura"),
    "La sede abre de 7:30 a 20:00 de lunes a viernes. Fuera de ese horario solo se entra con la autorización de la "
    "persona responsable del área, que se pide con 24 horas de antelación.",
    Heading(2, "Salas de reunión"),
    Grid(
        (
            ("Sala", "Planta", "Plazas", "Videollamada"),
            ("Turia", "1", "14", "Sí"),
            ("Albufera", "2", "8", "Sí"),
            ("Malvarrosa", "3", "4", "No"),
        )
    ),
    "Una reserva sin ocupar se libera a los 15 minutos. No se puede reservar más de 4 horas seguidas, salvo para "
    "formación.",
    Heading(2, "Aparcamiento"),
    "La plaza de aparcamiento en Ribarroja cuesta 42 € al mes para todo el personal. En la sede de Valencia no hay "
    "aparcamiento propio; la empresa tiene un acuerdo con el parking Serrería, a 68 € al mes.",
    Heading(2, "Correo y mensajería"),
    Items(
        (
            "El correo sale a las 12:30 y a las 17:00.",
            "Los paquetes personales se recogen en recepción hasta 5 días.",
            "No se aceptan paquetes personales de más de 10 kg.",
        )
    ),
    Heading(2, "Temperatura y limpieza"),
    "El aire se regula a 25 °C en verano y a 21 °C en invierno. La cocina se limpia a las 16:00; lo que quede en "
    "la nevera el viernes a esa hora se tira.",
    Heading(2, "Material"),
    "El material de oficina se pide los lunes en la hoja compartida y llega los jueves. Los pedidos de más de 150 "
    "€ siguen el procedimiento de compras.",
)

STRATEGY: tuple[Piece, ...] = (
    Heading(1, "Plan estratégico 2026–2028"),
    "Aprobado por el consejo el 26 de febrero de 2026. Distribución limitada a la dirección general y a Finanzas.",
    Heading(2, "Objetivos"),
    Grid(
        (
            ("Objetivo", "2025", "2026", "2028"),
            ("Ventas (millones de euros)", "58,2", "66,0", "85,0"),
            ("Margen bruto", "16,9 %", "17,5 %", "19,0 %"),
            ("Clientes de farmacia", "31", "40", "60"),
        )
    ),
    Heading(2, "Adquisición"),
    "Está en estudio la compra de la empresa portuguesa Rota do Douro, con un precio máximo de 7,4 millones de "
    "euros. La oferta caduca el 31 de enero de 2027, salvo que las partes la prorroguen por escrito.",
    Heading(2, "Personas"),
    "No se prevén despidos. Se cubrirán con traslados 22 puestos de Getafe cuando se automatice la clasificación.",
    Heading(2, "Inversiones"),
    Items(
        (
            "Clasificador automático en Getafe: 1,6 millones de euros, en 2027.",
            "Placas solares en Ribarroja: 480.000 €, con un retorno de 6 años.",
            "Renovación de 40 carretillas: 920.000 €, mediante alquiler.",
        )
    ),
    Heading(2, "Riesgos"),
    "El mayor cliente supone el 23 % de las ventas y su contrato termina el 30 de junio de 2027.",
)

PRICES = (
    Sheet(
        "Tarifas por zona",
        (
            "Tarifas 2026 por zona",
            "Precios en euros sin IVA, en vigor desde el 1 de febrero de 2026. Responsable: Comercial.",
        ),
        (
            ("Código", "Servicio", "Unidad", "Zona 1", "Zona 2", "Zona 3", "Zona 4"),
            ("TR-24", "Entrega estándar 24 h", "bulto hasta 10 kg", 4.85, 5.6, 7.95, 12.4),
            ("TR-10", "Entrega antes de las 10:00", "bulto hasta 10 kg", 9.2, 11.75, 16.3, 27.5),
            ("TR-PAL", "Palé completo", "palé hasta 800 kg", 48, 63.5, 92, 148),
            ("TR-FRI", "Entrega refrigerada", "bulto hasta 10 kg", 8.9, 10.4, 14.85, "No disponible"),
            ("AL-PAL", "Almacenaje de palé", "palé y mes", 9.75, 9.75, 10.9, 13.2),
            ("AL-FRI", "Almacenaje en frío", "palé y mes", 21.5, "No disponible", "No disponible", 26.8),
            ("PK-LIN", "Preparación de pedido", "línea", 0.38, 0.38, 0.41, 0.55),
            ("PK-REG", "Envoltorio de regalo", "unidad", 1.9, 1.9, 1.9, 2.6),
        ),
        (
            "El recargo por combustible es del 6,5 % y se revisa cada trimestre.",
            "Los bultos de más de 10 kg pagan 0,32 € por cada kilogramo adicional.",
        ),
        merged=("A1:G1", "A2:G2"),
    ),
    Sheet(
        "Zonas",
        ("Qué incluye cada zona",),
        (
            ("Zona", "Territorio", "Centro que sirve"),
            ("Zona 1", "Comunitat Valenciana y Murcia", "Ribarroja"),
            ("Zona 2", "Resto de la península y Madrid", "Getafe"),
            ("Zona 3", "Portugal continental y Baleares", "Maia"),
            ("Zona 4", "Irlanda", "Ballymount"),
        ),
    ),
    Sheet(
        "Descuentos",
        ("Descuentos por volumen mensual",),
        (
            ("Bultos al mes", "Descuento", "Autoriza"),
            ("Hasta 500", "0 %", "Comercial"),
            ("De 501 a 2.000", "4 %", "Comercial"),
            ("De 2.001 a 10.000", "9 %", "Dirección comercial"),
            ("Más de 10.000", "14 %", "Dirección general"),
        ),
        ("Los descuentos no se aplican al servicio TR-10, salvo contrato firmado antes de 2025.",),
    ),
)

BUDGET = (
    Sheet(
        "Presupuesto 2026",
        ("Presupuesto 2026 por área", "Miles de euros. Versión aprobada el 18 de diciembre de 2025."),
        (
            ("Área", "Personal", "Gastos", "Inversión", "Total"),
            ("Operaciones", 14820, 6230, 1150, 22200),
            ("Transporte", 5310, 17940, 420, 23670),
            ("Tecnología", 1940, 1385, 610, 3935),
            ("Personas", 715, 402, 35, 1152),
            ("Comercial", 1280, 566, 20, 1866),
        ),
        ("La desviación de más del 5 % en un área se explica por escrito en el cierre del mes.",),
        merged=("A1:E1",),
    ),
    Sheet(
        "Supuestos",
        (),
        (
            ("Supuesto", "Valor"),
            ("Precio del gasóleo", "1,34 € por litro"),
            ("Subida salarial media", "3,1 %"),
            ("Crecimiento de pedidos", "8,5 %"),
            ("Tipo de interés", "3,4 %"),
        ),
    ),
)


def pdf_bytes(pieces: tuple[Piece, ...]) -> bytes:
    """Lay the pieces out on A4 with the built-in Helvetica, headings larger than the text."""
    styles = getSampleStyleSheet()
    story: list[object] = []
    for piece in pieces:
        match piece:
            case Heading(level, text):
                story.append(Paragraph(text, styles["Title" if level == 1 else f"Heading{level}"]))
            case Items(texts, numbered):
                for number, text in enumerate(texts, start=1):
                    mark = f"{number}." if numbered else "•"
                    story.append(Paragraph(text, styles["BodyText"], bulletText=mark))
            case Grid(rows):
                cells = [[Paragraph(str(cell), styles["BodyText"]) for cell in row] for row in rows]
                style = TableStyle(
                    [
                        ("GRID", (0, 0), (-1, -1), 0.5, colors.grey),
                        ("BACKGROUND", (0, 0), (-1, 0), colors.whitesmoke),
                        ("VALIGN", (0, 0), (-1, -1), "TOP"),
                    ]
                )
                story += [Table(cells, style=style, repeatRows=1, hAlign="LEFT"), Spacer(1, 8)]
            case NewPage():
                story.append(PageBreak())
            case str():
                story.append(Paragraph(piece, styles["BodyText"]))
    target = io.BytesIO()
    title = next(piece.text for piece in pieces if isinstance(piece, Heading))
    # invariant leaves out the date and the random document id.
    SimpleDocTemplate(target, pagesize=A4, title=title, author="Almendro Logística", invariant=1).build(story)
    return target.getvalue()


def docx_bytes(pieces: tuple[Piece, ...]) -> bytes:
    """Write the pieces with Word's own heading, list and table styles."""
    document = Document()
    document.styles["Normal"].font.size = Pt(11)
    properties = document.core_properties
    properties.author = "Almendro Logística"
    properties.created = properties.modified = WRITTEN_AT.replace(tzinfo=None)
    properties.title = next(piece.text for piece in pieces if isinstance(piece, Heading))
    for piece in pieces:
        match piece:
            case Heading(level, text):
                document.add_heading(text, level)
            case Items(texts, numbered):
                for text in texts:
                    document.add_paragraph(text, style="List Number" if numbered else "List Bullet")
            case Grid(rows):
                table = document.add_table(rows=0, cols=len(rows[0]), style="Table Grid")
                for row in rows:
                    for cell, value in zip(table.add_row().cells, row, strict=True):
                        cell.text = str(value)
            case NewPage():
                document.add_paragraph().add_run().add_break(WD_BREAK.PAGE)
            case str():
                document.add_paragraph(piece)
    target = io.BytesIO()
    document.save(target)
    return repacked(target.getvalue())


def xlsx_bytes(sheets: tuple[Sheet, ...]) -> bytes:
    """Write the sheets; numbers stay numbers, the row of headers is bold."""
    book = Workbook()
    book.remove(book.active)
    book.properties.creator = "Almendro Logística"
    book.properties.created = book.properties.modified = WRITTEN_AT.replace(tzinfo=None)
    for sheet in sheets:
        tab = book.create_sheet(sheet.name)
        for line in sheet.above:
            tab.append([line])
        for row in sheet.rows:
            tab.append(list(row))
        for cell in tab[len(sheet.above) + 1]:
            cell.font = Font(bold=True)
        for line in sheet.below:
            tab.append([line])
        for area in sheet.merged:
            tab.merge_cells(area)
    target = io.BytesIO()
    book.save(target)
    return repacked(target.getvalue())


def repacked(data: bytes) -> bytes:
    """The same ZIP with fixed dates (openpyxl also writes the time of saving into `docProps/core.xml`)."""
    target = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as source, zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as packed:
        for name in sorted(source.namelist()):
            entry = zipfile.ZipInfo(name, WRITTEN_AT.timetuple()[:6])
            entry.compress_type = zipfile.ZIP_DEFLATED
            packed.writestr(entry, with_fixed_date(name, source.read(name)))
    return target.getvalue()


def with_fixed_date(name: str, data: bytes) -> bytes:
    """Replace the text of `dcterms:modified` in a package's core properties."""
    if name != "docProps/core.xml":
        return data
    before, tag, after = data.partition(b"<dcterms:modified")
    start = after.index(b">") + 1
    end = after.index(b"</dcterms:modified>")
    stamp = WRITTEN_AT.strftime("%Y-%m-%dT%H:%M:%SZ").encode()
    return before + tag + after[:start] + stamp + after[end:]


def binaries() -> Iterator[tuple[str, bytes]]:
    """Each file, as (path under tests/corpus, content)."""
    yield "confluence/attachments/1200041/9300101.pdf", pdf_bytes(FORKLIFT_CHECKLIST)
    yield "drive/files/Comercial/Service Level Guide 2026.pdf", pdf_bytes(SERVICE_LEVELS)
    yield "drive/files/Comercial/Tarifas 2026 por zona.xlsx", xlsx_bytes(PRICES)
    yield "drive/files/Dirección/Plan estratégico 2026-2028.docx", docx_bytes(STRATEGY)
    yield "folder/seguridad/plan-emergencia-ribarroja.pdf", pdf_bytes(EMERGENCY_PLAN)
    yield "folder/personas/guia-oficina-valencia.docx", docx_bytes(OFFICE_GUIDE)
    yield "folder/finanzas/presupuesto-2026.xlsx", xlsx_bytes(BUDGET)


def main() -> None:
    """Write every file."""
    for name, content in binaries():
        path = HERE / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
        print(f"{len(content):>7} {name}")


if __name__ == "__main__":
    main()
