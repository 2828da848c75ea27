"""One module for each kind of export."""

from core.settings import SourceKind, SourceSettings
from sync.parsing.formats import AS_USUAL, FileReader
from sync.sources.base import Source
from sync.sources.confluence_html import ConfluenceHtmlSource
from sync.sources.confluence_xml import ConfluenceXmlSource
from sync.sources.drive import DriveSource
from sync.sources.folder import FolderSource


def open_source(settings: SourceSettings, files: FileReader = AS_USUAL) -> Source:
    """The source that a `[[sources]]` table describes. Opening reads nothing."""
    match settings.kind:
        case SourceKind.CONFLUENCE_HTML:
            return ConfluenceHtmlSource(settings.name, settings.path, settings.access_file, files=files)
        case SourceKind.CONFLUENCE_XML:
            return ConfluenceXmlSource(
                settings.name,
                settings.path,
                base_url=settings.base_url,
                access_file=settings.access_file,
                users_file=settings.users_file,
                files=files,
            )
        case SourceKind.DRIVE:
            return DriveSource(settings.name, settings.path, settings.access_file, files=files)
        case SourceKind.FOLDER:
            return FolderSource(settings.name, settings.path, settings.access_file, files=files)
