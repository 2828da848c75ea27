"""`/rag-settings`: the form of what holds in a place, opened, submitted, reset.

The form opens at once, because Slack's trigger lasts three seconds. What it carries is sealed, and believed only for
the person for whom it was opened; whether they may set anything there is found out again at each step.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Mapping
from dataclasses import dataclass, replace

from slack_sdk.web.async_client import AsyncWebClient

from bot.asides import tell
from bot.auditing import Auditor
from bot.failures import NO_EVENT, log_failure, new_code
from bot.home_lookups import HomeLookups
from bot.identity import Directory, Person
from bot.incoming import Incoming, SlashCommand, SubmittedView, Surface
from bot.modals import LOOK_UP_SECONDS, open_modal, put_view
from bot.places import Places
from bot.pressing import Press
from bot.reindexing import is_admin
from bot.rendering import error_kind, sentence
from bot.rendering.blocks import View
from bot.rendering.errors import ErrorKind, error_sentence
from bot.rendering.settings_view import (
    ANSWERS_INPUT,
    FOLLOW_UPS_INPUT,
    LANGUAGE_INPUT,
    MODE_INPUT,
    ON,
    SOURCES_INPUT,
    SettingsForm,
    render_settings,
    render_settings_sentence,
)
from bot.sealing import Sealing
from bot.settings_rights import SettingsRights
from bot.tenancy import Tenancy
from bot.words import Words
from core.domain.auditing import AuditKind
from core.errors import SettingsError, SlackError
from core.settings import ChannelSettingsBy, Mode, Settings
from core.store.place_settings import AnswerLanguage, AnswersIn, PlaceSettings

logger = logging.getLogger("testigo.settings")

SUBMIT_SECONDS = 2.5
"""Slack waits three seconds for what becomes of a form."""
PURPOSE = "place settings"


class NotAllowedError(Exception):
    """This person may not set anything there, or the form is not theirs. `said` is what they are told."""

    def __init__(self, said: str) -> None:
        super().__init__("not allowed")
        self.said = said


@dataclass(frozen=True, slots=True)
class Submitted:
    """What becomes of a submitted form: `errors` under its fields, a view in its place, or it was kept for a place."""

    errors: Mapping[str, str] | None = None
    view: View | None = None
    saved_in: str = ""


@dataclass(frozen=True, slots=True)
class _Setter:
    """Somebody who may set a place, at this moment."""

    person: Person
    form: SettingsForm
    incoming: Incoming
    words: Words


class PlaceSetting:
    """Opens and takes forms. Raises nothing: whoever acts is told."""

    def __init__(
        self,
        client: AsyncWebClient,
        settings: Settings,
        places: Places,
        tenancy: Tenancy,
        directory: Directory,
        auditor: Auditor,
        lookups: HomeLookups | None = None,
    ) -> None:
        """Without `lookups` only admins can choose sources: it is not known who may read something of which."""
        self._client = client
        self._settings = settings
        self._places = places
        self._tenancy = tenancy
        self._directory = directory
        self._auditor = auditor
        self._lookups = lookups
        self._rights = SettingsRights(client, settings)
        self._sealing = Sealing(client.token or "", PURPOSE)

    async def open(self, command: SlashCommand, team_id: str, enterprise_id: str) -> None:
        """Open the form of the place where the command was typed."""
        user_id = command.user_id
        words = Words(await self._directory.locale(user_id))
        view_id = await open_modal(
            self._client,
            render_settings_sentence(words.settings_loading(), words),
            sentence(words.settings_not_opened()),
            trigger_id=command.trigger_id,
            user_id=user_id,
            channel_id=command.channel_id,
        )
        if view_id is None:
            return
        form = SettingsForm(self._tenancy.tenant_of(team_id, enterprise_id) or "", command.channel_id, user_id)
        incoming = Incoming(Surface.SETTINGS, team_id, user_id, command.channel_id, "", enterprise_id)
        await self._update(view_id, incoming, form, words)

    async def submit(self, submitted: SubmittedView, team_id: str, enterprise_id: str) -> Submitted:
        """Keep what a form says, if all of it can be kept."""
        user_id = submitted.user.id
        words = Words(None)
        try:
            async with asyncio.timeout(SUBMIT_SECONDS):
                words = Words(await self._directory.locale(user_id))
                setter = await self._opened(submitted.view.private_metadata, user_id, team_id, enterprise_id, words)
                return await self._keep(submitted, setter)
        except NotAllowedError as error:
            return Submitted(view=render_settings_sentence(error.said, words))
        except Exception as error:
            return Submitted(view=render_settings_sentence(_failure(error, words), words))

    async def reset(self, press: Press) -> None:
        """Go back to the defaults in the place of an open form, and draw it again."""
        words = Words(await self._directory.locale(press.user_id))
        view_id = press.payload.view.id
        try:
            async with asyncio.timeout(LOOK_UP_SECONDS):
                setter = await self._opened(
                    press.payload.view.private_metadata, press.user_id, press.team_id, press.enterprise_id, words
                )
                await self._note(setter, action="reset_settings")
                await self._places.reset(setter.form.tenant_id, setter.form.place)
                view = await self._form(setter)
        except NotAllowedError as error:
            view = render_settings_sentence(error.said, words)
        except Exception as error:
            view = render_settings_sentence(_failure(error, words), words)
        await put_view(self._client, view_id, view)

    async def _update(self, view_id: str, incoming: Incoming, form: SettingsForm, words: Words) -> None:
        try:
            async with asyncio.timeout(LOOK_UP_SECONDS):
                view = await self._form(await self._setter(form, incoming))
        except NotAllowedError as error:
            view = render_settings_sentence(error.said, words)
        except Exception as error:
            view = render_settings_sentence(_failure(error, words), words)
        await put_view(self._client, view_id, view)

    async def _opened(self, metadata: str, user_id: str, team_id: str, enterprise_id: str, words: Words) -> _Setter:
        """Who acts in a form that was opened for them.

        Raises:
            NotAllowedError: it was opened for somebody else, or elsewhere, or its seal is not ours.
        """
        said = self._sealing.open(metadata)
        form = SettingsForm.parse(said) if said is not None else None
        tenant_id = self._tenancy.tenant_of(team_id, enterprise_id) or ""
        place = form.place if form is not None else ""
        incoming = Incoming(Surface.SETTINGS, team_id, user_id, place, "", enterprise_id)
        if form is None or form.user_id != user_id or form.tenant_id != tenant_id:
            logger.warning("a form came from somebody for whom it was not opened")
            await self._auditor.note(AuditKind.DENIED, tenant_id, incoming, action="settings")
            raise NotAllowedError(words.settings_stale())
        return await self._setter(form, incoming)

    async def _setter(self, form: SettingsForm, incoming: Incoming) -> _Setter:
        """Who acts, if they may.

        Raises:
            NotAllowedError: they may not.
            SlackError, SettingsError: it cannot be found out who they are.
        """
        if not form.tenant_id:
            raise NotAllowedError(Words(await self._directory.locale(form.user_id)).error_settings())
        person = await self._directory.person(form.user_id, form.tenant_id)
        words = Words(person.locale)
        if not await self._rights.may_set(person, form.place):
            await self._auditor.note(AuditKind.DENIED, form.tenant_id, incoming, action="settings")
            raise NotAllowedError(self._denial(person, words))
        return _Setter(person, form, incoming, words)

    def _denial(self, person: Person, words: Words) -> str:
        if not person.is_known:
            return words.refused_person()
        if self._settings.channel_settings_by is ChannelSettingsBy.CREATOR:
            return words.settings_denied_creator()
        return words.settings_denied()

    async def _form(self, setter: _Setter) -> View:
        form = setter.form
        now = await self._places.settings(form.tenant_id, form.place)
        sources = await self._sources(setter.person)
        return render_settings(form, self._sealing.seal(form.to_metadata()), now, sources, setter.words)

    async def _sources(self, person: Person) -> list[str]:
        """The sources that somebody can choose: an admin all, others those that they may read something of."""
        known = [source.name for source in self._settings.sources]
        if is_admin(person, self._settings):
            return known
        if self._lookups is None:
            return []
        readable = {each.source for each in await asyncio.to_thread(self._lookups.readable, person.reader)}
        return [name for name in known if name in readable]

    async def _keep(self, submitted: SubmittedView, setter: _Setter) -> Submitted:
        form, words = setter.form, setter.words
        before = await self._places.settings(form.tenant_id, form.place)
        known = {source.name for source in self._settings.sources}
        before = replace(before, sources=tuple(source for source in before.sources if source in known))
        wanted, errors = _wanted(submitted, before, await self._sources(setter.person), words, form)
        if errors:
            return Submitted(errors=errors)
        await self._note(
            setter,
            action="settings",
            sources=len(wanted.sources),
            mode=wanted.mode.value,
            answers_in=wanted.answers_in.value,
            follow_ups=wanted.follow_ups,
            language=wanted.language.value,
        )
        await self._places.set(form.tenant_id, form.place, wanted, by=setter.person.user_id)
        return Submitted(saved_in=form.place)

    async def confirm(self, user_id: str, place: str) -> None:
        """Tell somebody that what they submitted is kept."""
        words = Words(await self._directory.locale(user_id))
        await tell(self._client, sentence(words.settings_saved()), user_id=user_id, channel_id=place)

    async def _note(self, setter: _Setter, **facts: object) -> None:
        kind = AuditKind.OWN if setter.form.is_direct else AuditKind.ADMIN
        await self._auditor.note(kind, setter.form.tenant_id, setter.incoming, **facts)


def _wanted(
    submitted: SubmittedView, before: PlaceSettings, sources: list[str], words: Words, form: SettingsForm
) -> tuple[PlaceSettings, dict[str, str]]:
    """What a form says, with a sentence for each field that cannot be kept.

    Sources that the person cannot choose stay as they were set, so that nobody undoes what they do not see.
    """
    errors: dict[str, str] = {}
    view = submitted.view
    chosen = [option.value for option in view.input(SOURCES_INPUT).selected_options]
    if not set(chosen) <= set(sources):
        errors[SOURCES_INPUT] = words.settings_wrong_source()
    unseen = [source for source in before.sources if source not in sources]
    mode = view.input(MODE_INPUT).selected_option.value
    if mode not in set(Mode):
        errors[MODE_INPUT] = words.settings_wrong_choice()
    language = view.input(LANGUAGE_INPUT).selected_option.value
    if language not in set(AnswerLanguage):
        errors[LANGUAGE_INPUT] = words.settings_wrong_choice()
    answers_in: str = before.answers_in
    follow_ups = before.follow_ups
    if not form.is_direct:
        answers_in = view.input(ANSWERS_INPUT).selected_option.value
        if answers_in not in set(AnswersIn):
            errors[ANSWERS_INPUT] = words.settings_wrong_choice()
        follow_ups = any(option.value == ON for option in view.input(FOLLOW_UPS_INPUT).selected_options)
    if errors:
        return before, errors
    wanted = PlaceSettings((*chosen, *unseen), Mode(mode), AnswersIn(answers_in), follow_ups, AnswerLanguage(language))
    return wanted, {}


def _failure(error: Exception, words: Words) -> str:
    code = new_code()
    log_failure(NO_EVENT, error, code)
    kind = ErrorKind.PERMISSION_CHECK if isinstance(error, SlackError | SettingsError) else error_kind(error)
    return f"{error_sentence(kind, words)} {words.error_code(code)}"
