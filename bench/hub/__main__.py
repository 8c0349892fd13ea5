"""`python -m bench.hub`: a hub as agents and readers meet it. --only questions speed; --documents N for the large hub.

--endpoint URL --model NAME asks a model as well (any that speaks chat completions; its key in MEMORY_WIRE_ANSWERS_KEY).
"""

from __future__ import annotations

import argparse
import sys

from bench.answers.model import Model
from bench.hub import corpus, questions, speed
from bench.report import Report

PARTS = ("questions", "speed")


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m bench.hub", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", nargs="*", default=PARTS, choices=PARTS)
    parser.add_argument("--documents", type=int, default=corpus.DOCUMENTS)
    parser.add_argument("--endpoint")
    parser.add_argument("--model", default="default")
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--out-md")
    given = parser.parse_args()
    report = Report("Hub")
    if "questions" in given.only:
        model = Model(given.endpoint, given.model, 200, given.seconds) if given.endpoint else None
        questions.run(report, model)
    if "speed" in given.only:
        speed.run(report, given.documents)
    report.close(given.out_md)
    return 0


if __name__ == "__main__":
    sys.exit(main())
