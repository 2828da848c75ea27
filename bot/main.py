"""The command line, and the composition root: the one module that joins `bot`, `core` and `sync`."""

from __future__ import annotations

import datetime as dt
import logging
import os
import sys
from collections.abc import Callable
from functools import cached_property
from pathlib import Path

import click
from rich.console import Console
from rich.text import Text
from sqlalchemy import Engine

from bot.cli.ask import ask
from bot.cli.audit import audit
from bot.cli.demo import SAMPLE_CONFIG, demo
from bot.cli.diff import diff
from bot.cli.doctor import doctor
from bot.cli.explain_access import explain_access
from bot.cli.forget import forget
from bot.cli.history import history
from bot.cli.revoke import revoke
from bot.cli.schema import schema
from bot.cli.serve import serve
from bot.cli.sources import sources
from bot.cli.start import start
from bot.cli.status import status
from bot.cli.sync import sync
from bot.cli.verify import verify
from core.access.groups import GroupsFile
from core.administration import AccessDesk
from core.embedding.base import Embedder
from core.embedding.factory import load_embedder
from core.embedding.language_means import LanguageMeans, load_language_means
from core.embedding.space import VectorSpace
from core.errors import SourceError, TestigoError
from core.evidence.keeper import EvidenceKeeper
from core.generation.claude import ClaudeGenerator
from core.generation.claude_citations import ClaudeCitationsGenerator
from core.generation.claude_judge import ClaudeJudge
from core.generation.claude_stream import ClaudeMessages
from core.generation.extractive import ExtractiveGenerator
from core.generation.generator import Generator
from core.generation.judge import ClaimJudge, ThreadedJudge
from core.index.lexical import LexicalIndex
from core.index.reader import IndexReader
from core.index.tables import Tables, index_exists
from core.pipeline import Limits, Pipeline
from core.private_addition import PrivateAdditions
from core.retrieval.interaction import LateInteraction
from core.retrieval.search import Retrieval, Searcher
from core.settings import GeneratorKind, JudgeKind, Settings, SourceSettings, load_settings
from core.store.audit import AuditStore
from core.store.conversations import ConversationStore
from core.store.database import open_database
from core.store.evidence import EvidenceStore
from core.store.forgetting import Forgetting
from core.store.revocations import RevocationStore
from core.store.runs import RunStore
from core.store.sync_runs import SyncRunStore
from core.store.sync_schedule import SyncScheduleStore
from core.verification.entailment import CrossEncoderJudge
from sync.engine import SyncEngine
from sync.redacted import RedactedSource
from sync.schedule import SyncScheduler, Timetable, timed
from sync.service import SyncService
from sync.sources import open_source
from sync.sources.base import Source
from sync.withheld import WithheldSource

FAILED = 1


class Composition:
    """All parts, each made once, when it is first asked for. Fulfils `bot.cli.application.Application`."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings

    @cached_property
    def database(self) -> Engine:
        """The SQL store."""
        return open_database(self.settings.database_location)

    @cached_property
    def embedder(self) -> Embedder:
        """The embedding model, prepared in the model folder the first time."""
        settings = self.settings
        return load_embedder(
            settings.embedder,
            settings.model_dir,
            model=settings.embedding_model,
            threads=settings.threads,
            progress=_say,
        )

    @cached_property
    def means(self) -> LanguageMeans:
        """What each language adds to every vector."""
        return load_language_means(self.embedder, self.settings.model_dir, progress=_say)

    @cached_property
    def space(self) -> VectorSpace:
        """The space that questions and passages meet in."""
        return VectorSpace(self.embedder, self.means)

    @cached_property
    def words(self) -> LateInteraction:
        """Compares questions with passages word by word."""
        return LateInteraction(self.embedder, self.means)

    @property
    def has_index(self) -> bool:
        """Whether there is an index already; asking makes none."""
        return index_exists(self.settings.index_location)

    @cached_property
    def tables(self) -> Tables:
        """The LanceDB tables."""
        return Tables(self.settings.index_location, dimension=self.space.dimension, model_id=self.space.model_id)

    @cached_property
    def stored(self) -> Tables:
        """The same, as they are: to look at without loading a model."""
        return Tables.as_stored(self.settings.index_location)

    @cached_property
    def lexical(self) -> LexicalIndex:
        """The tantivy index; always on a local disk."""
        return LexicalIndex(self.settings.data_dir / "lexical")

    @cached_property
    def index(self) -> IndexReader:
        """Snapshots of both."""
        return IndexReader(self.tables, self.lexical, RevocationStore(self.database).revoked)

    @cached_property
    def groups(self) -> GroupsFile:
        """People's groups, from the people file."""
        return GroupsFile(self.settings.people_file, self.settings.group_aliases)

    @cached_property
    def sync(self) -> SyncService:
        """Syncs of the sources in the settings."""
        return SyncService(
            engine=lambda: self._sync_engine,
            sources=self.settings.sources,
            open_source=self._open_source,
            runs=SyncRunStore(self.database),
            data_dir=self.settings.data_dir,
            maintain=self._maintain,
        )

    def _open_source(self, source: SourceSettings) -> Source:
        """A source, redacted: what is taken out never comes further than this."""
        opened = open_source(source)
        if not source.show_quotes:
            opened = WithheldSource(opened)
        return RedactedSource(opened, self.settings.redaction_policy)

    def _maintain(self) -> None:
        """What is due after a sync: evidence that lost its ground, and what is kept beyond its time."""
        now = self.now()
        self._evidence_keeper.maintain(now)
        over = now - dt.timedelta(days=self.settings.question_days)
        Forgetting(self.database).expire(self.settings.tenant_id, over.timestamp())

    @cached_property
    def access_desk(self) -> AccessDesk:
        """What admins do with documents."""
        return AccessDesk(
            self.index, RevocationStore(self.database), EvidenceStore(self.database), RunStore(self.database)
        )

    @cached_property
    def _evidence_keeper(self) -> EvidenceKeeper:
        settings = self.settings
        keep = dt.timedelta(days=settings.evidence_days)
        return EvidenceKeeper(EvidenceStore(self.database), self.tables, settings.tenant_id, keep)

    @cached_property
    def _sync_engine(self) -> SyncEngine:
        settings = self.settings
        return SyncEngine(
            self.tables,
            self.lexical,
            self.space,
            settings.tenant_id,
            removal_limit=settings.removal_limit,
            words=self.words,
        )

    @cached_property
    def scheduler(self) -> SyncScheduler:
        """Syncs at the times that the settings say."""
        settings = self.settings
        entries = [entry for source in settings.sources if (entry := timed(source, settings.timezone)) is not None]
        grace = dt.timedelta(minutes=settings.schedule_grace_minutes)
        timetable = Timetable(entries, SyncScheduleStore(self.database), grace=grace, now=self.now)
        return SyncScheduler(timetable, self.sync, self.sync.stop)

    @cached_property
    def source_hosts(self) -> frozenset[str]:
        """Hosts that links may point to: those that the sources declare."""
        hosts: set[str] = set()
        for source in self.settings.sources:
            try:
                hosts |= open_source(source).hosts
            except SourceError:
                continue  # an export that is gone declares nothing; the sync reports it
        return frozenset(hosts)

    @cached_property
    def _searcher(self) -> Searcher:
        settings = self.settings
        return Searcher(self.space, candidates=settings.candidates, passages=settings.passages, words=self.words)

    def private_additions(self) -> PrivateAdditions:
        """Finds what only the one who asked in a channel may read."""
        return PrivateAdditions(self.index, self._searcher, self.pipeline())

    def pipeline(self, on_retrieval: Callable[[Retrieval], None] | None = None) -> Pipeline:
        """The pipeline; `on_retrieval` is told what each search found."""
        settings = self.settings
        return Pipeline(
            index=self.index,
            searcher=self._searcher,
            generator=self._generator(),
            judge=self._judge(),
            runs=RunStore(self.database),
            audit=AuditStore(self.database),
            conversations=ConversationStore(self.database),
            limits=Limits(settings.max_question, settings.answer_seconds, settings.mode),
            sources=lambda: tuple(source.name for source in settings.sources),
            on_retrieval=on_retrieval,
        )

    def sample(self) -> Composition:
        """The same parts over the sample corpus, in an index of its own; the model is shared."""
        ours = self.settings
        kept = {"data_dir": ours.data_dir / "demo", "model_dir": ours.model_dir, "index_uri": "", "database_url": ""}
        return Composition(load_settings(SAMPLE_CONFIG, **kept))

    def now(self) -> dt.datetime:
        """The time, in UTC."""
        return dt.datetime.now(dt.UTC)

    def _generator(self) -> Generator:
        settings = self.settings
        if not settings.uses_claude:
            return ExtractiveGenerator()
        if settings.generator is GeneratorKind.CLAUDE_CITATIONS:
            return ClaudeCitationsGenerator(self._claude(settings.claude_model))
        return ClaudeGenerator(self._claude(settings.claude_model))

    def _judge(self) -> ClaimJudge | None:
        settings = self.settings
        match settings.judge:
            case JudgeKind.NONE:
                return None
            case JudgeKind.NLI:
                return ThreadedJudge(CrossEncoderJudge(settings.judge_model))
            case JudgeKind.CLAUDE:
                return ClaudeJudge(self._claude(settings.judge_model or settings.claude_model))

    def _claude(self, model: str) -> ClaudeMessages:
        settings = self.settings
        key = settings.anthropic_api_key
        return ClaudeMessages(
            key.get_secret_value() if key is not None else "",
            model,
            base_url=settings.anthropic_base_url or None,
            effort=settings.claude_effort,
            thinking="between_tools",
        )


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="testigo-bot")
@click.option("--config", type=click.Path(dir_okay=False, path_type=Path), help="The settings file (testigo.toml).")
@click.option("--verbose", is_flag=True, help="Log what happens to standard error.")
@click.pass_context
def cli(context: click.Context, config: Path | None, verbose: bool) -> None:
    """Testigo answers from your company's documents; every sentence carries a quote that is really there."""
    level = logging.INFO if verbose or context.invoked_subcommand == "serve" else logging.ERROR
    logging.basicConfig(level=level, stream=sys.stderr, format="%(asctime)s %(levelname)s %(name)s %(message)s")
    for noisy in ("httpx2", "slack_sdk", "aiohttp.access", "apscheduler"):
        logging.getLogger(noisy).setLevel(logging.WARNING)
    context.obj = Composition(load_settings(config))


for command in (
    ask, audit, demo, diff, doctor, explain_access, forget, history, revoke, schema, serve, sources, start, status,
    sync, verify,
):  # fmt: skip
    cli.add_command(command)


def main() -> None:
    """Run the command line. Errors that a person can act on are one sentence on standard error, exit code 1."""
    try:
        cli.main(standalone_mode=False)
    except click.exceptions.Abort:
        sys.exit(FAILED)
    except click.ClickException as error:
        error.show()
        sys.exit(error.exit_code)
    except TestigoError as error:
        Console(stderr=True).print(Text(str(error), style="bold red"))
        sys.exit(FAILED)
    except BrokenPipeError:
        # Whoever read our output has gone (`| head`): that is no failure of ours.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(FAILED)


def _say(sentence: str) -> None:
    click.echo(sentence, err=True)


if __name__ == "__main__":
    main()
