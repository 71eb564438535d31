"""Files as accidents and strangers leave them: bytes lost or doubled, values of another type, size or shape."""

import csv
import io
import json
import sqlite3
import struct
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random
from typing import Any

HUGE = (310, 4_299, 4_301, 20_000)
"""Digits of an integer: more than a float can have, just below and above what Python converts, and far above."""
DEEP = 3_000
"""Levels of nesting, beyond Python's recursion."""
HOSTILE: tuple[Any, ...] = (
    *(None, True, False, 0, -1, 1.5, -0.0, 1e308, 10**15, 2**63, -(2**63) - 1),
    *("", " ", "\x00", "\x1b[31mred", "=1+1", "@SUM(1)", "NaN", "inf", "-inf", "1e999", "9" * 400, "1" * 5_000),
    *("\ud800", "a\u202eb", "\r\n", "../../etc/passwd", "file:///dev/zero", "{{x}}", "%s%n", "é" * 300, "x" * 100_000),
    *([], {}, [[]], [None], {"": None}, {"$ref": "#"}, [1, "a", None], ["pass", "pass"], {"level": {"level": {}}}),
)
"""Values that a reader may not expect in a place; the types are those that JSON has."""
NUMERALS = (
    *("1" + "0" * (digits - 1) for digits in HUGE),
    *("-" + "9" * 310, "NaN", "Infinity", "-Infinity", "1e400", "1E-400", "0x10", "1_000", "01", "+1", ".5", "1."),
)
"""Numbers as only a text can write them."""
TEXTS = (
    *(b"", b"\n", b"\x00" * 64, b"\xef\xbb\xbf", b"\xff\xfe{\x00}\x00", b"{", b"[", b'"', b"null", b"0", b"[]", b"{}"),
    *(b"[" * DEEP, b'{"a":' * DEEP, b"- " * DEEP, b"&a [*a]", b"!!python/object/apply:os.system [id]", b"a: b: c"),
    *(b"\xed\xa0\x80", b"PK\x03\x04", b"SQLite format 3\x00", b"PAR1", b"id,id,id\n1,2,3\n", b'id\n"a\nb'),
)
"""Whole contents that are nothing, or something else than the name says."""


def mutated(path: Path, rng: Random) -> bytes:
    """Return a file's content with one to three mutations of a kind that fits its format."""
    raw = path.read_bytes()
    if raw.startswith(b"SQLite format 3") and rng.random() < 0.7:
        return _changed_store(path, rng)
    if raw.startswith(b"PK") and rng.random() < 0.7:
        return _changed_archive(raw, rng)
    for _ in range(rng.choice((1, 1, 1, 2, 3))):
        raw = _once(raw, path.suffix, rng)
    return raw


def _once(raw: bytes, suffix: str, rng: Random) -> bytes:
    draw = rng.random()
    if draw < 0.03:
        return rng.choice(TEXTS)
    if draw < 0.65:
        by_suffix: dict[str, Callable[[bytes, Random], bytes]] = {
            ".json": _changed_json,
            ".jsonl": _changed_lines,
            ".csv": _changed_table,
            ".yaml": _changed_words,
            ".toml": _changed_words,
        }
        change = by_suffix.get(suffix, _changed_bytes)
        try:
            return change(raw, rng)
        except (ValueError, RecursionError, IndexError, csv.Error):  # an earlier mutation left nothing of this format
            return _changed_bytes(raw, rng)
    return _changed_bytes(raw, rng) if draw < 0.9 else _changed_numeral(raw, rng)


def _changed_bytes(raw: bytes, rng: Random) -> bytes:
    """Return content with some bytes flipped, cut, doubled, inserted or moved."""
    if not raw:
        return rng.choice(TEXTS)
    start = rng.randrange(len(raw))
    end = min(len(raw), start + rng.choice((1, 2, 10, 100, 1_000)))
    ways = (
        lambda: raw[:start],
        lambda: raw[start:],
        lambda: raw[:start] + raw[end:],
        lambda: raw[:end] + raw[start:],
        lambda: raw[:start] + rng.randbytes(rng.choice((1, 4, 30))) + raw[start:],
        lambda: raw[:start] + bytes([raw[start] ^ (1 << rng.randrange(8))]) + raw[start + 1 :],
        lambda: raw[:start] + rng.choice(TEXTS) + raw[start:],
        lambda: raw.replace(b"\n", rng.choice((b"\r\n", b"\r", b"", b"\n\n"))),
        lambda: b"\n".join(rng.sample(lines, len(lines))) if len(lines := raw.split(b"\n")) < 1_000 else raw,
    )
    return rng.choice(ways)()


def _changed_numeral(raw: bytes, rng: Random) -> bytes:
    """Return a text with one number replaced by another, or by something that isn't quite a number."""
    starts = [place for place, byte in enumerate(raw[:20_000]) if 48 <= byte <= 57]
    if not starts:
        return _changed_bytes(raw, rng)
    start = rng.choice(starts)
    end = start
    while end < len(raw) and 48 <= raw[end] <= 57:
        end += 1
    return raw[:start] + rng.choice(NUMERALS).encode() + raw[end:]


def _changed_json(raw: bytes, rng: Random) -> bytes:
    return _dumped(_changed_data(json.loads(raw), rng), rng)


def _changed_lines(raw: bytes, rng: Random) -> bytes:
    lines = raw.splitlines()
    place = rng.randrange(len(lines))
    data = json.loads(lines[place])
    lines[place] = _dumped(_changed_data(data, rng), rng).replace(b"\n", b" ")
    return b"\n".join(lines) + b"\n"


def _dumped(data: Any, rng: Random) -> bytes:
    text = json.dumps(data, ensure_ascii=rng.random() < 0.5)
    if MARK in text:
        text = text.replace(f'"{MARK}"', rng.choice(NUMERALS), 1).replace(MARK, "")
    return text.encode("utf-8", "surrogatepass")


MARK = "a numeral goes here"


def _changed_data(data: Any, rng: Random) -> Any:
    """Return plain data with one value replaced, removed, doubled, renamed or wrapped."""
    places = list(_places(data))
    if not places:
        return rng.choice(HOSTILE)
    parent, key = rng.choice(places)
    value = parent[key]
    match rng.randrange(10):
        case 0:
            del parent[key]
        case 1:
            parent[key] = [value]
        case 2:
            parent[key] = {"value": value}
        case 3:
            parent[key] = str(value)
        case 4:
            parent[key] = MARK
        case 5 if isinstance(parent, dict):
            parent[rng.choice(("", "id", "score", "level", f"{key} ", "__proto__", "x" * 1_000))] = parent.pop(key)
        case 6 if isinstance(parent, list):
            parent.insert(key, value)
        case _:
            parent[key] = rng.choice(HOSTILE)
    return data


def _places(data: Any) -> Iterator[tuple[Any, Any]]:
    entries = data.items() if isinstance(data, dict) else enumerate(data) if isinstance(data, list) else ()
    for key, value in entries:
        yield data, key
        yield from _places(value)


def _changed_table(raw: bytes, rng: Random) -> bytes:
    csv.field_size_limit(10**7)
    rows = list(csv.reader(io.StringIO(raw.decode("utf-8"), newline="")))
    row = rng.choice(rows)
    at = rng.randrange(len(row))
    match rng.randrange(6):
        case 0:
            del row[at]
        case 1:
            row.insert(at, "more")
        case 2:
            row[at] = rng.choice(NUMERALS)
        case _:
            row[at] = str(rng.choice(HOSTILE))
    out = io.StringIO()
    csv.writer(out).writerows(rows)
    return out.getvalue().encode("utf-8", "surrogatepass")


def _changed_words(raw: bytes, rng: Random) -> bytes:
    """Return a YAML or TOML text with one value replaced."""
    text = raw.decode("utf-8")
    starts = [place + 2 for place in range(len(text) - 2) if text[place : place + 2] in (": ", "- ", ", ", "= ")]
    start = rng.choice(starts)
    end = next((place for place in range(start, len(text)) if text[place] in ",}]\n"), len(text))
    value = rng.choice(HOSTILE)
    numeral = rng.choice(NUMERALS)
    words = numeral if rng.random() < 0.3 else json.dumps(value, ensure_ascii=rng.random() < 0.5)
    return (text[:start] + words + text[end:]).encode("utf-8", "surrogatepass")


# --- stores and archives ----------------------------------------------------------------------------------------------


def _changed_store(path: Path, rng: Random) -> bytes:
    """Return a sqlite file with cells of another type, or without one table or column."""
    copy = path.with_name(f"{path.name}.copy")
    copy.write_bytes(path.read_bytes())
    database = sqlite3.connect(copy)
    tables = [name for (name,) in database.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
    for _ in range(rng.choice((1, 2, 4))):
        table = rng.choice(tables)
        columns = [name for (name,) in database.execute("SELECT name FROM pragma_table_info(?)", (table,))]
        column = rng.choice(columns)
        scalars = [value for value in HOSTILE if not isinstance(value, list | dict)]
        value = rng.choice((None, 7, 7.5, b"\xff\x00", "{", '{"a": [', *scalars, *NUMERALS))
        value = value if not isinstance(value, int) or abs(value) < 2**63 else float(value)
        value = value.encode("utf-8", "surrogatepass") if isinstance(value, str) and "\ud800" in value else value
        where = rng.choice(("", "WHERE rowid = 1", "WHERE rowid % 2 = 0"))
        try:
            match rng.randrange(12):
                case 0:
                    database.execute(f"ALTER TABLE {table} DROP COLUMN {column}")
                case 1:
                    database.execute(f"DELETE FROM {table} {where}")
                case 2:
                    database.execute(f"ALTER TABLE {table} RENAME COLUMN {column} TO other")
                case _:
                    database.execute(f"UPDATE {table} SET {column} = ? {where}", (value,))
        except sqlite3.Error:  # an index or an earlier mutation forbids it
            continue
    database.commit()
    database.close()
    raw = copy.read_bytes()
    copy.unlink()
    return raw


_LOCAL, _CENTRAL = b"PK\x03\x04", b"PK\x01\x02"


def _changed_archive(raw: bytes, rng: Random) -> bytes:
    """Return a zip file with an invalid header field, or invalid packed bytes of a member."""
    changed = bytearray(raw)
    match rng.randrange(8):
        case 0:
            _set_fields(changed, _CENTRAL, 8, struct.pack("<H", rng.choice((1, 0x41, 0x2001, 0xFFFF))), rng)
        case 1:
            _set_fields(changed, _CENTRAL, 10, struct.pack("<H", rng.choice((1, 9, 12, 14, 93, 95, 99))), rng)
        case 2:
            _set_fields(changed, _CENTRAL, 42, struct.pack("<I", rng.choice((1, len(raw) - 3, len(raw), 2**31))), rng)
        case 3:
            _set_fields(changed, _CENTRAL, 20, struct.pack("<I", rng.choice((0, 1, 2**31))), rng)
        case 4:
            _set_fields(changed, _CENTRAL, 24, struct.pack("<I", rng.choice((0, 1, 2**28, 2**32 - 1))), rng)
        case 5:
            _set_fields(changed, _LOCAL, rng.choice((6, 8, 26, 28)), struct.pack("<H", rng.randrange(2**16)), rng)
        case 6:
            return _with_other_member(raw, rng)
        case _:
            start = rng.choice(_starts(raw, _LOCAL)) + 30
            for _ in range(rng.choice((1, 20))):
                changed[min(len(changed) - 1, start + rng.randrange(200))] = rng.randrange(256)
    return bytes(changed)


def _starts(raw: bytes, mark: bytes) -> list[int]:
    starts = [place for place in range(len(raw)) if raw.startswith(mark, place)]
    return starts or [0]


def _set_fields(changed: bytearray, mark: bytes, offset: int, value: bytes, rng: Random) -> None:
    starts = _starts(bytes(changed), mark)
    for start in starts if rng.random() < 0.5 else [rng.choice(starts)]:
        changed[start + offset : start + offset + len(value)] = value


def _with_other_member(raw: bytes, rng: Random) -> bytes:
    """Return a zip file with the JSON in one member mutated."""
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(raw)) as archive, zipfile.ZipFile(out, "w") as changed:
        names = archive.namelist()
        chosen = rng.choice(names)
        for name in names:
            data = archive.read(name)
            changed.writestr(name, _once(data, ".json", rng) if name == chosen else data)
    return out.getvalue()
