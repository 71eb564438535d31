"""What the code in the code-quality set must do: the checks of each task, and running a response against them.

A check that shows a fault of correctness has the name of the fault; the check `usual-case` and the others that no
fault is named after are there for all responses. Go and Rust have no checks, as their compilers can't be installed
with the tests.

Run as a script, this file reads Python, SQL or Bash from standard input, runs the checks of the task given as its
argument and prints, as JSON, why each one failed that did.
"""

import io
import json
import os
import re
import sqlite3
import subprocess
import sys
import tempfile
from collections import defaultdict
from collections.abc import Callable, Iterable
from contextlib import closing, redirect_stdout
from pathlib import Path
from typing import Any

Check = Callable[[Any], None]

SECONDS_FOR_A_RESPONSE = 300
SECONDS_FOR_A_SCRIPT = 300
FENCED = re.compile(r"^```[a-z]*\n(.*?)^```", re.MULTILINE | re.DOTALL)
REPORT_MARK = "the checks that failed: "

ENTRY_POINTS = {
    "contacts": "merge_contacts",
    "logs": "errors_per_hour",
    "bookings": "merge_bookings",
    "limiter": "RateLimiter",
    "revenue": "revenue_by_month",
}
TEXT_TASKS = {"sql", "bash"}
NODE_SUFFIXES = {"words": ".cjs", "tree": ".cjs", "users": ".cjs", "lru": ".mts"}

CHECKS: dict[str, dict[str, Check]] = defaultdict(dict)


def shows(task: str, fault: str) -> Callable[[Check], Check]:
    """Register the decorated function as a check of `task`, under the name of the fault that it detects."""

    def enter(check: Check) -> Check:
        CHECKS[task][fault] = check
        return check

    return enter


def check_names(task: str) -> list[str]:
    """Return the names of the checks of `task`; [] for a language that isn't run."""
    if task in NODE_SUFFIXES:
        return re.findall(r'^  "([a-z-]+)": (?:async )?\(\) =>', NODE_CHECKS[task], re.MULTILINE)
    return list(CHECKS[task])


def code_of(response: str) -> str:
    """Return the code in the first fenced block of a response."""
    fenced = FENCED.search(response)
    if fenced is None:
        raise ValueError(f"no fenced code in {response[:60]!r}")
    return fenced[1]


def failed_checks(task: str, code: str) -> dict[str, str]:
    """Run the checks of `task` on `code` in a process of its own; return those that fail, with reasons."""
    with tempfile.TemporaryDirectory() as folder:
        try:
            run = run_in_node(task, code, folder) if task in NODE_SUFFIXES else run_in_python(task, code, folder)
        except subprocess.TimeoutExpired:
            return dict.fromkeys(check_names(task), f"no end after {SECONDS_FOR_A_RESPONSE} s")
    _, mark, report = run.stdout.rpartition(REPORT_MARK)
    if run.returncode != 0 or not mark:
        return dict.fromkeys(check_names(task), f"does not run: {run.stderr[-500:]}")
    failed: dict[str, str] = json.loads(report)
    return failed


def run_in_python(task: str, code: str, folder: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [sys.executable, __file__, task],
        input=code,
        capture_output=True,
        text=True,
        cwd=folder,
        timeout=SECONDS_FOR_A_RESPONSE,
    )


def run_in_node(task: str, code: str, folder: str) -> "subprocess.CompletedProcess[str]":
    from tests.real.promptfoo import NODE  # not where this file runs as a script, which has no tests to import from

    program = Path(folder, "response").with_suffix(NODE_SUFFIXES[task])
    program.write_text(code + NODE_RUNNER.replace("CHECKS", NODE_CHECKS[task]), encoding="utf-8")
    return subprocess.run(
        [str(NODE), str(program), REPORT_MARK],
        capture_output=True,
        text=True,
        cwd=folder,
        timeout=SECONDS_FOR_A_RESPONSE,
    )


def main() -> None:
    """Run the checks of the task named on the command line over the code on standard input."""
    (task,) = sys.argv[1:]
    code = sys.stdin.read()
    failed = {}
    with redirect_stdout(io.StringIO()):
        solution = solution_of(task, code)
        for name, check in CHECKS[task].items():
            try:
                check(solution)
            except Exception as error:
                failed[name] = f"{type(error).__name__}: {error}"
    print(REPORT_MARK + json.dumps(failed))


def solution_of(task: str, code: str) -> Any:
    """Return what the checks of `task` need: the function or class in the code, or the text of a query or script."""
    if task in TEXT_TASKS:
        return code
    namespace: dict[str, Any] = {"__name__": "response"}
    exec(code, namespace)
    return namespace[ENTRY_POINTS[task]]


def require(found: object, expected: object) -> None:
    if found != expected:
        raise AssertionError(f"expected {expected!r}, found {found!r}")


def require_error(kind: type[Exception], call: Callable[[], object]) -> Exception:
    try:
        outcome = call()
    except kind as error:
        return error
    raise AssertionError(f"expected {kind.__name__}, found {outcome!r}")


# contacts: merge_contacts(contacts)


def contacts_with(*emails: str | None) -> list[dict[str, str | None]]:
    """Make a contact for each email address, named by its position: "1", "2", …"""
    return [{"name": str(place), "email": email} for place, email in enumerate(emails, 1)]


def names(contacts: Iterable[dict[str, Any]]) -> list[str]:
    return [contact["name"] for contact in contacts]


@shows("contacts", "usual-case")
def emails_that_differ_in_case_are_duplicates(merge_contacts: Any) -> None:
    require(len(merge_contacts(contacts_with("ann@x.org", "bob@x.org", "ANN@x.org"))), 2)
    require(names(merge_contacts(contacts_with("b@x.org", "a@x.org", "c@x.org"))), ["1", "2", "3"])
    require(merge_contacts([]), [])


@shows("contacts", "input-kept")
def the_contacts_passed_in_stay_as_they_are(merge_contacts: Any) -> None:
    contacts = contacts_with("ann@x.org", "ANN@x.org", None)
    merge_contacts(contacts)
    require(contacts, contacts_with("ann@x.org", "ANN@x.org", None))


@shows("contacts", "keeps-last")
def the_first_of_two_duplicates_stays(merge_contacts: Any) -> None:
    require(names(merge_contacts(contacts_with("ann@x.org", "bob@x.org", "ann@x.org"))), ["1", "2"])


@shows("contacts", "spaces-not-ignored")
def spaces_round_an_email_are_ignored(merge_contacts: Any) -> None:
    require(len(merge_contacts(contacts_with("ann@x.org", " ann@x.org "))), 1)


@shows("contacts", "empty-emails-merged")
def contacts_without_email_are_all_kept(merge_contacts: Any) -> None:
    require(len(merge_contacts([*contacts_with("", "", None, None), {"name": "5"}, {"name": "6"}])), 6)


@shows("contacts", "blank-email-merged")
def contacts_whose_email_is_nothing_but_spaces_are_all_kept(merge_contacts: Any) -> None:
    require(len(merge_contacts(contacts_with("ann@x.org", " ", " \t", " \t "))), 4)


# logs: errors_per_hour(path). Each log opens with a line that fits no pattern.


def log_file(*lines: str) -> Path:
    path = Path(tempfile.mkstemp(suffix=".log", dir=os.curdir)[1])
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return path


@shows("logs", "usual-case")
def errors_are_counted_by_service_and_hour(errors_per_hour: Any) -> None:
    path = log_file(
        "opened",
        "2024-05-01T13:45:10Z ERROR billing: card declined",
        "2024-05-01T13:59:59Z ERROR billing: card declined",
        "2024-05-01T14:00:00Z ERROR billing: card: declined",
        "2024-05-01T13:45:11Z INFO billing: started",
        "2024-05-01T13:45:12Z ERROR user-api: timeout",
    )
    counts = {("billing", "2024-05-01T13"): 2, ("billing", "2024-05-01T14"): 1, ("user-api", "2024-05-01T13"): 1}
    require(errors_per_hour(path), counts)
    require(errors_per_hour(str(path)), counts)


@shows("logs", "malformed-lines")
def lines_of_another_form_are_skipped(errors_per_hour: Any) -> None:
    path = log_file("opened", "", "ERROR", "2024-05-01T13:45:10Z ERROR", "2024-05-01 ERROR billing: x", "  at main()")
    require(errors_per_hour(path), {})


@shows("logs", "missing-file")
def a_missing_file_raises(errors_per_hour: Any) -> None:
    require_error(FileNotFoundError, lambda: errors_per_hour("nowhere.log"))


@shows("logs", "level-in-message")
def the_word_error_in_a_message_does_not_count(errors_per_hour: Any) -> None:
    require(errors_per_hour(log_file("opened", "2024-05-01T13:45:10Z WARN billing: saw ERROR twice")), {})


@shows("logs", "first-line-skipped")
def the_first_line_counts(errors_per_hour: Any) -> None:
    path = log_file("2024-05-01T13:45:10Z ERROR billing: card declined")
    require(errors_per_hour(path), {("billing", "2024-05-01T13"): 1})


@shows("logs", "non-ascii-crash")
def a_message_can_hold_any_letter(errors_per_hour: Any) -> None:
    path = log_file("opened", "2024-05-01T13:45:10Z ERROR billing: Überweisung abgelehnt")
    require(errors_per_hour(path), {("billing", "2024-05-01T13"): 1})


# bookings: merge_bookings(bookings)


@shows("bookings", "usual-case")
def overlapping_bookings_are_joined_and_sorted(merge_bookings: Any) -> None:
    require(merge_bookings([(10, 12), (1, 4), (3, 6)]), [(1, 6), (10, 12)])
    require(merge_bookings([]), [])


@shows("bookings", "last-booking-lost")
def the_last_booking_is_in_the_result(merge_bookings: Any) -> None:
    require(merge_bookings([(1, 2), (8, 9)]), [(1, 2), (8, 9)])


@shows("bookings", "touching-not-merged")
def touching_bookings_are_joined(merge_bookings: Any) -> None:
    require(merge_bookings([(3, 5), (1, 3)]), [(1, 5)])


@shows("bookings", "contained-booking-shortens")
def a_booking_inside_another_changes_nothing(merge_bookings: Any) -> None:
    require(merge_bookings([(1, 9), (2, 3)]), [(1, 9)])


@shows("bookings", "reversed-accepted")
def a_booking_that_ends_before_it_starts_is_refused(merge_bookings: Any) -> None:
    require_error(ValueError, lambda: merge_bookings([(5, 6), (4, 1)]))


@shows("bookings", "input-changed")
def the_list_passed_in_stays_as_it_is(merge_bookings: Any) -> None:
    bookings = [(10, 12), (1, 4), (3, 6)]
    merge_bookings(bookings)
    require(bookings, [(10, 12), (1, 4), (3, 6)])


# limiter: RateLimiter(max_calls, period).allow(key, now)


@shows("limiter", "usual-case")
def calls_over_the_limit_are_refused(rate_limiter: Any) -> None:
    limiter = rate_limiter(2, 10)
    require([limiter.allow("a", now) for now in (0, 1, 2)], [True, True, False])
    require(limiter.allow("b", 2), True)
    require(rate_limiter(2, 10).allow("a", 3), True)


@shows("limiter", "window-never-moves")
def old_calls_no_longer_count(rate_limiter: Any) -> None:
    limiter = rate_limiter(1, 10)
    require([limiter.allow("a", now) for now in (0, 25)], [True, True])


@shows("limiter", "oldest-call-still-counts")
def a_call_exactly_a_period_ago_no_longer_counts(rate_limiter: Any) -> None:
    limiter = rate_limiter(1, 10)
    require([limiter.allow("a", now) for now in (0, 10)], [True, True])


@shows("limiter", "refused-recorded")
def a_refused_call_is_not_recorded(rate_limiter: Any) -> None:
    limiter = rate_limiter(1, 10)
    require([limiter.allow("a", now) for now in (0, 5, 12)], [True, False, True])


@shows("limiter", "zero-limit-crash")
def a_limit_of_zero_refuses_everything(rate_limiter: Any) -> None:
    limiter = rate_limiter(0, 10)
    require([limiter.allow("a", now) for now in (0, 5, 30)], [False, False, False])


# revenue: revenue_by_month(orders, vat_rates)


def order(date: str, net_cents: int, *, country: str = "DE", status: str = "paid") -> dict[str, Any]:
    return {"date": date, "country": country, "net_cents": net_cents, "status": status}


@shows("revenue", "usual-case")
def gross_is_summed_by_country_and_month(revenue_by_month: Any) -> None:
    orders = [
        order("2024-03-09", 1000),
        order("2024-03-31", 2000),
        order("2024-04-01", 300),
        order("2023-03-09", 100),
        order("2024-03-09", 500, country="FR"),
        order("2024-03-09", 999, status="open"),
        order("2024-03-09", 999, country="XX", status="refunded"),
    ]
    gross = {("DE", "2024-03"): 3570, ("DE", "2024-04"): 357, ("DE", "2023-03"): 119, ("FR", "2024-03"): 600}
    require(revenue_by_month(orders, {"DE": 19, "FR": 20}), gross)


@shows("revenue", "unknown-country")
def a_country_without_a_rate_is_refused_by_name(revenue_by_month: Any) -> None:
    error = require_error(ValueError, lambda: revenue_by_month([order("2024-03-09", 1, country="XX")], {"DE": 19}))
    if "XX" not in str(error):
        raise AssertionError(f"{error} doesn't name the country")


@shows("revenue", "rounded-by-order")
def each_order_is_rounded_for_itself(revenue_by_month: Any) -> None:
    orders = [order("2024-03-09", 3), order("2024-03-10", 3)]
    require(revenue_by_month(orders, {"DE": 19}), {("DE", "2024-03"): 8})


@shows("revenue", "first-order-lost")
def the_first_order_of_a_month_counts(revenue_by_month: Any) -> None:
    require(revenue_by_month([order("2024-03-09", 1000)], {"DE": 19}), {("DE", "2024-03"): 1190})


@shows("revenue", "halves-to-even")
def halves_are_rounded_up(revenue_by_month: Any) -> None:
    require(revenue_by_month([order("2024-03-09", 50)], {"DE": 1}), {("DE", "2024-03"): 51})


@shows("revenue", "empty-gives-none")
def no_orders_give_an_empty_dict(revenue_by_month: Any) -> None:
    require(revenue_by_month([], {"DE": 19}), {})


# sql: one query


SCHEMA = """
CREATE TABLE customers (id INTEGER PRIMARY KEY, name TEXT);
CREATE TABLE orders (id INTEGER PRIMARY KEY, customer_id INTEGER, placed_at TEXT, status TEXT);
CREATE TABLE order_items (order_id INTEGER, qty INTEGER, unit_price_cents INTEGER);
"""


def answer(
    query: str, customers: list[str], orders: list[tuple[int, str, str]], items: list[tuple[int, int, int]]
) -> list[dict[str, Any]]:
    """Run a query on a database whose customers and orders have the ids 1, 2, …; return the rows."""
    with closing(sqlite3.connect(":memory:")) as database:
        database.row_factory = sqlite3.Row
        database.executescript(SCHEMA)
        database.executemany("INSERT INTO customers VALUES (?, ?)", enumerate(customers, 1))
        rows = [(order_id, *fields) for order_id, fields in enumerate(orders, 1)]
        database.executemany("INSERT INTO orders VALUES (?, ?, ?, ?)", rows)
        database.executemany("INSERT INTO order_items VALUES (?, ?, ?)", items)
        return [dict(row) for row in database.execute(query)]


def row(name: str, paid_orders: int, revenue_cents: int) -> dict[str, Any]:
    return {"name": name, "paid_orders": paid_orders, "revenue_cents": revenue_cents}


@shows("sql", "usual-case")
def paid_orders_of_the_year_are_summed(query: Any) -> None:
    orders = [
        (1, "2024-05-17 09:30:00", "paid"),
        (2, "2024-01-01 00:00:00", "paid"),
        (2, "2024-06-01 10:00:00", "paid"),
        (1, "2024-05-18 09:30:00", "cancelled"),
        (1, "2023-12-31 23:59:59", "paid"),
        (1, "2025-01-01 00:00:00", "paid"),
        (3, "2024-07-01 10:00:00", "paid"),
    ]
    items = [(1, 2, 50), (2, 1, 300), (3, 1, 400), (4, 1, 999), (5, 1, 999), (6, 1, 999), (7, 1, 100)]
    rows = answer(query, ["Bo", "Cy", "Al"], orders, items)
    require(rows, [row("Cy", 2, 700), row("Al", 1, 100), row("Bo", 1, 100)])


@shows("sql", "orders-counted-by-item")
def an_order_with_two_items_counts_once(query: Any) -> None:
    rows = answer(query, ["Bo"], [(1, "2024-05-17 09:30:00", "paid")], [(1, 2, 50), (1, 1, 7)])
    require(rows, [row("Bo", 1, 107)])


@shows("sql", "same-name-merged")
def customers_of_the_same_name_are_kept_apart(query: Any) -> None:
    orders = [(1, "2024-05-17 09:30:00", "paid"), (2, "2024-05-18 09:30:00", "paid")]
    require(answer(query, ["Bo", "Bo"], orders, [(1, 1, 9), (2, 1, 4)]), [row("Bo", 1, 9), row("Bo", 1, 4)])


@shows("sql", "last-day-lost")
def the_last_day_of_the_year_counts(query: Any) -> None:
    rows = answer(query, ["Bo"], [(1, "2024-12-31 18:00:00", "paid")], [(1, 1, 5)])
    require(rows, [row("Bo", 1, 5)])


@shows("sql", "customers-without-orders-lost")
def customers_without_orders_are_listed(query: Any) -> None:
    orders = [(1, "2024-05-17 09:30:00", "paid")]
    require([found["name"] for found in answer(query, ["Bo", "Cy"], orders, [(1, 1, 5)])], ["Bo", "Cy"])


@shows("sql", "null-instead-of-zero")
def what_is_listed_for_no_orders_is_zero(query: Any) -> None:
    rows = answer(query, ["Bo", "Cy"], [(1, "2024-05-17 09:30:00", "paid")], [(1, 1, 5)])
    require([found for found in rows if found["name"] == "Cy" and None in found.values()], [])


# bash: tidy_logs.sh DIR KEEP


def tidied(
    script: str, *, logs: Iterable[str] = (), archives: Iterable[str] = (), keep: int
) -> tuple["subprocess.CompletedProcess[str]", set[str]]:
    """Run the script in a folder with logs and archives; return the result and the names of the files left."""
    folder = Path(tempfile.mkdtemp(dir=os.curdir)).resolve()
    for age, name in enumerate([*archives, *logs]):
        (folder / name).write_bytes(b"text\n")
        os.utime(folder / name, (1_700_000_000 + age, 1_700_000_000 + age))
    run = run_script(script, str(folder), str(keep))
    return run, {path.name for path in folder.iterdir()}


def run_script(script: str, *arguments: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        ["bash", "-c", script, "tidy_logs.sh", *arguments],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=SECONDS_FOR_A_SCRIPT,
    )


@shows("bash", "usual-case")
def logs_are_compressed_and_old_archives_deleted(script: Any) -> None:
    run, left = tidied(script, logs=["c.log", "d.log"], archives=["z.gz", "y.gz", "x.gz"], keep=3)
    require((run.returncode, left), (0, {"x.gz", "c.log.gz", "d.log.gz"}))
    run, left = tidied(script, logs=["c.log"], archives=["z.gz"], keep=5)
    require((run.returncode, left), (0, {"z.gz", "c.log.gz"}))


@shows("bash", "no-folder")
def a_folder_that_is_not_there_is_refused(script: Any) -> None:
    run = run_script(script, "nowhere", "3")
    require((run.returncode, run.stdout, run.stderr != ""), (2, "", True))


@shows("bash", "spaces-split-names")
def names_with_spaces_are_handled(script: Any) -> None:
    run, left = tidied(script, logs=["new one.log"], archives=["old one.gz", "old two.gz"], keep=2)
    require((run.returncode, left), (0, {"old two.gz", "new one.log.gz"}))


@shows("bash", "no-logs-error")
def a_folder_without_logs_is_tidied(script: Any) -> None:
    run, left = tidied(script, archives=["old.gz", "new.gz"], keep=1)
    require((run.returncode, left), (0, {"new.gz"}))


@shows("bash", "count-not-printed")
def the_last_line_is_the_number_of_files_deleted(script: Any) -> None:
    run, _ = tidied(script, logs=["c.log"], archives=["z.gz", "y.gz", "x.gz"], keep=2)
    require(run.stdout.splitlines()[-1].strip(), "2")
    run, _ = tidied(script, logs=["c.log"], keep=2)
    require(run.stdout.splitlines()[-1].strip(), "0")


# The tasks in JavaScript and TypeScript: their checks are JavaScript too.


NODE_RUNNER = """
void (async () => {
  const { default: assert } = await import("node:assert/strict");

  function userOf(id) {
    return { id, name: `name of ${id}` };
  }

  function serverWith(known) {
    const asked = [];
    const getUsers = async (ids) => {
      if (ids.length > 50) throw new Error("more than 50 ids");
      asked.push(...ids);
      return known.filter((id) => ids.includes(id)).reverse().map(userOf);
    };
    return { asked, getUsers };
  }

  const checks = {CHECKS};
  const failed = {};
  for (const [name, check] of Object.entries(checks)) {
    try {
      await check();
    } catch (error) {
      failed[name] = String(error);
    }
  }
  console.log(process.argv[2] + JSON.stringify(failed));
})();
"""

NODE_CHECKS = {
    "words": """
  "usual-case": () => {
    assert.deepEqual(topWords("The cat and the dog; THE dog!", 2), [
      { word: "the", count: 3 },
      { word: "dog", count: 2 },
    ]);
    assert.deepEqual(topWords("a a b", 9), [{ word: "a", count: 2 }, { word: "b", count: 1 }]);
  },
  "no-words": () => {
    assert.deepEqual(topWords("", 3), []);
    assert.deepEqual(topWords(" - !", 3), []);
  },
  "other-letters": () => {
    assert.deepEqual(topWords("Été été 3D", 2), [{ word: "été", count: 2 }, { word: "3d", count: 1 }]);
  },
  "ties-unordered": () => {
    assert.deepEqual(topWords("b c a", 3).map(({ word }) => word), ["a", "b", "c"]);
  },
  "apostrophes-split": () => {
    assert.deepEqual(topWords("don't don't", 5), [{ word: "don't", count: 2 }]);
  },
  "inherited-key": () => {
    assert.deepEqual(topWords("constructor constructor", 5), [{ word: "constructor", count: 2 }]);
  },
  "least-frequent-first": () => {
    assert.deepEqual(topWords("b b b a a c", 3).map(({ word }) => word), ["b", "a", "c"]);
  },
""",
    "tree": """
  "usual-case": () => {
    const rows = [
      { id: 1, parentId: null, title: "one" },
      { id: 2, parentId: 1, title: "two" },
      { id: 3, parentId: 2, title: "three" },
      { id: 4, parentId: 1, title: "four" },
      { id: 5, parentId: null, title: "five" },
    ];
    const three = { id: 3, title: "three", children: [] };
    const children = [{ id: 2, title: "two", children: [three] }, { id: 4, title: "four", children: [] }];
    const roots = [{ id: 1, title: "one", children }, { id: 5, title: "five", children: [] }];
    assert.deepEqual(buildTree(rows), roots);
    assert.deepEqual(buildTree([]), []);
  },
  "text-ids": () => {
    const rows = [{ id: "b", parentId: null, title: "" }, { id: "a", parentId: "b", title: "" }];
    assert.deepEqual(buildTree(rows)[0].children, [{ id: "a", title: "", children: [] }]);
  },
  "child-before-parent-misplaced": () => {
    const rows = [{ id: 2, parentId: 1, title: "two" }, { id: 1, parentId: null, title: "one" }];
    const roots = [{ id: 1, title: "one", children: [{ id: 2, title: "two", children: [] }] }];
    assert.deepEqual(buildTree(rows), roots);
  },
  "rows-changed": () => {
    const rows = [{ id: 1, parentId: null, title: "one" }, { id: 2, parentId: 1, title: "two" }];
    const before = structuredClone(rows);
    buildTree(rows);
    assert.deepEqual(rows, before);
  },
  "zero-parent-ignored": () => {
    const rows = [{ id: 0, parentId: null, title: "" }, { id: 1, parentId: 0, title: "" }];
    assert.deepEqual(buildTree(rows), [{ id: 0, title: "", children: [{ id: 1, title: "", children: [] }] }]);
  },
  "orphans-dropped": () => {
    const rows = [{ id: 1, parentId: 77, title: "" }, { id: 2, parentId: null, title: "" }];
    assert.deepEqual(buildTree(rows).map(({ id }) => id), [1, 2]);
  },
""",
    "users": """
  "usual-case": async () => {
    const api = serverWith([1, 2, 3]);
    assert.deepEqual(await loadUsers([3, 1], api), [userOf(3), userOf(1)]);
    assert.deepEqual(await loadUsers([], serverWith([])), []);
  },
  "over-fifty": async () => {
    const ids = Array.from({ length: 173 }, (_, place) => `u${place}`);
    assert.deepEqual(await loadUsers(ids, serverWith(ids)), ids.map(userOf));
    const exactly = ids.slice(0, 50);
    assert.deepEqual(await loadUsers(exactly, serverWith(exactly)), exactly.map(userOf));
    assert.deepEqual(await loadUsers(ids.slice(0, 70), serverWith(ids)), ids.slice(0, 70).map(userOf));
  },
  "asked-once": async () => {
    const api = serverWith([1, 2]);
    assert.deepEqual(await loadUsers([1, 2, 1], api), [userOf(1), userOf(2), userOf(1)]);
    assert.deepEqual(api.asked.toSorted(), [1, 2]);
  },
  "error-reaches-caller": async () => {
    const api = { getUsers: async () => { throw new Error("server down"); } };
    await assert.rejects(async () => await loadUsers([1], api), /server down/);
  },
  "unknown-left-out": async () => {
    assert.deepEqual(await loadUsers([9, 1], serverWith([1])), [null, userOf(1)]);
  },
  "inherited-key": async () => {
    const users = await loadUsers(["constructor", "ann"], serverWith(["ann"]));
    assert.deepEqual(users.filter((user) => user !== null), [userOf("ann")]);
  },
""",
    "lru": """
  "usual-case": () => {
    const cache = new LruCache(2);
    cache.set("a", 1);
    cache.set("b", 2);
    cache.set("c", 3);
    assert.deepEqual([cache.get("a"), cache.get("b"), cache.get("c"), cache.size], [undefined, 2, 3, 2]);
    assert.equal(new LruCache(1).get("a"), undefined);
  },
  "set-is-a-use": () => {
    const cache = new LruCache(2);
    cache.set("a", 1);
    cache.set("b", 2);
    cache.set("a", 3);
    cache.set("c", 4);
    assert.deepEqual([cache.get("b"), cache.get("a"), cache.get("c")], [undefined, 3, 4]);
  },
  "get-not-a-use": () => {
    const cache = new LruCache(2);
    cache.set("a", 1);
    cache.set("b", 2);
    cache.get("a");
    cache.set("c", 3);
    assert.deepEqual([cache.get("a"), cache.get("b")], [1, undefined]);
  },
  "overwrite-drops-another": () => {
    const cache = new LruCache(2);
    cache.set("a", 1);
    cache.set("b", 2);
    cache.set("b", 3);
    assert.deepEqual([cache.get("a"), cache.get("b"), cache.size], [1, 3, 2]);
  },
  "capacity-unchecked": () => {
    assert.throws(() => new LruCache(0), RangeError);
  },
  "falsy-value-not-refreshed": () => {
    const cache = new LruCache(2);
    cache.set("a", 0);
    cache.set("b", 2);
    cache.get("a");
    cache.set("c", 3);
    assert.equal(cache.get("a"), 0);
  },
""",
}


if __name__ == "__main__":
    main()
