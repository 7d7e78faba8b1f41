"""Reads every file of a folder and logs how each ended, before and after, so that a crash names its file."""

import contextlib
import json
import signal
import sys
from pathlib import Path

from paravent.errors import ParaventError
from paravent.table.read import read
from paravent.table.released import read_released


class HangError(BaseException):
    pass


def alarm(*_: object) -> None:
    raise HangError


def end_of(path: Path) -> tuple[str, str]:
    signal.alarm(20)
    try:
        table = read(path)
        assert len(table.rows) == len(table)
        assert list(table.columns) == table.names
        assert repr(table)
        with contextlib.suppress(ParaventError):  # the judge of releases may refuse what others read
            cells, _ = read_released(path)
            assert cells.shape == table.frame.shape
            assert cells.columns == table.names
    except ParaventError as error:
        return "error", str(error)
    except BaseException as error:
        return f"{type(error).__name__}: {error}"[:300], ""
    finally:
        signal.alarm(0)
    return "table", ""


def main(corpus: str, log: str) -> None:
    signal.signal(signal.SIGALRM, alarm)
    with Path(log).open("w") as out:
        for path in sorted(Path(corpus).iterdir()):
            mark = out.tell()
            out.write(json.dumps({"file": path.name, "end": "died", "message": ""}) + "\n")
            out.flush()
            end, message = end_of(path)
            out.seek(mark)
            out.truncate()
            out.write(json.dumps({"file": path.name, "end": end, "message": message}) + "\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
