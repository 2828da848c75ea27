"""Small builders of entities.xml, in the shape that Confluence writes."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Self

from core.domain.document import SourceDocument
from sync.sources.base import FailedDocument
from sync.sources.confluence_xml import ConfluenceXmlSource

HEAD = '<?xml version="1.0" encoding="UTF-8"?>\n<hibernate-generic datetime="2026-11-29 10:00:00">\n'
TAIL = "</hibernate-generic>\n"


def prop(name: str, text: object = "", *, cdata: bool = True) -> str:
    """A property that holds text; without any, an empty one."""
    if text == "":
        return f'<property name="{name}"/>'
    return f'<property name="{name}">{f"<![CDATA[{text}]]>" if cdata else text}</property>'


def ref(name: str, kind: str, key: object, id_name: str = "id") -> str:
    """A property that refers to another object."""
    return f'<property name="{name}" class="{kind}" package="p"><id name="{id_name}">{key}</id></property>'


def many(name: str, kind: str, keys: Iterable[object]) -> str:
    """A collection that refers to other objects."""
    elements = "".join(f'<element class="{kind}" package="p"><id name="id">{key}</id></element>' for key in keys)
    return f'<collection name="{name}" class="java.util.Collection">{elements}</collection>'


def thing(kind: str, key: object, *parts: str, id_name: str = "id") -> str:
    """An object."""
    return (
        f'<object class="{kind}" package="p">\n<id name="{id_name}">{key}</id>\n' + "\n".join(parts) + "\n</object>\n"
    )


class Dump:
    """An export in the making. Each method adds objects and returns the dump itself."""

    def __init__(self, *, space: str = "S", open_to: str = "group:staff") -> None:
        self._objects: list[str] = []
        self._next = 9_000
        self._space = space
        self.raw(thing("Space", space, prop("name", f"Space {space}"), prop("key", space)))
        for holder in filter(None, open_to.split(",")):
            self.viewspace(holder)

    def raw(self, xml: str) -> Self:
        self._objects.append(xml)
        return self

    def page(
        self,
        key: int,
        title: str,
        body: str | None = None,
        *more: str,
        parent: int | None = None,
        kind: str = "Page",
        body_type: int = 2,
        space: str = "",
    ) -> Self:
        parts = [prop("title", title), prop("version", 1, cdata=False), *more]
        if 'name="contentStatus"' not in "".join(more):
            parts.append(prop("contentStatus", "current"))
        parts.append(ref("space", "Space", space or self._space))
        if parent is not None:
            parts.append(ref("parent", "Page", parent))
        self.raw(thing(kind, key, *parts))
        return self if body is None else self.body(key, body, kind=kind, body_type=body_type)

    def body(self, key: int, body: str, *, kind: str = "Page", body_type: int = 2) -> Self:
        escaped = body.replace("]]>", "]] >")  # as Confluence does
        parts = (prop("body", escaped), ref("content", kind, key), prop("bodyType", body_type, cdata=False))
        return self.raw(thing("BodyContent", self._fresh(), *parts))

    def viewspace(self, holder: str, *, kind: str = "VIEWSPACE", space: str = "") -> Self:
        """`group:NAME`, `user:KEY`, `all` (whoever is logged in) or `anonymous`."""
        what, _, name = holder.partition(":")
        parts = [prop("type", kind), ref("space", "Space", space or self._space)]
        parts.append(prop("group", name if what == "group" else ""))
        if what == "user":
            parts.append(ref("userSubject", "ConfluenceUserImpl", name, "key"))
        parts.append(prop("allUsersSubject", "authenticated-users" if what == "all" else ""))
        return self.raw(thing("SpacePermission", self._fresh(), *parts))

    def restrict(self, page: int, *holders: str, kind: str = "View", listed: bool = False) -> Self:
        """A restriction of a page. Unless `listed`, the set leaves out what it holds."""
        set_id = self._fresh()
        ids = [self._fresh() for _ in holders]
        parts = [prop("type", kind), ref("owningContent", "Page", page)]
        if listed:
            parts.append(many("contentPermissions", "ContentPermission", ids))
        self.raw(thing("ContentPermissionSet", set_id, *parts))
        for key, holder in zip(ids, holders, strict=True):
            self.permission(set_id, holder, kind=kind, key=key)
        return self

    def permission(self, set_id: int, holder: str, *, kind: str = "View", key: int = 0) -> Self:
        what, _, name = holder.partition(":")
        subject = (
            prop("groupName", name)
            if what == "group"
            else ref("userSubject", "ConfluenceUserImpl", name, "key") + prop("groupName")
        )
        owner = ref("owningSet", "ContentPermissionSet", set_id)
        return self.raw(thing("ContentPermission", key or self._fresh(), prop("type", kind), subject, owner))

    def user(self, key: str, name: str, email: str = "", display: str = "") -> Self:
        """A user; the directory's record, which has the name that people write, only with `display`."""
        own = "" if display else email
        self.raw(thing("ConfluenceUserImpl", key, prop("name", name), prop("email", own), id_name="key"))
        if display:
            parts = (prop("name", name), prop("displayName", display), prop("emailAddress", email))
            self.raw(thing("InternalUser", self._fresh(), *parts))
        return self

    def attachment(self, key: int, page: int, title: str, *more: str, version: int = 1, media_type: str = "") -> Self:
        properties = ""
        if media_type:
            name = self._fresh()
            self.raw(thing("ContentProperty", name, prop("name", "MEDIA_TYPE"), prop("stringValue", media_type)))
            properties = many("contentProperties", "ContentProperty", [name])
        parts = [prop("title", title), prop("version", version, cdata=False), ref("containerContent", "Page", page)]
        if 'name="contentStatus"' not in "".join(more):
            parts.append(prop("contentStatus", "current"))
        return self.raw(thing("Attachment", key, *parts, properties, *more))

    def label(self, page: int, name: str, namespace: str = "global") -> Self:
        key = self._fresh()
        self.raw(thing("Label", key, prop("name", name), prop("namespace", namespace)))
        return self.raw(thing("Labelling", self._fresh(), ref("label", "Label", key), ref("content", "Page", page)))

    def text(self) -> str:
        return HEAD + "".join(self._objects) + TAIL

    def write(self, folder: Path, **files: str) -> ConfluenceXmlSource:
        """Write the export into a folder, with access.toml and users.toml where their texts are given."""
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "entities.xml").write_text(self.text(), "utf-8")
        for name, text in files.items():
            (folder / f"{name}.toml").write_text(text, "utf-8")
        return ConfluenceXmlSource("wiki", folder)

    def _fresh(self) -> int:
        self._next += 1
        return self._next


def documents(source: ConfluenceXmlSource) -> dict[str, SourceDocument]:
    return {found.key: found for found in source.read() if isinstance(found, SourceDocument)}


def failures(source: ConfluenceXmlSource) -> dict[str, str]:
    return {found.key: found.sentence for found in source.read() if isinstance(found, FailedDocument)}


def text_of(document: SourceDocument) -> str:
    return "\n".join(" | ".join(block.cells) or block.text for block in document.blocks)
