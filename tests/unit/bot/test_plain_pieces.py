"""What Slack does not take as blocks is said as text."""

from __future__ import annotations

from bot.rendering import Message
from bot.reply import in_plain_pieces


def test_the_labels_of_buttons_are_no_part_of_the_text() -> None:
    button = {"type": "button", "text": {"type": "plain_text", "text": "Show evidence"}, "action_id": "evidence"}
    blocks = (
        {"type": "section", "text": {"type": "mrkdwn", "text": "23 days a year."}},
        {"type": "actions", "elements": [button]},
        {"type": "context_actions", "elements": [{"type": "feedback_buttons", "positive_button": button}]},
    )
    assert [piece.text for piece in in_plain_pieces(Message("23 days", blocks))] == ["23 days a year."]
