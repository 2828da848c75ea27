"""`apps.connections.open`: the address of a new websocket."""

from bot.standin.api.registry import Backstage, answers
from bot.standin.arguments import Arguments
from bot.standin.model import Json


@answers("apps.connections.open")
def open_connection(backstage: Backstage, args: Arguments) -> Json:
    """Hand out a websocket address that works once."""
    ticket = backstage.sockets.issue_ticket()
    return {"url": f"{backstage.socket_address}?ticket={ticket}&app_id={backstage.app.app_id}"}
