#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes the declaration tables of the bindings from the public headers.

    generate.py           writes the files
    generate.py --check   writes nothing; names the files that are not up to date
"""
import importlib
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
import headers  # noqa: E402

BINDINGS = Path(__file__).resolve().parent.parent


def main(argv):
    api = headers.read(BINDINGS.parent / "include")
    stale = []
    for language in ("python", "rust", "go"):
        for name, text in importlib.import_module(f"gen_{language}").files(api).items():
            path = BINDINGS / name
            if path.exists() and path.read_text(encoding="utf-8") == text:
                continue
            stale.append(name)
            if "--check" not in argv:
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text, encoding="utf-8")
    for name in stale:
        print(("stale: " if "--check" in argv else "wrote ") + name)
    return 1 if stale and "--check" in argv else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
