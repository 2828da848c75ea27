"""`testigo start`: what `make run` does."""

from __future__ import annotations

import sys

import click

from bot.cli.application import Application
from bot.cli.demo import run_demo
from bot.cli.playground import run_playground
from bot.cli.serve import run_server
from bot.cli.sync import run_sync


@click.command()
@click.pass_obj
def start(application: Application) -> None:
    """Serve Slack when `.env` has its tokens, else the playground; without a terminal, print sample answers."""
    if not application.settings.serves_slack:
        if has_terminal():
            run_playground(application)
        else:
            run_demo(application)
        return
    if not application.settings.sources:
        click.echo("There is no testigo.toml with sources: serving the sample corpus.", err=True)
        application = application.sample()
    run_sync(application, None, asked_by="start", brief=True)
    run_server(application)


def has_terminal() -> bool:
    """Whether somebody sits before standard input."""
    return sys.stdin.isatty()
