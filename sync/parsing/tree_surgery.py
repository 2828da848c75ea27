"""Changes to a tree that lose none of the text around an element, which lxml keeps in the element as its tail."""

from __future__ import annotations

from sync.parsing.tree import Element


def become(element: Element, tag: str, text: str = "", panel: str = "") -> None:
    """Make an element another one that holds only a text."""
    tail = element.tail
    element.clear()
    element.tail = tail
    element.tag = tag
    element.text = text
    if panel:
        element.set("data-panel", panel)


def drop(element: Element) -> None:
    """Remove an element and all in it; what follows it stays."""
    parent = element.getparent()
    if parent is None:
        return
    before = element.getprevious()
    if element.tail:
        if before is not None:
            before.tail = (before.tail or "") + element.tail
        else:
            parent.text = (parent.text or "") + element.tail
    parent.remove(element)
