"""Every setting, in one class: from the environment, `.env`, and `testigo.toml`, in this order of precedence.

Secrets come from the environment or `.env` only. The README's table of settings is made from this class.
"""

from __future__ import annotations

import os
from contextvars import ContextVar
from enum import StrEnum
from pathlib import Path
from typing import Literal, Self

from limits import parse_many
from pydantic import BaseModel, ConfigDict, Field, SecretStr, ValidationError, model_validator
from pydantic_settings import BaseSettings, PydanticBaseSettingsSource, SettingsConfigDict, TomlConfigSettingsSource

from core.domain.redaction import Policy, SensitiveKind, Treatment, policy_of
from core.errors import SettingsError

CONFIG_VARIABLE = "TESTIGO_CONFIG"
DEFAULT_CONFIG = Path("testigo.toml")
_toml_file: ContextVar[Path] = ContextVar("toml_file", default=DEFAULT_CONFIG)


class SourceKind(StrEnum):
    """What kind of export a source is."""

    CONFLUENCE_HTML = "confluence_html"
    CONFLUENCE_XML = "confluence_xml"
    DRIVE = "drive"
    FOLDER = "folder"


class GeneratorKind(StrEnum):
    """Who writes answers."""

    AUTO = "auto"
    EXTRACTIVE = "extractive"
    CLAUDE = "claude"
    CLAUDE_CITATIONS = "claude_citations"


class JudgeKind(StrEnum):
    """Who judges, besides the rules, whether a claim follows from its quotes."""

    NONE = "none"
    NLI = "nli"
    CLAUDE = "claude"


class EmbedderKind(StrEnum):
    """Where vectors come from."""

    PACKAGED = "packaged"
    SENTENCE_TRANSFORMERS = "sentence-transformers"


class OcrKind(StrEnum):
    """Who reads pages that are only pictures."""

    OFF = "off"
    TESSERACT = "tesseract"


class RerankerKind(StrEnum):
    """Who orders the passages that were found."""

    PACKAGED = "packaged"
    CROSS_ENCODER = "cross-encoder"


class Mode(StrEnum):
    """How sure the bot must be before it answers."""

    STRICT = "strict"
    BALANCED = "balanced"
    OPEN = "open"


class ChannelSettingsBy(StrEnum):
    """Who may set what holds in a channel, besides admins."""

    ADMINS = "admins"
    CREATOR = "creator"
    MEMBERS = "members"


class SourceSettings(BaseModel):
    """One `[[sources]]` table of `testigo.toml`."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    name: str = Field(pattern=r"^[a-z0-9][a-z0-9_-]{0,62}$", description="Short name, as in `/rag-reindex NAME`.")
    kind: SourceKind = Field(description="Kind of export.")
    path: Path = Field(description="Folder or zip of the export; relative to the file that says it.")
    access_file: Path | None = Field(default=None, description="`access.toml` elsewhere than in the export.")
    users_file: Path | None = Field(default=None, description="`users.toml` elsewhere than in an XML export.")
    base_url: str = Field(default="", description="Address of the site, for an XML export, which does not know it.")
    schedule: str = Field(
        default="",
        max_length=160,
        description="When it is read by itself: `every 6 hours`, or cron such as `0 3 * * mon-fri`.",
    )
    timezone: str = Field(default="", description="Time zone of the schedule; empty: that of the settings.")
    ask_channel: str = Field(
        default="", max_length=64, description="Id of the channel that questions about it can be handed to."
    )
    show_quotes: bool = Field(default=True, description="Whether extracts may be shown; else only where they stand.")


class Settings(BaseSettings):
    """All settings. A field `index_uri` is `TESTIGO_INDEX_URI` in the environment and `index_uri` in the TOML file."""

    model_config = SettingsConfigDict(
        env_prefix="TESTIGO_",
        env_file=".env",
        env_nested_delimiter="__",
        extra="ignore",
        frozen=True,
        populate_by_name=True,
    )

    # Where things are
    data_dir: Path = Field(default=Path(".testigo"), description="Folder for the index, the database and the model.")
    model_dir: Path = Field(
        default=Path(".testigo"), description="Folder that the embedding model is prepared in; may be shared."
    )
    index_uri: str = Field(default="", description="Where LanceDB keeps its tables; empty: inside the data folder.")
    database_url: str = Field(default="", description="SQLAlchemy address of the database; empty: SQLite.")
    sources: tuple[SourceSettings, ...] = Field(default=(), description="The exports, as `[[sources]]` tables.")
    people_file: Path | None = Field(default=None, description="TOML file of groups and people, or CSV (group,member).")

    # Reading exports
    removal_limit: float = Field(
        default=0.2, ge=0, le=1, description="Share of a source's documents that may go without --confirm-removals."
    )
    ocr: OcrKind = Field(default=OcrKind.OFF, description="Who reads scanned pages and pictures; off: a report only.")
    ocr_languages: str = Field(
        default="spa+eng",
        pattern=r"^[A-Za-z]\w*(\+[A-Za-z]\w*)*$",
        description="Languages of OCR, by their names in tesseract.",
    )
    ocr_pages: int = Field(default=200, ge=1, description="Scanned pages of one document that are read.")
    ocr_seconds: float = Field(default=60, gt=0, description="How long OCR of one page may take.")
    largest_file_mb: int = Field(default=100, ge=1, description="A larger file of an export is refused, in MB.")
    largest_unpacked_mb: int = Field(
        default=400, ge=1, description="An Office file that unpacks to more is refused, in MB."
    )
    most_pages: int = Field(default=2000, ge=1, description="Pages of a PDF that are read.")
    timezone: str = Field(default="UTC", description="Time zone of the schedules, such as `Europe/Madrid`.")
    schedule_grace_minutes: float = Field(
        default=60, gt=0, description="How late a scheduled sync may begin before it counts as missed."
    )

    # Who
    tenant_id: str = Field(
        default="default", min_length=1, max_length=64, description="Name of the tenant that ingest writes to."
    )
    teams: dict[str, str] = Field(
        default_factory=dict,
        description="Slack team (or enterprise) id → tenant id. Empty: the bot's own team is the tenant above.",
    )
    admin_users: tuple[str, ...] = Field(default=(), description="E-mail addresses of admins.")
    admin_groups: tuple[str, ...] = Field(default=(), description="Groups whose members are admins.")
    admin_slack: bool = Field(default=False, description="Whether admins and owners of the Slack workspace are admins.")
    channel_settings_by: ChannelSettingsBy = Field(
        default=ChannelSettingsBy.ADMINS,
        description="Who may set a channel by `/rag-settings`: admins alone, or also its creator, or all its members.",
    )
    everyone_groups: tuple[str, ...] = Field(default=(), description="Groups that every member of the tenant is in.")
    group_aliases: dict[str, str] = Field(
        default_factory=dict,
        description="Group as Confluence or Drive names it → the group whose members it means: one of the people file, "
        "or `slack:HANDLE`, a Slack user group.",
    )

    # Limits
    user_rate: str = Field(
        default="10/minute;300/day", description="Questions that one person may ask; empty: any number."
    )
    workspace_rate: str = Field(
        default="120/minute;10000/day", description="Questions that a workspace may ask; empty: any number."
    )
    user_runs: int = Field(default=3, ge=1, description="Questions of one person that are answered at the same time.")
    daily_tokens: int = Field(
        default=5_000_000, ge=0, description="Tokens of the model that a workspace may use a day (UTC); 0: any number."
    )

    # Privacy
    redact: dict[SensitiveKind, Treatment] = Field(
        default_factory=dict,
        description="What is done with `secret`, `card`, `iban`, `national_id`, `phone`, `email` before indexing: "
        "`redact` or `keep`; unless said otherwise, the last two are kept.",
    )
    question_days: int = Field(
        default=30, ge=1, description="Days that questions are kept, for follow-ups. `testigo forget` deletes at once."
    )
    evidence_days: int = Field(
        default=180, ge=1, description="Days that the evidence of an answer is kept, with the versions it points at."
    )

    # After the answer
    living_days: int = Field(
        default=30,
        ge=0,
        description="Days that answers are watched, to tell when what they cite changes or goes; 0: never.",
    )
    ask_channel: str = Field(
        default="",
        max_length=64,
        description="Id of the channel that a question without an answer can be handed to; a source may name its own.",
    )
    ask_owners: bool = Field(
        default=False,
        description="Whether it can be handed to an owner of the nearest documents, where that is an e-mail address.",
    )
    gaps: bool = Field(
        default=False,
        description="Whether questions that were not answered well are gathered for admins (`/rag-gaps`).",
    )
    gaps_private: bool = Field(
        default=False, description="Whether those of direct messages, commands and private channels are among them."
    )
    admins_channel: str = Field(
        default="",
        max_length=64,
        description="Id of the channel that alerts and the digest of gaps go to; empty: none.",
    )
    admins_language: Literal["en", "es"] = Field(default="en", description="Language of what is said there.")
    gaps_digest: str = Field(
        default="", max_length=160, description="When the digest of gaps is posted, as cron, such as `0 9 * * mon`."
    )

    # Alerts
    alert_days: int = Field(default=1, ge=1, description="Days that are compared with as many days before them.")
    alert_least: int = Field(default=20, ge=1, description="Questions of a period below which nothing is compared.")
    alert_coverage_fall: float = Field(
        default=0.1, gt=0, le=1, description="Fall of the share of claims that passed the verifier that is an alert."
    )
    alert_abstention_rise: float = Field(
        default=0.15, gt=0, le=1, description="Rise of the share of questions without an answer that is an alert."
    )
    alert_changed_share: float = Field(
        default=0.3, gt=0, le=1, description="Share of a source's documents, 10 at least, that one sync changed."
    )
    alert_late_hours: float = Field(
        default=6, gt=0, description="Hours after which a scheduled sync that did not begin is late."
    )
    link_base_url: str = Field(
        default="", description="Links of documents below this address are checked once a day; empty: none."
    )
    link_pause_seconds: float = Field(default=1, ge=0, description="Pause between two links that are checked.")
    link_timeout_seconds: float = Field(default=10, gt=0, description="How long a link may take to answer.")
    link_private: bool = Field(default=False, description="Whether links may lead to addresses of private networks.")

    # Answering
    generator: GeneratorKind = Field(
        default=GeneratorKind.AUTO, description="Who writes answers; auto: Claude if keyed."
    )
    judge: JudgeKind = Field(
        default=JudgeKind.NONE, description="Who judges, besides the rules, whether claims follow; can only lower them."
    )
    judge_model: str = Field(
        default="", description="The judge's model: a cross-encoder's name or folder (nli), a Claude model (claude)."
    )
    anthropic_api_key: SecretStr | None = Field(
        default=None, validation_alias="ANTHROPIC_API_KEY", description="Key of the Anthropic API."
    )
    anthropic_base_url: str = Field(
        default="",
        validation_alias="ANTHROPIC_BASE_URL",
        description="Address of the Messages API; empty: Anthropic's.",
    )
    claude_model: str = Field(default="claude-sonnet-5-5", description="Name of the Claude model.")
    claude_effort: Literal["low", "medium", "high"] = Field(
        default="low", description="How long Claude thinks; more delays the first sentence."
    )
    contextual: bool = Field(
        default=False,
        description="Whether a sync has Claude write a sentence about each passage, from its whole document, by which "
        "it is found too; it is never quoted.",
    )
    contextual_model: str = Field(
        default="", description="The Claude model that writes these sentences; empty: the one that answers."
    )
    contextual_budget_usd: float = Field(
        default=2.0,
        ge=0,
        description="US dollars that they may cost in a sync that nobody is asked about (timetable, `/rag-reindex`).",
    )
    agentic: bool = Field(
        default=False, description="Whether Claude may search again, up to 4 rounds, where the first search is unsure."
    )
    answer_seconds: float = Field(default=60, gt=0, description="Deadline of one answer, in seconds.")
    mode: Mode = Field(default=Mode.BALANCED, description="How sure the bot must be: strict, balanced or open.")
    follow_ups: bool = Field(
        default=False,
        description="Whether a question in a thread that the bot takes part in is answered without a mention, in "
        "channels that say nothing else. In direct messages it always is.",
    )
    delete_with_question: bool = Field(default=True, description="Whether an answer is deleted when its question is.")
    passages: int = Field(default=5, ge=1, le=20, description="Passages that are kept for one answer.")
    candidates: int = Field(default=50, ge=10, le=500, description="Candidates that each half of the search brings.")

    reranker: RerankerKind = Field(
        default=RerankerKind.PACKAGED, description="Who orders what was found: the packaged model, or a cross-encoder."
    )
    reranker_model: str = Field(
        default="", description="The cross-encoder's name or folder, such as `BAAI/bge-reranker-v2-m3`."
    )

    # Model
    embedder: EmbedderKind = Field(default=EmbedderKind.PACKAGED, description="Where vectors come from.")
    embedding_model: str = Field(default="", description="Name or path of a sentence-transformers model.")
    threads: int = Field(
        default_factory=lambda: os.cpu_count() or 2, ge=1, description="Threads of the model; by default one a core."
    )

    # Slack
    slack_bot_token: SecretStr | None = Field(
        default=None, validation_alias="SLACK_BOT_TOKEN", description="Bot token, `xoxb-…`."
    )
    slack_app_token: SecretStr | None = Field(
        default=None, validation_alias="SLACK_APP_TOKEN", description="App-level token, `xapp-…`, for Socket Mode."
    )
    slack_signing_secret: SecretStr | None = Field(
        default=None, validation_alias="SLACK_SIGNING_SECRET", description="Signing secret, for HTTP."
    )
    slack_api_url: str = Field(
        default="https://slack.com/api/", validation_alias="SLACK_API_URL", description="Address of the Web API."
    )
    http_host: str = Field(default="127.0.0.1", description="Address that the HTTP server listens on.")
    http_port: int = Field(default=3000, ge=0, le=65535, description="Port of the HTTP server.")
    lease_seconds: float = Field(default=20, gt=0, description="How long a worker holds an event before another may.")
    workers: int = Field(default=8, ge=1, description="Questions that are worked on at the same time.")
    max_question: int = Field(default=4000, ge=1, description="Longest question, in characters.")

    @model_validator(mode="after")
    def _source_names_are_unique(self) -> Self:
        names = [source.name for source in self.sources]
        doubles = {name for name in names if names.count(name) > 1}
        if doubles:
            raise ValueError(f"two sources are named {', '.join(sorted(doubles))}: give each its own name")
        if self.embedder is EmbedderKind.SENTENCE_TRANSFORMERS and not self.embedding_model:
            raise ValueError("embedder = sentence-transformers needs embedding_model: name the model or its folder")
        for rates in (self.user_rate, self.workspace_rate):
            if rates:
                parse_many(rates)  # its error names the rate
        if self.reranker is RerankerKind.CROSS_ENCODER and not self.reranker_model:
            raise ValueError("reranker = cross-encoder needs reranker_model: name the cross-encoder or its folder")
        if self.gaps_digest and not self.admins_channel:
            raise ValueError("gaps_digest needs admins_channel: name the channel that it goes to")
        if self.link_base_url and not self.link_base_url.startswith("https://"):
            raise ValueError("link_base_url must begin with https://")
        if self.judge is JudgeKind.NLI and not self.judge_model:
            raise ValueError("judge = nli needs judge_model: name the cross-encoder or its folder")
        return self

    @property
    def index_location(self) -> str:
        """The address of the LanceDB database."""
        return self.index_uri or str(self.data_dir / "index")

    @property
    def database_location(self) -> str:
        """The SQLAlchemy address of the database."""
        return self.database_url or f"sqlite:///{(self.data_dir / 'testigo.db').absolute()}"

    @property
    def redaction_policy(self) -> Policy:
        """The kinds that are redacted before indexing."""
        return policy_of(self.redact)

    @property
    def uses_claude(self) -> bool:
        """Whether answers are written by Claude."""
        if self.generator is GeneratorKind.AUTO:
            return self.anthropic_api_key is not None
        return self.generator in (GeneratorKind.CLAUDE, GeneratorKind.CLAUDE_CITATIONS)

    @property
    def writes_contexts(self) -> bool:
        """Whether syncs have sentences written about passages."""
        key = self.anthropic_api_key
        return self.contextual and key is not None and bool(key.get_secret_value().strip())

    @property
    def serves_slack(self) -> bool:
        """Whether there are tokens to serve Slack with."""
        return self.slack_bot_token is not None and (
            self.slack_app_token is not None or self.slack_signing_secret is not None
        )

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,
        file_secret_settings: PydanticBaseSettingsSource,
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        """Arguments, then the environment, then `.env`, then the TOML file."""
        toml = TomlConfigSettingsSource(settings_cls, toml_file=_toml_file.get())
        return init_settings, env_settings, dotenv_settings, toml


def load_settings(config: Path | None = None, **overrides: object) -> Settings:
    """Read the settings; paths in the TOML file are relative to its folder.

    Args:
        config: the TOML file; by default `$TESTIGO_CONFIG`, else `testigo.toml` in the current folder, if it is there.
        overrides: values that win over everything.

    Raises:
        SettingsError: a value is missing or wrong; the sentence names it and never shows a secret.
    """
    named = config or (Path(os.environ[CONFIG_VARIABLE]) if CONFIG_VARIABLE in os.environ else None)
    if named is not None and not named.is_file():
        raise SettingsError(f"There is no settings file {named}: correct its path.")
    path = named or DEFAULT_CONFIG
    token = _toml_file.set(path)
    try:
        settings = Settings(**overrides)  # type: ignore[arg-type]  # pydantic checks each value
    except ValidationError as error:
        problems = "; ".join(f"{'.'.join(map(str, e['loc'])) or 'settings'}: {e['msg']}" for e in error.errors())
        raise SettingsError(f"A setting is wrong: {problems}. Correct it in {path} or .env.") from None
    except ValueError as error:  # TOML that does not parse
        raise SettingsError(f"{path} is not valid TOML: {error}. Correct the file.") from None
    finally:
        _toml_file.reset(token)
    return _anchored(settings, path.absolute().parent)


def _anchored(settings: Settings, folder: Path) -> Settings:
    def under(path: Path | None) -> Path | None:
        return None if path is None else folder / path

    sources = tuple(
        source.model_copy(
            update={
                "path": folder / source.path,
                "access_file": under(source.access_file),
                "users_file": under(source.users_file),
            }
        )
        for source in settings.sources
    )
    return settings.model_copy(update={"sources": sources, "people_file": under(settings.people_file)})
