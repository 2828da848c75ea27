"""What the objects of an XML export say, as far as it matters here. Ids and texts that are not known are empty."""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Content:
    """A page, blog post, attachment, comment, or whatever else has a title and a place. Ids are empty when unknown."""

    id: str
    kind: str
    title: str
    space: str
    parent: str
    container: str
    version: int
    status: str
    original: str
    creator: str
    created: str
    modifier: str
    modified: str
    note: str
    media_type: str
    damaged: bool


@dataclass(frozen=True, slots=True)
class Body:
    """The markup of a page. `type` is 2 for storage format, 0 for wiki markup."""

    type: str
    text: str
    damaged: bool


@dataclass(frozen=True, slots=True)
class Space:
    """A space."""

    id: str
    key: str
    name: str
    status: str


@dataclass(frozen=True, slots=True)
class Permission:
    """Somebody who may: a user, by key or user name, a group, or (`all_users`) whoever is logged in."""

    user: str
    group: str
    all_users: bool = False


@dataclass(frozen=True, slots=True)
class PermissionSet:
    """A restriction of one page. Its type is empty where neither it nor what it holds says it."""

    type: str
    permissions: tuple[Permission, ...]


@dataclass(frozen=True, slots=True)
class Person:
    """What the export says of a user; often next to nothing."""

    key: str
    name: str
    email: str
    display: str
    account: str


@dataclass(frozen=True, slots=True)
class OldVersion:
    """A version of a page or attachment that is no longer the current one."""

    key: str
    """Of the document whose version it was."""
    number: int
    author: str
    modified_at: dt.datetime | None
    comment: str


@dataclass(frozen=True, slots=True)
class Comment:
    """What somebody said of a page; it is no part of what the page says."""

    page_key: str
    author: str
    written_at: dt.datetime | None
    text: str
