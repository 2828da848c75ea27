"""What the elements and macros of Confluence's storage format look like to who reads the page, as an HTML tree."""

from __future__ import annotations

import re
from collections.abc import Callable

import lxml.html
from lxml import etree

from core.errors import ParsingError
from sync.parsing.confluence_conditions import is_condition, is_open_to_all
from sync.parsing.confluence_library import IncludedPage, PageReference, StorageLibrary
from sync.parsing.confluence_wiki import wiki_tree
from sync.parsing.tree import Element, line_of, text_of
from sync.parsing.tree_surgery import become, drop

HIDDEN_BY_MACRO = "Text that a macro shows to some of its readers only was left out."
NOT_INCLUDED = "It includes a page or an excerpt that is not in the export; that text is missing."
TOO_MANY_INCLUDES = "It includes more pages than can be read; the text of the others is missing."
UNKNOWN_PERSON = "(unknown user)"

_MOST_INCLUDES = 200

# Lists that Confluence makes anew for each reader, and what leaves no text.
_DROPPED = frozenset(
    {"toc", "anchor", "children", "pagetree", "pagetreesearch", "attachments", "gallery", "recently-updated"}
    | {"recently-updated-dashboard", "contentbylabel", "contentbyuser", "content-report-table", "blog-posts"}
    | {"blogposts", "livesearch", "search", "labels-list", "listlabels", "related-labels", "popular-labels"}
    | {"recently-used-labels", "contributors", "contributors-summary", "profile-picture", "space-details"}
    | {"space-attachments", "spaces-list", "spaces", "favpages", "change-history", "index", "navmap"}
    | {"global-reports", "create-from-template", "create-space-button", "tasks-report-macro", "detailssummary"}
    | {"userlister", "network", "rss", "jirachart", "jiraissues", "roadmap", "iframe", "widget", "multimedia"}
    | {"viewpdf", "viewppt", "viewdoc", "viewxls", "gadget", "html-include", "pageinfo", "include-page-list"}
    | {"bookmarks", "im", "spacejump", "junitreport", "cheese", "loremipsum", "drawio", "gliffy", "lucidchart"}
)  # fmt: skip
_CODE = {"code": "", "noformat": "", "code-block": "", "latex": "latex", "mathblock": "latex"} | {
    "mathinline": "latex", "plantuml": "plantuml", "mermaid": "mermaid", "graphviz": "graphviz", "markdown": "markdown",
}  # fmt: skip
_PANELS = {"info": "information", "note": "note", "tip": "tip", "warning": "warning", "panel": "panel"} | {
    "success": "success", "error": "error",
}  # fmt: skip
_INCLUDES = frozenset({"include", "excerpt-include", "multiexcerpt-include", "multiexcerpt-include-macro"})
_EXCERPTS = frozenset({"excerpt", "multiexcerpt", "multiexcerpt-macro"})
_PAGE_PARAMETERS = ("", "default", "page", "pageTitle", "PageWithExcerpt")
_PAGES = ("ri.page", "ri.blog-post", "ri.content-entity")
_FILE_NAME = re.compile(r"\.(?:png|jpe?g|gif|svg|webp|bmp|tiff?|heic)$", re.IGNORECASE)


class StorageRewriter:
    """Rewrites one body in place. Use an object once."""

    def __init__(self, library: StorageLibrary, key: str, space: str) -> None:
        self.included: dict[str, None] = {}
        self.warnings: dict[str, None] = {}
        self._library = library
        self._inside = [(key, space)]
        self._includes = 0
        self._elements: dict[str, Callable[[Element], None]] = {
            "ac.structured-macro": self._macro,
            "ac.macro": self._macro,
            "ac.link": self._link,
            "ac.image": self._image,
            "ac.emoticon": lambda element: become(element, "span", _emoji(element)),
            "ac.task-list": self._unwrap_as("ul"),
            "ac.task": self._task,
            "ac.adf-extension": self._adf_extension,
            "ac.adf-node": self._adf_node,
            "ac.inline-comment-marker": self._unwrap_as("span"),
            "ac.link-body": self._unwrap_as("span"),
            "ac.plain-text-link-body": self._unwrap_as("span"),
            "ac.adf-mark": self._unwrap_as("span"),
            "ac.caption": self._unwrap_as("p"),
            "time": self._time,
        }
        for dropped in ("parameter", "default-parameter", "task-id", "task-uuid", "task-status", "placeholder",
                        "adf-attribute", "adf-parameter", "adf-fallback", "plain-text-body"):  # fmt: skip
            self._elements[f"ac.{dropped}"] = drop

    def rewrite(self, parent: Element) -> None:
        """Rewrite all that stands inside an element."""
        for child in list(parent):
            if isinstance(child.tag, str):
                self._element(child)
            else:
                drop(child)

    def _element(self, element: Element) -> None:
        handler = self._elements.get(element.tag)
        if handler is not None:
            handler(element)
        elif element.tag.startswith(("ri.", "at.")):
            drop(element)
        elif element.tag.startswith("ac."):  # layouts, bodies, and what Confluence will think of next
            self._unwrap_as("div")(element)
        else:
            self.rewrite(element)

    def _unwrap_as(self, tag: str) -> Callable[[Element], None]:
        def unwrap(element: Element) -> None:
            element.tag = tag
            element.attrib.clear()
            self.rewrite(element)

        return unwrap

    # Macros

    def _macro(self, element: Element) -> None:
        name = (element.get("ac.name") or "").strip().casefold()
        parameters = {p.get("ac.name") or "": p for p in element.iterchildren("ac.parameter", "ac.default-parameter")}
        said = {key: text_of(parameter).strip() for key, parameter in parameters.items()}
        body = element.find("ac.rich-text-body")
        plain = element.find("ac.plain-text-body")
        if is_condition(name) and not is_open_to_all(name, said):
            self.warnings.setdefault(HIDDEN_BY_MACRO)
            drop(element)
        elif name in _DROPPED or (name in _EXCERPTS | {"details"} and said.get("hidden", "").casefold() == "true"):
            drop(element)
        elif name in _INCLUDES:
            self._include(element, name, parameters, said)
        elif name in _CODE and plain is not None:
            self._code(element, said.get("title", ""), said.get("language") or _CODE[name], text_of(plain))
        elif name in _PANELS or name == "expand":
            become(element, "div", panel=_PANELS.get(name, ""))
            self._fill(element, said.get("title", ""), body)
        elif name == "status":
            become(element, "span", f" {said.get('title') or said.get('colour', '')} ")
        elif name == "jira":
            become(element, "span", said.get("key", ""))
        elif name in {"profile", "user-profile", "mention"}:
            person = next(element.iter("ri.user"), None)
            named = said.get("user") or said.get("")
            become(element, "span", self._person(person) if person is not None else self._name(named or ""))
        elif name in {"view-file", "viewfile"}:
            become(element, "span", next((a.get("ri.filename") or "" for a in element.iter("ri.attachment")), ""))
        elif name == "html" and plain is not None:
            self._raw(element, text_of(plain), html=True)
        elif name == "unmigrated-wiki-markup" and plain is not None:
            self._raw(element, text_of(plain), html=False)
        elif body is not None:
            become(element, "div")
            self._fill(element, "", body)
        else:
            drop(element)

    def _fill(self, element: Element, title: str, body: Element | None) -> None:
        """Put a title and the body of a macro into the element that it became."""
        if title:
            line = etree.SubElement(element, "p")
            etree.SubElement(line, "strong").text = title
        if body is not None:
            body.tail = None
            element.append(body)
            self._unwrap_as("div")(body)

    @staticmethod
    def _code(element: Element, title: str, language: str, code: str) -> None:
        become(element, "div")
        if title:
            etree.SubElement(element, "p").text = title
        pre = etree.SubElement(element, "pre")
        pre.text = code
        if language and not any(character.isspace() for character in language):
            pre.set("class", f"language-{language}")

    def _raw(self, element: Element, markup: str, *, html: bool) -> None:
        """Put in what a macro's plain body says in another markup."""
        become(element, "div")
        if not markup.strip():
            return
        try:
            root = lxml.html.fragment_fromstring(markup, create_parent="div") if html else wiki_tree(markup)
        except (etree.ParserError, etree.XMLSyntaxError, ValueError):
            return
        element.append(root)
        self.rewrite(root)

    # Includes

    def _include(self, element: Element, name: str, parameters: dict[str, Element], said: dict[str, str]) -> None:
        page = next(
            (named for key in _PAGE_PARAMETERS if key in parameters and (named := self._named_page(parameters[key]))),
            None,
        )
        excerpt = said.get("name") or said.get("MultiExcerptName") or ""
        become(element, "div")
        if page is None:
            self.warnings.setdefault(NOT_INCLUDED)
            return
        self._includes += 1
        if self._includes > _MOST_INCLUDES:
            self.warnings.setdefault(TOO_MANY_INCLUDES)
            return
        found = self._looked_up(page)
        if found is None:
            self.warnings.setdefault(NOT_INCLUDED)
            return
        if any(found.key == key for key, _ in self._inside):  # a page that includes itself, perhaps by way of another
            return
        roots = [found.root] if name == "include" else _excerpts(found.root, excerpt)
        if not roots:
            self.warnings.setdefault(NOT_INCLUDED)
            return
        self.included.setdefault(found.key)
        self._inside.append((found.key, found.space))
        for root in roots:
            root.tail = None
            element.append(root)
            self._unwrap_as("div")(root)
        self._inside.pop()

    def _looked_up(self, page: PageReference) -> IncludedPage | None:
        try:
            return self._library.included(page)
        except ParsingError:  # reported with the page that is broken
            return None

    def _named_page(self, parameter: Element) -> PageReference | None:
        reference = next(parameter.iter(*_PAGES), None)
        if reference is not None:
            return self._page(reference)
        space, colon, title = line_of(parameter).rpartition(":")
        if not title:
            return None
        return PageReference(title.strip(), space.strip() if colon else self._inside[-1][1])

    def _page(self, reference: Element) -> PageReference:
        return PageReference(
            reference.get("ri.content-title") or "",
            reference.get("ri.space-key") or self._inside[-1][1],
            reference.get("ri.content-id") or "",
        )

    # Links, people, pictures

    def _link(self, element: Element) -> None:
        target = next((child for child in element if isinstance(child.tag, str) and child.tag.startswith("ri.")), None)
        body = next(element.iterchildren("ac.link-body", "ac.plain-text-link-body"), None)
        text = self._target_text(target) or (element.get("ac.anchor") or "" if target is None else "")
        address = ""
        if target is not None and target.tag in _PAGES:
            address = self._library.address(self._page(target))
        elif target is not None and target.tag == "ri.url":
            address = target.get("ri.value") or ""
        if body is None or not (text_of(body).strip() or next(body.iter("ac.image", "ac.emoticon"), None) is not None):
            become(element, "a", text)
        else:
            become(element, "a")
            self._fill(element, "", body)
            body.tag = "span"
        if address:
            element.set("href", address)

    def _target_text(self, target: Element | None) -> str:
        """What Confluence shows of a link without a text of its own."""
        if target is None:
            return ""
        match target.tag:
            case "ri.user":
                return self._person(target)
            case "ri.attachment":
                return target.get("ri.filename") or ""
            case "ri.space":
                return target.get("ri.space-key") or ""
            case "ri.url":
                return target.get("ri.value") or ""
            case "ri.shortcut":
                return target.get("ri.parameter") or ""
        return target.get("ri.content-title") or ""

    def _person(self, user: Element) -> str:
        name = user.get("ri.username") or ""
        references = [user.get("ri.account-id"), user.get("ri.userkey"), f"~{name}" if name else ""]
        names = (self._library.person(reference) for reference in references if reference)
        return next(filter(None, names), "") or name or UNKNOWN_PERSON

    def _name(self, reference: str) -> str:
        login = f"~{reference.removeprefix('~')}"
        return self._library.person(reference) or self._library.person(login) or UNKNOWN_PERSON

    def _image(self, element: Element) -> None:
        alternative = (element.get("ac.alt") or "").strip()
        caption = element.find("ac.caption")
        become(element, "span", "" if _FILE_NAME.search(alternative) else alternative)
        if caption is not None:
            caption.tail = None
            element.append(caption)
            self._unwrap_as("p")(caption)

    def _task(self, element: Element) -> None:
        done = (element.findtext("ac.task-status") or "").strip() == "complete"
        body = element.find("ac.task-body")
        become(element, "li")
        box = etree.SubElement(element, "input", type="checkbox")
        if done:
            box.set("checked", "")
        self._fill(element, "", body)

    def _time(self, element: Element) -> None:
        if not text_of(element).strip():
            become(element, "span", element.get("datetime") or "")

    # What the new editor writes

    def _adf_extension(self, element: Element) -> None:
        """Read the content, or, where there is none, what was written for who does not know it; never both."""
        if not any(text_of(content).strip() for content in element.iter("ac.adf-content")):
            for fallback in element.iterchildren("ac.adf-fallback"):
                fallback.tag = "ac.rich-text-body"
        self._unwrap_as("div")(element)

    def _adf_node(self, element: Element) -> None:
        attributes = {a.get("key"): text_of(a).strip() for a in element.iterchildren("ac.adf-attribute")}
        panel = attributes.get("panel-type", "panel") if element.get("type") == "panel" else ""
        self._unwrap_as("div")(element)
        if panel:
            element.set("data-panel", _PANELS.get(panel, "panel"))


def _excerpts(root: Element, name: str) -> list[Element]:
    """The bodies of a page's excerpts with a name; without one, that of the first."""
    macros = [m for m in root.iter("ac.structured-macro", "ac.macro") if (m.get("ac.name") or "") in _EXCERPTS]
    if name:
        wanted = name.casefold()
        macros = [m for m in macros if any(line_of(p).casefold() == wanted for p in m.iterchildren("ac.parameter"))]
    shown = (m for m in macros if not any(map(_is_hidden, m.iterancestors("ac.structured-macro", "ac.macro"))))
    bodies = (m.find("ac.rich-text-body") for m in shown)
    return [body for body in bodies if body is not None][:1]


def _is_hidden(macro: Element) -> bool:
    name = (macro.get("ac.name") or "").strip().casefold()
    said = {p.get("ac.name") or "": text_of(p).strip() for p in macro.iterchildren("ac.parameter")}
    return is_condition(name) and not is_open_to_all(name, said)


def _emoji(element: Element) -> str:
    """The character of an emoji; where it is not said, its name as `(tick)`, as an HTML export has it."""
    fallback = element.get("ac.emoji-fallback") or ""
    if fallback and not fallback.startswith(":"):
        return fallback
    codes = (element.get("ac.emoji-id") or "").split("-")
    if all(re.fullmatch(r"[0-9a-fA-F]{2,6}", code) and int(code, 16) <= 0x10FFFF for code in codes):
        return "".join(chr(int(code, 16)) for code in codes)
    name = (element.get("ac.name") or "").strip()
    return f"({name})" if name else ""
