"""A workspace in the browser: the real bot, served over the Slack stand-in, seen by whomever one chooses to be.

company     the sample company's people and channels, as users and conversations of the stand-in
session     the stand-in and the bot, running together
state       what one person may see of the workspace, in pieces
drawing     Block Kit with its texts parsed, ready to be drawn (mrkdwn, markdown)
acting      what a person does: writes, presses, submits
server      the page, on loopback, behind a token
static/     the page itself: plain ES modules, without a build step
"""

from bot.playground.server import PlaygroundServer
from bot.playground.session import Session, open_session

__all__ = ["PlaygroundServer", "Session", "open_session"]
