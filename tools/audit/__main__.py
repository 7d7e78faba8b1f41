"""Does an answer tell more about somebody than its price? Run every mechanism on two tables that differ by one person.

`python -m tools.audit` draws from the secure noise, so that no two runs are alike. For each mechanism it prints the ε
(and δ) that is claimed, the runs on each table, and the ε that the drawings prove: a lower bound that all lines
together exceed by chance in one of a thousand runs. A bound above the claim is a violation. A bound below it is no
proof of privacy: it says that this many runs, looked at in this way, found none.
"""

from __future__ import annotations

import argparse
import time

from tools.audit import questions, synthesis
from tools.audit.trials import all_tried

_LEAST = 100


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tools.audit", description=__doc__)
    parser.add_argument("--runs", type=int, default=100_000, help="on each of the two tables (100 000)")
    parser.add_argument("--only", default="", help="mechanisms whose name holds this text")
    wanted = parser.parse_args()
    if wanted.runs < _LEAST:
        parser.error(f"--runs must be at least {_LEAST}, not {wanted.runs}.")
    trials = [
        trial for trial in (*questions.trials(), *synthesis.trials()) if wanted.only.lower() in trial.name.lower()
    ]
    if not trials:
        parser.error(f"--only: no mechanism is called {wanted.only!r}.")
    width = max(len(trial.name) for trial in trials)
    print(f"{'mechanism':<{width}}  claimed ε (δ)      runs  proven ε  event      seconds  verdict")
    violated = 0
    start = time.process_time()
    for result in all_tried(trials, wanted.runs):
        trial, now = result.trial, time.process_time()
        claim = f"{trial.epsilon:.3f}" + (f" ({trial.delta:g})" if trial.delta else "")
        verdict = "VIOLATION" if result.violated else "no violation found"
        print(
            f"{trial.name:<{width}}  {claim:<13} {result.runs:>8}  {result.proven.epsilon:>8.3f}  "
            f"{result.proven.event!s:<10} {now - start:>7.0f}  {verdict}",
            flush=True,
        )
        violated += result.violated
        start = now
    print(f"\n{len(trials)} mechanisms, {violated} violations.")
    return 1 if violated else 0


if __name__ == "__main__":
    raise SystemExit(main())
