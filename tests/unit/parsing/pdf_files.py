"""PDF files written by hand: a font, and text at places."""

from __future__ import annotations

Text = tuple[float, float, float, str]
"""x, y from the bottom, size, text; negative sizes are bold."""


def pdf(*pages: list[Text], drawing: str = "", trailer: str = "") -> bytes:
    objects = [
        "<< /Type /Catalog /Pages 2 0 R >>",
        f"<< /Type /Pages /Count {len(pages)} /Kids [{' '.join(f'{5 + 2 * n} 0 R' for n in range(len(pages)))}] >>",
        "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>",
        "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica-Bold /Encoding /WinAnsiEncoding >>",
    ]
    for number, texts in enumerate(pages):
        shown = "".join(
            f"BT /{'B' if size < 0 else 'F'} {abs(size)} Tf {x} {y} Td ({text}) Tj ET\n" for x, y, size, text in texts
        )
        content = drawing + shown
        objects.append(
            f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents {6 + 2 * number} 0 R "
            "/Resources << /Font << /F 3 0 R /B 4 0 R >> >> >>"
        )
        objects.append(f"<< /Length {len(content.encode('cp1252'))} >>\nstream\n{content}\nendstream")
    out = b"%PDF-1.4\n"
    places = []
    for number, body in enumerate(objects, start=1):
        places.append(len(out))
        out += f"{number} 0 obj\n{body}\nendobj\n".encode("cp1252")
    table = "".join(f"{place:010} 00000 n \n" for place in places)
    end = f"xref\n0 {len(objects) + 1}\n0000000000 65535 f \n{table}trailer\n"
    return out + (end + f"<< /Size {len(objects) + 1} /Root 1 0 R {trailer} >>\nstartxref\n{len(out)}\n%%EOF").encode()


def lines(top: float, *texts: str, size: float = 10, left: float = 70) -> list[Text]:
    return [(left, top - 13 * n, size, text) for n, text in enumerate(texts)]
