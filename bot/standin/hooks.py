"""Answers that do not go through the Web API: response URLs, and the payload of an acknowledgement."""

import json

from aiohttp import web

from bot.standin import limits
from bot.standin.api import Backstage
from bot.standin.api.chat import replace_content
from bot.standin.api.content import Content
from bot.standin.api.views import read_view, replace_view
from bot.standin.block_checks import find_problems, with_block_ids
from bot.standin.delivery import Delivery, DeliveryKind
from bot.standin.model import Json, Message
from bot.standin.problems import ApiError
from bot.standin.web_api import WebApi

KNOWN_KEYS = frozenset(
    [
        "text",
        "blocks",
        "attachments",
        "response_type",
        "replace_original",
        "delete_original",
        "unfurl_links",
        "unfurl_media",
        "thread_ts",
        "metadata",
        "mrkdwn",
    ]
)


class Hooks:
    """Takes what the bot writes to response URLs and in acknowledgements."""

    def __init__(self, backstage: Backstage, web_api: WebApi) -> None:
        self._backstage = backstage
        self._web_api = web_api

    # -- response URLs --------------------------------------------------------------------------------------------

    async def handle(self, request: web.Request) -> web.StreamResponse:
        """Answer a POST to a response URL: `ok`, or 404 when it is used up or too old, 400 when the body is wrong."""
        path = request.path.removeprefix("/hooks")
        try:
            body = json.loads(await request.text())
        except ValueError:
            return web.Response(status=400, text="invalid_payload")
        try:
            ticket = self._backstage.tickets.use(path)
        except ApiError as error:
            return web.json_response({"ok": False, "error": error.error}, status=404)
        try:
            self._write(body, ticket.user_id, ticket.channel_id, ticket.original)
        except ApiError as error:
            self._record(error, body)
            return web.Response(status=400, text=error.error)
        return web.Response(text="ok")

    def _write(self, body: Json, user_id: str, channel_id: str, original: Message | None = None) -> None:
        for key in sorted(body.keys() - KNOWN_KEYS):
            self._web_api.violate("response_url", "unknown_argument", key, body)
        if body.get("delete_original"):
            if original is not None:
                original.deleted = True
            self._backstage.workspace.touched()
            return
        content = self._content(body)
        if body.get("replace_original") and original is not None:
            replace_content(original, content)
            self._backstage.workspace.touched()
            return
        message = Message(
            ts=self._backstage.workspace.new_ts(),
            channel_id=channel_id,
            user=self._backstage.app.bot_user_id,
            text=content.text or "",
            team_id=self._backstage.workspace.home_team.id,
            thread_ts=body.get("thread_ts"),
            bot_id=self._backstage.app.bot_id,
            app_id=self._backstage.app.app_id,
            blocks=content.blocks or [],
            attachments=content.attachments or [],
            ephemeral_to=None if body.get("response_type") == "in_channel" else user_id,
        )
        self._backstage.workspace.add_message(message)
        if message.ephemeral_to is None:
            self._backstage.announcer.message_posted(message)

    def _content(self, body: Json) -> Content:
        blocks = body.get("blocks")
        if blocks is not None:
            problems = find_problems(blocks)
            if problems:
                raise ApiError("invalid_blocks", problems=problems, is_violation=True)
            blocks = with_block_ids(blocks, lambda: self._backstage.workspace.new_id("b"))
        text = str(body.get("text") or "")
        if not (text.strip() or blocks or body.get("attachments")):
            raise ApiError("no_text", is_violation=True)
        if len(text) > limits.MESSAGE_TEXT:
            raise ApiError("msg_too_long", is_violation=True)
        return Content(text, blocks, body.get("attachments"), None)

    # -- acknowledgements -----------------------------------------------------------------------------------------

    def settled(self, delivery: Delivery) -> None:
        """Do what the acknowledgement of a command or a submission says; show the person that it failed, if it did."""
        answer = delivery.answer or {}
        try:
            if delivery.kind is DeliveryKind.SLASH:
                self._slash_answer(delivery, answer)
            elif delivery.payload.get("type") == "view_submission":
                self._submission_answer(delivery, answer)
        except ApiError as error:
            self._record(error, answer)

    def _slash_answer(self, delivery: Delivery, answer: Json) -> None:
        user_id, channel_id = delivery.payload["user_id"], delivery.payload["channel_id"]
        if delivery.error:
            text = f"{delivery.name} failed with the error “{delivery.error}”"
            self._slackbot_says(text, user_id, channel_id)
        elif answer:
            self._write(answer, user_id, channel_id)

    def _slackbot_says(self, text: str, user_id: str, channel_id: str) -> None:
        workspace = self._backstage.workspace
        workspace.add_message(
            Message(workspace.new_ts(), channel_id, "USLACKBOT", text, workspace.home_team.id, ephemeral_to=user_id)
        )

    def _submission_answer(self, delivery: Delivery, answer: Json) -> None:
        view = self._backstage.workspace.views[delivery.payload["view"]["id"]]
        if delivery.error:
            view.errors = {"": "We had some trouble connecting. Try again?"}
            return
        action = answer.get("response_action")
        if action == "errors":
            view.errors = dict(answer["errors"])
        elif action == "update":
            replace_view(self._backstage, view, read_view(self._backstage, answer.get("view"), kinds=("modal",)))
        elif action == "push":
            payload = read_view(self._backstage, answer.get("view"), kinds=("modal",))
            self._backstage.workspace.add_view(view.user_id, payload, previous=view)
        elif action == "clear":
            for other in self._backstage.workspace.open_views(view.user_id):
                other.closed = True
        elif action is None:
            view.closed = True
        else:
            raise ApiError("invalid_response_action", is_violation=True)

    def _record(self, error: ApiError, body: Json) -> None:
        if error.is_violation:
            self._web_api.violate("response_url", error.error, str(error), body)
