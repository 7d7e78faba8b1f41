# Written by `make format` (tools/stubs.py).
# ruff: noqa
# fmt: off
from paravent.guide.candidates import drafted
from paravent.guide.context import Context
from paravent.guide.deciding.judgements import Judgements
from paravent.guide.deciding.methods import METHODS
from paravent.guide.explaining import Explanation
from paravent.guide.explaining import metric_title
from paravent.guide.explaining import shown
from paravent.guide.explaining import title
from paravent.guide.goals import Goals
from paravent.guide.goals import USES
from paravent.guide.guidance import Guidance
from paravent.guide.learning import Lesson
from paravent.guide.learning import mark
from paravent.guide.learning import quiz
from paravent.guide.learning import tutorial
from paravent.guide.log import Log
from paravent.guide.log import Session
from paravent.guide.log import decision_quality
from paravent.guide.log import sessions
from paravent.guide.log import strict_quality
from paravent.guide.log import study
from paravent.guide.modes import SHOWN
from paravent.guide.modes import shows
from paravent.guide.process import process_document
from paravent.guide.ranking import Ranking
from paravent.guide.ranking import rank
from paravent.guide.signatures import Signature
from paravent.guide.situation import QUESTIONS
from paravent.guide.situation import Situation
from paravent.guide.situation import questions

__all__ = [
    "Context",
    "Explanation",
    "Goals",
    "Guidance",
    "Judgements",
    "Lesson",
    "Log",
    "METHODS",
    "QUESTIONS",
    "Ranking",
    "SHOWN",
    "Session",
    "Signature",
    "Situation",
    "USES",
    "decision_quality",
    "drafted",
    "mark",
    "metric_title",
    "process_document",
    "questions",
    "quiz",
    "rank",
    "sessions",
    "shown",
    "shows",
    "strict_quality",
    "study",
    "title",
    "tutorial",
]
