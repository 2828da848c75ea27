"""`testigo eval`: how good the answers are to a set of questions whose answers are known."""

from __future__ import annotations

import asyncio
import json
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

import click
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.text import Text

from bot.cli.application import Application
from bot.cli.evaluation_tables import draw_report
from bot.cli.people import audience_of, reader_of
from core.domain.access import EVERYONE, AudienceKind, Principal, Reader
from core.domain.auditing import TERMINAL, AuditKind, AuditNote
from core.domain.question import Question
from core.errors import EvaluationError, SettingsError
from core.evaluation.baseline import compare, load_baseline, save_baseline
from core.evaluation.faithfulness import ClaudeFaithfulness
from core.evaluation.html_report import html_report
from core.evaluation.measured import measure
from core.evaluation.outcome import Outcome
from core.evaluation.places import DocumentIds
from core.evaluation.questions import SetQuestion, load_questions
from core.evaluation.ragas import ragas_lines
from core.evaluation.report import Report, Setting, baseline_of, report_json
from core.evaluation.trial import Trial, refused_place
from core.store.audit import AuditStore
from core.store.database import open_database

REGRESSED = 3

_COLUMNS = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
_FILE = click.Path(dir_okay=False, path_type=Path)
_READ = click.Path(dir_okay=False, exists=True, path_type=Path)


@click.command("eval")
@click.argument("question_set", metavar="SET", type=_READ)
@click.option("--json", "json_file", metavar="FILE", help="Write all numbers as JSON; - for standard output, alone.")
@click.option("--html", "html_file", type=_FILE, help="Write a report as one HTML page.")
@click.option("--save", "saved", type=_FILE, help="Keep this run to compare later ones with.")
@click.option("--compare", "compared", type=_READ, help="Compare with a run that was kept; ends with 3 when worse.")
@click.option("--ragas", "ragas_file", type=_FILE, help="Write questions, passages and answers for RAGAS.")
@click.option("--judge", is_flag=True, help="Have Claude judge whether answers are faithful (needs a key).")
@click.pass_obj
def evaluate(
    application: Application,
    question_set: Path,
    json_file: str | None,
    html_file: Path | None,
    saved: Path | None,
    compared: Path | None,
    ragas_file: Path | None,
    judge: bool,
) -> None:
    """Ask every question of SET, each as its asker, and measure search, answers, refusals and times.

    Ends with 0, with 3 when a metric is significantly worse than in --compare, 2 for bad usage, 1 when it failed.
    """
    questions = load_questions(question_set)
    baseline = load_baseline(compared) if compared is not None else None
    report = run(application, question_set.name, questions, judge=judge)
    if baseline is not None:
        fingerprints = {question.id: question.fingerprint for question in questions}
        report = report.compared_with(compare(report.numbers.rows, fingerprints, baseline))
    if json_file == "-":
        click.echo(json.dumps(report_json(report), ensure_ascii=False, indent=2))
    else:
        draw_report(Console(), report)
    if json_file not in {None, "-"}:
        _write(Path(str(json_file)), json.dumps(report_json(report), ensure_ascii=False, indent=2) + "\n")
    if html_file is not None:
        _write(html_file, html_report(report))
    if ragas_file is not None:
        _write(ragas_file, "".join(f"{line}\n" for line in ragas_lines(report.outcomes)))
    if saved is not None:
        save_baseline(saved, baseline_of(report))
    if report.compared is not None and report.compared.regressions:
        _say_regressions(report)
        sys.exit(REGRESSED)


def run(application: Application, name: str, questions: Sequence[SetQuestion], *, judge: bool = False) -> Report:
    """Ask all questions, one after another. What they write goes to a database that is thrown away.

    Raises:
        SettingsError: nothing is indexed, or a question names a channel that the people file does not know.
        GenerationError: a judge was asked for, and there is no key.
        TestigoError: see `Pipeline.ask`.
    """
    if not application.has_index:
        raise SettingsError("Nothing is indexed yet: run testigo sync first.")
    threads: dict[str, str] = {}
    for asked in questions:
        threads[asked.id] = threads[asked.previous] if asked.previous is not None else f"eval:{asked.id}"
    prepared = [(asked, _question(application, asked, threads[asked.id])) for asked in questions]
    ids = _document_ids(application)
    missing = sorted({p.document for q in questions for f in q.expected for p in f.places} - ids.keys())
    if missing:
        named = ", ".join(missing)
        click.echo(f"The index does not have these documents, which the set expects: {named}.", err=True)
    facts = {"action": "eval", "questions": len(questions)}
    note = AuditNote(AuditKind.ADMIN, application.settings.tenant_id, TERMINAL, facts=facts)
    AuditStore(application.database).note(note)
    outcomes = asyncio.run(_ask_all(application, prepared, ids, judge=judge))
    setting = Setting(
        set_name=name,
        asked_at=application.now(),
        generator=_generator(application),
        model=application.space.model_id,
        mode=application.settings.mode.value,
        index_version=application.tables.refresh(),
        missing_documents=tuple(missing),
    )
    return Report(setting, tuple(outcomes), measure(outcomes))


async def _ask_all(
    application: Application, prepared: Sequence[tuple[SetQuestion, Question]], ids: DocumentIds, *, judge: bool
) -> list[Outcome]:
    with tempfile.TemporaryDirectory(prefix="testigo-eval-") as folder:
        record = open_database(f"sqlite:///{folder}/record.db")
        messages = application.judging_claude() if judge else None
        try:
            trial = Trial(
                lambda on_retrieval: application.pipeline(on_retrieval, record),
                application.space,
                ids,
                judge=ClaudeFaithfulness(messages) if messages is not None else None,
            )
            # Opening the model and the index is no part of any question's time.
            application.space.embed_query(prepared[0][0].question, prepared[0][0].language)
            application.index.snapshot(prepared[0][1].reader, prepared[0][1].audience)
            with Progress(*_COLUMNS, console=Console(stderr=True), transient=True) as progress:
                shown = progress.track(prepared, description="Asking")
                return [await _one(trial, asked, question) for asked, question in shown]
        finally:
            if messages is not None:
                await messages.aclose()
            record.dispose()


async def _one(trial: Trial, asked: SetQuestion, question: Question) -> Outcome:
    if question.audience.kind is AudienceKind.REFUSED:
        return refused_place(asked)
    return await trial.ask(asked, question)


def _question(application: Application, asked: SetQuestion, thread: str) -> Question:
    settings = application.settings
    if asked.asker is None:
        principals = {EVERYONE, *(Principal.group(group) for group in settings.everyone_groups)}
        reader = Reader(settings.tenant_id, frozenset(principals))
    else:
        reader = reader_of(application, asked.asker)
    audience = audience_of(application, reader, asked.channel)
    return Question(asked.question, reader, audience, thread, asked.channel or "eval")


def _document_ids(application: Application) -> dict[str, str]:
    """Document ids by all that a set may call a document: its id, and its source and key."""
    heads = application.tables.heads(application.settings.tenant_id)
    by_key = {f"{source}/{key}": head.document_id for (source, key), head in heads.items()}
    return {head.document_id: head.document_id for head in heads.values()} | by_key


def _generator(application: Application) -> str:
    return application.settings.claude_model if application.settings.uses_claude else "extractive"


def _say_regressions(report: Report) -> None:
    assert report.compared is not None
    console = Console(stderr=True)
    for found in report.compared.regressions:
        line = f"Worse: {found.metric.name} {found.before:.3f} → {found.now:.3f} ({found.now - found.before:+.3f}"
        console.print(Text(f"{line}, p = {found.worse:.4f}, {found.questions} questions)", style="bold red"))


def _write(path: Path, text: str) -> None:
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise EvaluationError(f"{path} cannot be written ({type(error).__name__}).") from None
