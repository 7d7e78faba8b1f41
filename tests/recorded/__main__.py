"""Write down what the program gives: `python -m tests.recorded`. Read the difference before you commit it."""

from __future__ import annotations

import json

from tests.recorded.test_recorded import FILE, found_now

if __name__ == "__main__":
    lines = [f" {json.dumps(name)}: {json.dumps(found)}" for name, found in found_now().items()]
    FILE.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")
    print(f"Written to {FILE}.")
