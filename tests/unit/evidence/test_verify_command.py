"""`testigo verify`, over a small index."""

from __future__ import annotations

import datetime as dt
import json
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from sqlalchemy import Engine

from bot.cli.ask import answer_json
from bot.cli.asking import Asked
from bot.cli.verify import verify
from core.access.groups import GroupsFile
from core.domain.evidence import Answer
from core.index.tables import Tables
from core.settings import Settings
from core.store.revocations import RevocationStore

from .conftest import HR, NOW, TENANT, Company

LEAVE = "Annual leave is 25 working days."


@dataclass
class Parts:
    """What the command needs of the application."""

    settings: Settings
    database: Engine
    stored: Tables
    groups: GroupsFile

    def now(self) -> dt.datetime:
        return NOW


@pytest.fixture
def parts(company: Company, tmp_path: Path) -> Parts:
    settings = Settings(tenant_id=TENANT, data_dir=tmp_path)
    return Parts(settings, company.store._engine, company.tables, GroupsFile(None))


def run(parts: Parts, *arguments: str, stdin: str | None = None) -> Result:
    return CliRunner().invoke(verify, arguments, obj=parts, input=stdin)


def found(result: Result) -> dict[str, Any]:
    return dict(json.loads(result.stdout))


def standings(result: Result) -> list[str]:
    return [citation["standing"] for citation in found(result)["citations"]]


def printed(answer: Answer) -> str:
    return json.dumps(answer_json(Asked(answer, {}, None)))


def test_a_run_whose_citations_stand_ends_with_0(company: Company, parts: Parts) -> None:
    company.answer(company.cite(company.write("leave", LEAVE), LEAVE))
    result = run(parts, "r1", "--json")
    assert (result.exit_code, standings(result), found(result)["record"]) == (0, ["ok"], "same")


def test_a_changed_citation_ends_with_3(company: Company, parts: Parts) -> None:
    company.answer(company.cite(company.write("leave", LEAVE), LEAVE))
    company.write("leave", "Annual leave is 24 working days.")
    result = run(parts, "r1", "--json")
    assert (result.exit_code, standings(result)) == (3, ["changed"])


def test_an_answer_is_verified_from_its_file_and_from_standard_input(
    company: Company, parts: Parts, tmp_path: Path
) -> None:
    answer = printed(company.answer(company.cite(company.write("leave", LEAVE), LEAVE)))
    path = tmp_path / "answer.json"
    path.write_text(answer, encoding="utf-8")
    assert run(parts, str(path), "--json").stdout == run(parts, "-", "--json", stdin=answer).stdout
    assert run(parts, str(path)).exit_code == 0


def test_a_file_whose_claim_was_rewritten_falls_although_its_citations_are_true(company: Company, parts: Parts) -> None:
    answer = company.answer(company.cite(company.write("leave", LEAVE), LEAVE))
    forged = replace(answer, claims=(replace(answer.claims[0], text="Annual leave is unlimited."),))
    result = run(parts, "-", "--json", stdin=printed(forged))
    assert (result.exit_code, standings(result), found(result)["record"]) == (3, ["ok"], "different")


def test_an_answer_whose_record_is_gone_is_judged_by_its_citations(company: Company, parts: Parts) -> None:
    answer = company.answer(company.cite(company.write("leave", LEAVE), LEAVE))
    company.store.delete_before(TENANT, NOW.timestamp() + 1)
    result = run(parts, "-", "--json", stdin=printed(answer))
    assert (result.exit_code, found(result)["record"]) == (0, "unknown")


def test_a_reader_is_told_forbidden_and_shown_nothing_of_it(company: Company, parts: Parts) -> None:
    company.answer(company.cite(company.write("bands", LEAVE, rule=HR), LEAVE))
    assert standings(run(parts, "r1", "--as", "ana@x.com", "--json")) == ["forbidden"]
    drawn = run(parts, "r1", "--as", "ana@x.com")
    assert drawn.exit_code == 3
    assert "bands" not in drawn.output and "Annual" not in drawn.output


def test_a_document_that_an_admin_has_revoked_is_forbidden(company: Company, parts: Parts) -> None:
    company.answer(company.cite(company.write("leave", LEAVE), LEAVE))
    RevocationStore(parts.database).revoke(TENANT, "leave", "admin@x.com")
    assert standings(run(parts, "r1", "--as", "ana@x.com", "--json")) == ["forbidden"]
    assert standings(run(parts, "r1", "--json")) == ["ok"]


@pytest.mark.parametrize("answer", ["no-such-run", "-"])
def test_what_is_no_answer_is_bad_usage(parts: Parts, answer: str) -> None:
    result = run(parts, answer, stdin='{"run_id": 1}')
    assert (result.exit_code, result.stdout) == (2, "")


def test_a_run_of_another_tenant_is_unknown(company: Company, parts: Parts) -> None:
    company.answer(company.cite(company.write("leave", LEAVE), LEAVE))
    other = Parts(Settings(tenant_id="other"), parts.database, parts.stored, parts.groups)
    assert run(other, "r1").exit_code == 2


def test_an_answer_without_citations_stands(company: Company, parts: Parts) -> None:
    assert run(parts, "-", stdin=printed(company.answer())).exit_code == 0


def test_the_findings_name_every_citation(company: Company, parts: Parts) -> None:
    first = company.cite(company.write("leave", LEAVE), LEAVE)
    second = company.cite(company.write("parking", "A space costs 35 euros a month."), "35 euros a month")
    company.answer(first, second)
    company.remove("parking")
    result = run(parts, "r1", "--json")
    assert standings(result) == ["ok", "gone"]
    assert found(result)["citations"][0] == {
        "citation_id": first.citation_id,
        "standing": "ok",
        "detail": "",
        "document_id": "leave",
        "document_version": 1,
        "current_version": 1,
        "start_offset": 0,
        "end_offset": len(LEAVE),
    }
