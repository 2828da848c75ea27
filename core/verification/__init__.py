"""Tie claims to exact slices of known versions, by rules that can be proved again. Pure: no I/O."""

from core.verification.entailment import CrossEncoderJudge, EntailmentJudge, lowered
from core.verification.matching import EvidenceIndex, Located, Tier
from core.verification.verifier import Verifier, citation_id, recheck

__all__ = [
    "CrossEncoderJudge",
    "EntailmentJudge",
    "EvidenceIndex",
    "Located",
    "Tier",
    "Verifier",
    "citation_id",
    "lowered",
    "recheck",
]
