"""Runs in the environment of the peers: what pyCANON says of tables given as JSON, with the time each call took."""

from __future__ import annotations

import json
import sys
import time
import warnings


def main() -> None:
    import numpy as np
    import pandas as pd
    from pycanon import anonymity

    warnings.simplefilter("ignore")
    answers = []
    for task in json.load(sys.stdin):
        frame = pd.read_csv(task["file"]) if "file" in task else pd.DataFrame(task["columns"])
        if "index" in task:
            frame.index = task["index"]
        found = {}
        for name in task["calls"]:
            function = getattr(anonymity, name)
            begin = time.perf_counter()
            try:
                if name == "k_anonymity":
                    answer = function(frame, task["quasi"])
                else:
                    answer = function(frame, task["quasi"], task["sensitive"], gen=task.get("gen", True))
            except Exception as error:  # whatever a peer raises is its answer
                answer = repr(error)
            seconds = time.perf_counter() - begin
            plain = [float(part) for part in answer] if isinstance(answer, tuple) else answer
            found[name] = {"answer": plain if isinstance(plain, list | str) else float(np.real(plain)), "time": seconds}
        answers.append(found)
    json.dump(answers, sys.stdout)


if __name__ == "__main__":
    main()
