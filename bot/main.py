"""The command line, and the composition root: the one module that joins `bot`, `core` and `sync`."""

from __future__ import annotations

import datetime as dt
import logging
import os
import sys
from collections.abc import Callable, Iterator
from functools import cached_property, partial
from pathlib import Path

import click
from rich.console import Console
from rich.text import Text
from sqlalchemy import Engine

from bot.aftercare import Aftercare
from bot.cli.ask import ask
from bot.cli.audit import audit
from bot.cli.demo import SAMPLE_CONFIG, demo
from bot.cli.diff import diff
from bot.cli.doctor import doctor
from bot.cli.evaluate import evaluate
from bot.cli.explain_access import explain_access
from bot.cli.forget import forget
from bot.cli.gaps import gaps
from bot.cli.history import history
from bot.cli.playground import playground
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
from core.alerts.links import LinkChecker, served_links
from core.alerts.watch import AlertWatch, Thresholds
from core.embedding.base import Embedder
from core.embedding.factory import load_embedder
from core.embedding.language_means import LanguageMeans, load_language_means
from core.embedding.space import VectorSpace
from core.errors import SettingsError, SourceError, TestigoError
from core.evidence.keeper import EvidenceKeeper
from core.gaps import Gaps, NearestDocuments
from core.generation.claude import ClaudeGenerator
from core.generation.claude_citations import ClaudeCitationsGenerator
from core.generation.claude_contexts import MOST_TOKENS, ClaudeContexts
from core.generation.claude_judge import ClaudeJudge
from core.generation.claude_rewriter import ClaudeRewriter
from core.generation.claude_search import ClaudeSearch
from core.generation.claude_stream import ClaudeMessages
from core.generation.extractive import ExtractiveGenerator
from core.generation.generator import Generator
from core.generation.judge import ClaimJudge, ThreadedJudge
from core.index.generations import read_serving
from core.index.lexical import LexicalIndex
from core.index.reader import IndexReader
from core.index.rebuild import Rebuild, RebuildFinished, RebuildProgress, drop_retired
from core.index.tables import Tables, index_exists
from core.living import LivingDesk
from core.pipeline import Limits, Pipeline
from core.private_addition import PrivateAdditions
from core.retrieval.interaction import LateInteraction
from core.retrieval.reranker import CrossEncoderReranker, PackagedReranker, Reranker
from core.retrieval.rewriting import Rewriter, RuleRewriter
from core.retrieval.search import Retrieval, Searcher
from core.settings import (
    GeneratorKind,
    JudgeKind,
    OcrKind,
    RerankerKind,
    Settings,
    SourceSettings,
    load_settings,
)
from core.store.alerts import AlertStore, ToldStore
from core.store.audit import AuditStore
from core.store.conversations import ConversationStore
from core.store.database import open_database
from core.store.evidence import EvidenceStore
from core.store.forgetting import Forgetting
from core.store.gaps import GapStore, HandedOnStore
from core.store.living import LivingStore
from core.store.readership import Readership
from core.store.revocations import RevocationStore
from core.store.runs import RunStore
from core.store.shown import ShownStore
from core.store.sync_runs import SyncRunStore
from core.store.sync_schedule import SyncScheduleStore
from core.suggestions import Suggestions
from core.verification.entailment import CrossEncoderJudge
from sync.contexts import ContextFiller
from sync.engine import SyncEngine
from sync.lease import LeaseWriter
from sync.lock import FileWriter, Writer
from sync.parsing.formats import FileReader
from sync.parsing.limits import FileLimits
from sync.parsing.ocr import Ocr
from sync.parsing.ocr_memory import OcrMemory
from sync.parsing.tesseract import Tesseract
from sync.redacted import RedactedSource
from sync.schedule import SyncScheduler, Timetable, timed
from sync.service import SyncService
from sync.sources import open_source
from sync.sources.base import Source
from sync.withheld import WithheldSource

FAILED = 1
WAIT_FOR_SYNC = 3600.0
"""Seconds that a rebuild waits for a sync to end before it swaps."""


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
        """The tantivy index of the chunks table that is served; always on a local disk."""
        return LexicalIndex(self.settings.data_dir / "lexical").of(read_serving(self.settings.index_location).table)

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
            writer=self._writer,
            maintain=self._maintain,
            contexts=(lambda: self._context_filler) if self.settings.writes_contexts else None,
            contexts_usd=self.settings.contextual_budget_usd,
        )

    def rebuild(self, asked_by: str) -> Iterator[RebuildProgress | RebuildFinished]:
        """Build the index anew with the model of the settings, then swap."""
        if not self.has_index:
            raise SettingsError("There is no index yet: run testigo sync.")
        location = self.settings.index_location
        lock = partial(self._writer.hold, asked_by, WAIT_FOR_SYNC)
        yield from Rebuild(location, self.lexical, self.space, self.words, lock).run()

    def _open_source(self, source: SourceSettings) -> Source:
        """A source, redacted: what is taken out never comes further than this."""
        opened = open_source(source, self._files)
        if not source.show_quotes:
            opened = WithheldSource(opened)
        return RedactedSource(opened, self.settings.redaction_policy)

    @cached_property
    def _writer(self) -> Writer:
        """Who may write: a lease where hosts may share the database, else a lock of this machine."""
        if self.database.dialect.name == "sqlite":
            return FileWriter(self.settings.data_dir)
        return LeaseWriter(self.database)

    @cached_property
    def _tesseract(self) -> Tesseract:
        return Tesseract(self.settings.ocr_languages, self.settings.ocr_seconds)

    @cached_property
    def _ocr_memory(self) -> OcrMemory:
        return OcrMemory(self.settings.data_dir / "ocr")

    @cached_property
    def _files(self) -> FileReader:
        """Reads the files of exports, as far as the settings let it."""
        settings = self.settings
        limits = FileLimits(
            largest_file=settings.largest_file_mb * 2**20,
            largest_unpacked=settings.largest_unpacked_mb * 2**20,
            most_pages=settings.most_pages,
        )
        wanted = settings.ocr is OcrKind.TESSERACT
        return FileReader(limits, Ocr(self._tesseract, settings.ocr_pages, self._ocr_memory) if wanted else None)

    def missing_for_ocr(self) -> str:
        """What OCR lacks on this machine."""
        return self._tesseract.missing()

    def _maintain(self) -> None:
        """What is due after a sync: evidence that lost its ground, and what is kept beyond its time."""
        now = self.now()
        drop_retired(self.settings.index_location, self.lexical, now)
        self._evidence_keeper.maintain(now)
        self._ocr_memory.forget_unused()
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
            check_writer=self._writer.check,
            revocations=RevocationStore(self.database),
            keep_sentences=settings.contextual,
        )

    @cached_property
    def _context_filler(self) -> ContextFiller:
        settings = self.settings
        model = settings.contextual_model or settings.claude_model
        return ContextFiller(
            self.tables,
            self.lexical,
            self.space,
            settings.tenant_id,
            ClaudeContexts(lambda: self._claude(model, max_tokens=MOST_TOKENS), model),
            words=self.words,
            hidden=RevocationStore(self.database).revoked,
            check_writer=self._writer.check,
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
        return Searcher(
            self.space,
            candidates=settings.candidates,
            passages=settings.passages,
            words=self.words,
            reranker=self._reranker(),
        )

    def _reranker(self) -> Reranker:
        settings = self.settings
        if settings.reranker is RerankerKind.CROSS_ENCODER:
            return CrossEncoderReranker(settings.reranker_model)
        return PackagedReranker()

    def private_additions(self) -> PrivateAdditions:
        """Finds what only the one who asked in a channel may read."""
        return PrivateAdditions(self.index, self._searcher, self.pipeline())

    def gaps(self) -> Gaps:
        """What people asked and the documents did not answer."""
        settings = self.settings
        return Gaps(GapStore(self.database), self.space, self._nearest, private=settings.gaps_private)

    @cached_property
    def _nearest(self) -> NearestDocuments:
        return NearestDocuments(self.index, self._searcher)

    def aftercare(self) -> Aftercare:
        """What follows an answer."""
        settings, database = self.settings, self.database
        checker = None
        if settings.link_base_url:
            checker = LinkChecker(
                settings.link_base_url,
                pause_seconds=settings.link_pause_seconds,
                timeout_seconds=settings.link_timeout_seconds,
                private=settings.link_private,
            )
        return Aftercare(
            shown=ShownStore(database),
            living_store=LivingStore(database),
            living_desk=LivingDesk(self.index, RevocationStore(database), EvidenceStore(database)),
            told=ToldStore(database),
            runs=RunStore(database),
            questions=GapStore(database),
            handed=HandedOnStore(database),
            nearest=self._nearest,
            gaps=self.gaps(),
            watch=self._alert_watch,
            links=partial(served_links, self.tables, settings.tenant_id),
            link_checker=checker,
        )

    @property
    def _alert_watch(self) -> AlertWatch:
        settings = self.settings
        return AlertWatch(
            settings.tenant_id,
            [source.name for source in settings.sources],
            AlertStore(self.database),
            SyncRunStore(self.database),
            SyncScheduleStore(self.database),
            Thresholds(
                dt.timedelta(days=settings.alert_days),
                settings.alert_least,
                settings.alert_coverage_fall,
                settings.alert_abstention_rise,
                settings.alert_changed_share,
                dt.timedelta(hours=settings.alert_late_hours),
                settings.living_days or settings.question_days,
            ),
        )

    def suggestions(self) -> Suggestions:
        """Questions that a reader can ask and have answered."""
        return Suggestions(self.index, self._searcher, Readership(self.database).most_cited)

    def pipeline(
        self, on_retrieval: Callable[[Retrieval], None] | None = None, record: Engine | None = None
    ) -> Pipeline:
        """The pipeline; `on_retrieval` is told what each search found.

        With `record`, what runs write goes to that database, and nothing to the record of the company's questions.
        """
        settings = self.settings
        database = self.database if record is None else record
        return Pipeline(
            index=self.index,
            searcher=self._searcher,
            generator=self._generator(),
            judge=self._judge(),
            rewriter=self._rewriter(),
            agent=self._agent(),
            runs=RunStore(database),
            audit=AuditStore(database) if record is None else None,
            conversations=ConversationStore(database),
            limits=Limits(settings.max_question, settings.answer_seconds, settings.mode),
            sources=lambda: tuple(source.name for source in settings.sources),
            on_retrieval=on_retrieval,
        )

    def sample(self, **overrides: object) -> Composition:
        """The same parts over the sample corpus, in an index of its own; the model is shared.

        `overrides` are settings that win over all others.
        """
        ours = self.settings
        kept = {"data_dir": ours.data_dir / "demo", "model_dir": ours.model_dir, "index_uri": "", "database_url": ""}
        return Composition(load_settings(SAMPLE_CONFIG, **{**kept, **overrides}))

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

    def _agent(self) -> ClaudeSearch | None:
        settings = self.settings
        return ClaudeSearch(self._claude(settings.claude_model)) if settings.agentic and settings.uses_claude else None

    def _rewriter(self) -> Rewriter:
        settings = self.settings
        return ClaudeRewriter(self._claude(settings.claude_model)) if settings.uses_claude else RuleRewriter()

    def _judge(self) -> ClaimJudge | None:
        settings = self.settings
        match settings.judge:
            case JudgeKind.NONE:
                return None
            case JudgeKind.NLI:
                return ThreadedJudge(CrossEncoderJudge(settings.judge_model))
            case JudgeKind.CLAUDE:
                return ClaudeJudge(self._claude(settings.judge_model or settings.claude_model))

    def judging_claude(self) -> ClaudeMessages:
        """Claude as a judge. Raises RejectedRequest without a key."""
        settings = self.settings
        named = settings.judge_model if settings.judge is JudgeKind.CLAUDE else ""
        return self._claude(named or settings.claude_model)

    def _claude(self, model: str, max_tokens: int = 8192) -> ClaudeMessages:
        settings = self.settings
        key = settings.anthropic_api_key
        return ClaudeMessages(
            key.get_secret_value() if key is not None else "",
            model,
            base_url=settings.anthropic_base_url or None,
            max_tokens=max_tokens,
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
    ask, audit, demo, diff, doctor, evaluate, explain_access, forget, gaps, history, playground, revoke, schema, serve,
    sources, start, status, sync, verify,
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
