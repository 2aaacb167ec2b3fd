#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Counts the single cases in the logs of Meson test runs.

    summary.py [--quiet] TESTLOG.json...

cmocka programs, scripts that print "ok 1 - name" lines, and plain programs are understood. Prints the reasons of skips
and the output of failures, then "passed failed skipped" as three numbers on the last line.
"""
import collections
import json
import re
import sys


def count(entry):
    """Passed, failed and skipped cases of one program, and the reasons of the skips."""
    text = (entry.get("stdout") or "") + "\n" + (entry.get("stderr") or "")
    result = entry["result"]
    if result == "SKIP":
        reason = re.search(r"skipped: (.*)", text)
        return 0, 0, 1, [reason.group(1) if reason else "no reason given"]
    passed = failed = skipped = 0
    reasons = []
    if re.search(r"^\[={10}\]", text, re.M):
        number = lambda word: sum(map(int, re.findall(r"^\[\s*%s\s*\] (\d+) test" % word, text, re.M)))
        passed, failed, skipped = number("PASSED"), number("FAILED"), number("SKIPPED")
        reasons = [f"{entry['name']}: {why}" for why in re.findall(r"^skip reason: (.*)$", text, re.M)]
    elif re.search(r"^1\.\.\d+$", text, re.M):
        for line in text.splitlines():
            if re.match(r"not ok \d+", line):
                failed += 1
            elif "# SKIP" in line:
                skipped += 1
                reasons.append(line.split("# SKIP", 1)[1].strip())
            elif re.match(r"ok \d+", line):
                passed += 1
    elif result in ("OK", "EXPECTEDFAIL"):
        passed = 1
    if result not in ("OK", "SKIP", "EXPECTEDFAIL") and failed == 0:
        failed = 1  # it crashed, or ran out of time
    return passed, failed, skipped, reasons


def main():
    totals = [0, 0, 0]
    reasons = collections.Counter()
    for path in sys.argv[1:]:
        with open(path, encoding="utf-8") as log:
            for line in log:
                entry = json.loads(line)
                passed, failed, skipped, why = count(entry)
                for i, n in enumerate((passed, failed, skipped)):
                    totals[i] += n
                reasons.update(why)
                if failed:
                    print(f"    FAILED: {entry['name']} ({entry['result']})")
                    text = (entry.get("stdout") or "") + "\n" + (entry.get("stderr") or "")
                    wanted = [s for s in text.splitlines() if s.strip()
                              and not re.match(r"\[ (RUN|      OK)|ok \d|\[  PASSED", s)]
                    print("\n".join("      " + s for s in wanted[:60]))
    for reason, n in sorted(reasons.items()):
        print(f"    skipped {n}: {reason}")
    print(*totals)


if __name__ == "__main__":
    main()
