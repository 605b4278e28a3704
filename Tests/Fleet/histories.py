"""Checks histories that `meshplan state history --json` prints, one file for each network: nothing happened twice, and
nothing at the same time.

    histories.py FILE...
"""

import json
import sys


def check(path):
    """What is wrong with the history in a file, as text; how many plans were carried out or begun."""
    entries = []
    with open(path, encoding="utf-8") as file:
        for line in file:
            value = json.loads(line)
            if value["type"] == "history_entry":
                entries.append(value)
    entries.sort(key=lambda entry: entry["entry"])
    problems = []
    if not entries:
        problems.append("the history is empty")
    for earlier, later in zip(entries, entries[1:]):
        if later["entry"] != earlier["entry"] + 1:
            problems.append(f"entry {later['entry']} follows on {earlier['entry']}")
        # Each command holds the lock from its first change to its last one, so nobody else's is between them.
        if later["serial_before"] < earlier["serial_after"]:
            problems.append(f"entries {earlier['entry']} and {later['entry']} changed the database by turns")
        if later["began"] < earlier["began"]:
            problems.append(f"entry {later['entry']} began before {earlier['entry']}")
    runs = [run for entry in entries for run in entry["runs"]]
    if len({run["run"] for run in runs}) != len(runs):
        problems.append("a run is in two entries")
    for earlier, later in zip(runs, runs[1:]):
        # A run that was killed has no end.
        if earlier.get("ended") and later["started"] < earlier["ended"]:
            problems.append(f"run {later['run']} started before {earlier['run']} had ended")
    return problems, len(runs)


def main():
    total = 0
    failed = False
    for path in sys.argv[1:]:
        problems, runs = check(path)
        total += runs
        for problem in problems:
            failed = True
            print(f"{path}: {problem}")
    if not failed:
        print(total)
    sys.exit(1 if failed else 0)


main()
