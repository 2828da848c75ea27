"""Claude's Messages API over loopback: for tests with the real client, and for the playground.

async with ClaudeStandIn() as server:
    server.script(overloaded(), {"answerable": True, ...})
    client = AsyncAnthropic(api_key=server.api_key, base_url=server.base_url)
"""

from bot.standin.claude.faults import (
    CleanCut,
    Corrupt,
    Drop,
    ErrorEvent,
    Hangup,
    HttpFault,
    Silent,
    Stall,
    bad_gateway,
    overloaded,
    rate_limited,
    server_error,
    unauthorized,
)
from bot.standin.claude.recording import RecordedRequest
from bot.standin.claude.replies import Chunking, Quoted, Reply, Step, Text, Thought, ToolUse, refusal
from bot.standin.claude.server import ClaudeStandIn

__all__ = [
    "Chunking",
    "ClaudeStandIn",
    "CleanCut",
    "Corrupt",
    "Drop",
    "ErrorEvent",
    "Hangup",
    "HttpFault",
    "Quoted",
    "RecordedRequest",
    "Reply",
    "Silent",
    "Stall",
    "Step",
    "Text",
    "Thought",
    "ToolUse",
    "bad_gateway",
    "overloaded",
    "rate_limited",
    "refusal",
    "server_error",
    "unauthorized",
]
