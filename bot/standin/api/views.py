"""`views.*`: modals and the home tab."""

from bot.standin import limits, shapes
from bot.standin.api.registry import Backstage, answers
from bot.standin.arguments import Arguments
from bot.standin.block_checks import with_block_ids
from bot.standin.model import Json, View
from bot.standin.problems import ApiError
from bot.standin.view_checks import require_valid_view


@answers("views.open")
def open_view(backstage: Backstage, args: Arguments) -> Json:
    """Open a modal for the person whose interaction gave the trigger id."""
    payload = read_view(backstage, args.json("view"), kinds=("modal",))
    user_id = _exchange(backstage, args)
    return _shown(backstage, backstage.workspace.add_view(user_id, payload))


@answers("views.push")
def push_view(backstage: Backstage, args: Arguments) -> Json:
    """Open a modal on top of the one in which the interaction took place."""
    payload = read_view(backstage, args.json("view"), kinds=("modal",))
    user_id = _exchange(backstage, args)
    stack = backstage.workspace.open_views(user_id)
    if not stack:
        raise ApiError("not_found")
    if len(stack) >= limits.VIEW_STACK:
        raise ApiError("push_limit_reached")
    return _shown(backstage, backstage.workspace.add_view(user_id, payload, previous=stack[-1]))


@answers("views.update")
def update_view(backstage: Backstage, args: Arguments) -> Json:
    """Replace what an open view shows."""
    payload = read_view(backstage, args.json("view"), kinds=("modal", "home"))
    view = _find(backstage, args)
    _require_hash(view, args)
    replace_view(backstage, view, payload)
    return _shown(backstage, view)


@answers("views.publish")
def publish_home(backstage: Backstage, args: Arguments) -> Json:
    """Publish a person's home tab."""
    payload = read_view(backstage, args.json("view"), kinds=("home",))
    if not backstage.app.home_tab:
        raise ApiError("not_enabled")
    user_id = args.text("user_id")
    if user_id not in backstage.workspace.users:
        raise ApiError("user_not_found")
    view = backstage.workspace.homes.get(user_id)
    if view is None:
        view = backstage.workspace.homes[user_id] = backstage.workspace.add_view(user_id, payload)
    else:
        _require_hash(view, args)
        replace_view(backstage, view, payload)
    return _shown(backstage, view)


def read_view(backstage: Backstage, view: object, *, kinds: tuple[str, ...]) -> Json:
    """Check a view and give its blocks ids."""
    payload = require_valid_view(view, kinds=kinds)
    return payload | {"blocks": with_block_ids(payload["blocks"], lambda: backstage.workspace.new_id("b"))}


def replace_view(backstage: Backstage, view: View, payload: Json) -> None:
    """Put new content into a view that is open."""
    view.payload = payload
    view.errors = {}
    view.hash = backstage.workspace.new_view_hash()
    backstage.workspace.touched()


def _exchange(backstage: Backstage, args: Arguments) -> str:
    return backstage.tickets.exchange(args.text("trigger_id") or args.text("interactivity_pointer")).user_id


def _find(backstage: Backstage, args: Arguments) -> View:
    if args.text("view_id"):
        view = backstage.workspace.views.get(args.text("view_id"))
    else:
        external_id = args.text("external_id")
        named = [view for view in backstage.workspace.views.values() if external_id and view.external_id == external_id]
        view = named[-1] if named else None
    if view is None or view.closed:
        raise ApiError("not_found")
    return view


def _require_hash(view: View, args: Arguments) -> None:
    if args.text("hash") and args.text("hash") != view.hash:
        raise ApiError("hash_conflict")


def _shown(backstage: Backstage, view: View) -> Json:
    return {"view": shapes.view_json(view, backstage.app, backstage.workspace.home_team.id)}
