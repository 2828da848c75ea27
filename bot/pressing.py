"""Who pressed a button below an answer, and where: looked up again each time, never taken from the button."""

from __future__ import annotations

from dataclasses import dataclass

from bot.identity import Directory, Person
from bot.incoming import Incoming, PressedButton, Surface
from bot.tenancy import Tenancy
from core.errors import SettingsError


@dataclass(frozen=True, slots=True)
class Press:
    """A pressed button with the workspace that it came from, as Bolt found it out."""

    payload: PressedButton
    team_id: str
    enterprise_id: str = ""

    @property
    def user_id(self) -> str:
        """Who pressed it."""
        return self.payload.user.id

    @property
    def channel_id(self) -> str:
        """The conversation of the message that it stands below; empty in a modal."""
        return self.payload.channel.id or self.payload.container.channel_id

    @property
    def thread_ts(self) -> str:
        """The thread of that message; empty outside one."""
        return self.payload.container.thread_ts

    @property
    def place(self) -> str:
        """The channel whose members see the message; empty where only this person does."""
        return "" if self.channel_id.startswith("D") else self.channel_id

    @property
    def value(self) -> str:
        """What the button carries. It is not believed."""
        return self.payload.actions[0].value if self.payload.actions else ""

    def incoming(self, surface: Surface) -> Incoming:
        """As the audit record knows it."""
        return Incoming(surface, self.team_id, self.user_id, self.channel_id, "", self.enterprise_id)


async def who_pressed(press: Press, tenancy: Tenancy, directory: Directory) -> Person:
    """Find out who pressed a button, and what they hold at this moment.

    Raises:
        SettingsError: the workspace has no tenant, or the groups file cannot be read.
        SlackError: it cannot be found out. Then nothing may be shown to them.
    """
    tenant_id = tenancy.tenant_of(press.team_id, press.enterprise_id)
    if tenant_id is None:
        raise SettingsError("The workspace is mapped to no tenant: name it under `teams` in the settings.")
    return await directory.person(press.user_id, tenant_id)
