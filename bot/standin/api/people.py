"""`users.*`, `usergroups.*`, `team.info`, `bots.info`, `auth.test`: who is who."""

from bot.standin import shapes
from bot.standin.api.pages import page_of
from bot.standin.api.registry import Backstage, answers
from bot.standin.arguments import Arguments
from bot.standin.model import Json, User
from bot.standin.problems import ApiError


@answers("auth.test")
def auth_test(backstage: Backstage, args: Arguments) -> Json:
    """Say whose token it is."""
    team = backstage.workspace.home_team
    return {
        "url": f"https://{team.domain}.slack.com/",
        "team": team.name,
        "user": backstage.app.name,
        "team_id": team.id,
        "user_id": backstage.app.bot_user_id,
        "bot_id": backstage.app.bot_id,
        "is_enterprise_install": False,
    } | ({"enterprise_id": team.enterprise_id} if team.enterprise_id else {})


@answers("users.info")
def users_info(backstage: Backstage, args: Arguments) -> Json:
    """Describe a user; the e-mail only with `users:read.email`."""
    user = backstage.workspace.users.get(args.text("user"))
    if user is None:
        raise ApiError("user_not_found")
    return {"user": _user(backstage, user, with_locale=args.flag("include_locale"))}


@answers("users.lookupByEmail")
def lookup_by_email(backstage: Backstage, args: Arguments) -> Json:
    """Find a user by e-mail."""
    user = backstage.workspace.user_by_email(args.text("email"))
    if user is None:
        raise ApiError("users_not_found")
    return {"user": _user(backstage, user)}


@answers("users.list")
def users_list(backstage: Backstage, args: Arguments) -> Json:
    """List all users, page by page."""
    page, metadata = page_of(list(backstage.workspace.users.values()), args)
    with_locale = args.flag("include_locale")
    return {
        "members": [_user(backstage, user, with_locale=with_locale) for user in page],
        "cache_ts": int(backstage.clock.now()),
        "response_metadata": metadata,
    }


@answers("usergroups.list")
def usergroups_list(backstage: Backstage, args: Arguments) -> Json:
    """List the user groups."""
    groups = [
        shapes.usergroup_json(group, with_users=args.flag("include_users"), with_count=args.flag("include_count"))
        for group in backstage.workspace.usergroups.values()
        if not group.disabled or args.flag("include_disabled")
    ]
    return {"usergroups": groups}


@answers("usergroups.users.list")
def usergroups_users_list(backstage: Backstage, args: Arguments) -> Json:
    """List the members of a user group."""
    group = backstage.workspace.usergroups.get(args.text("usergroup"))
    if group is None or (group.disabled and not args.flag("include_disabled")):
        raise ApiError("no_such_subteam")
    return {"users": list(group.members)}


@answers("team.info")
def team_info(backstage: Backstage, args: Arguments) -> Json:
    """Describe a workspace."""
    team = backstage.workspace.teams.get(args.text("team") or backstage.workspace.home_team.id)
    if team is None:
        raise ApiError("team_not_found")
    return {"team": shapes.team_json(team)}


@answers("bots.info")
def bots_info(backstage: Backstage, args: Arguments) -> Json:
    """Describe a bot."""
    bot_id = args.text("bot") or backstage.app.bot_id
    if bot_id == backstage.app.bot_id:
        return {"bot": shapes.bot_json(backstage.app, backstage.workspace.home_team.id)}
    for user in backstage.workspace.users.values():
        if user.bot_id == bot_id:
            return {"bot": {"id": bot_id, "name": user.name, "user_id": user.id, "app_id": user.app_id}}
    raise ApiError("bot_not_found")


def _user(backstage: Backstage, user: User, *, with_locale: bool = False) -> Json:
    with_email = "users:read.email" in backstage.app.scopes
    return shapes.user_json(user, with_email=with_email, with_locale=with_locale)
