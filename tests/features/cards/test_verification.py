"""A judge card follows from its files, and whatever changes in one of them is found."""

import contextlib
import json
import random
import shutil
import string
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from markscheme.calibration.api import calibrate
from markscheme.calibration.differences import differences_between
from markscheme.calibration.earlier_runs.load import load_accepted
from markscheme.errors import RatingError
from markscheme.features.cards.card import content_digest, read_card, text_path
from markscheme.features.cards.verification import Verification, verify_card
from markscheme.features.cards.view import verified, verified_json
from markscheme.grading.receipt import load_receipt
from markscheme.ratings.examples import load_examples
from markscheme.ratings.from_grades import first_prompts
from markscheme.rubrics.file import load_rubric
from tests.test_plain_data import exploding

RUBRIC = """
name: manners
inputs: [query]
criteria:
- {name: polite, description: The reply is polite, weight: 1}
- {name: short, requirement: The reply is short, weight: 0.5}
"""
N = 24


def made(folder: Path) -> Path:
    """A project with an accepted run from recorded replies; the folder of its card."""
    (folder / ".git").mkdir(parents=True)
    home = folder / "calibration" / "manners"
    for name in ("ratings", "replies"):
        (home / name).mkdir(parents=True)
    (folder / "rubrics").mkdir()
    (folder / "rubrics" / "manners.yaml").write_text(RUBRIC)
    levels = [(1 + place % 5, "MET" if place % 2 else "UNMET") for place in range(N)]
    examples = [{"id": f"e{place}", "query": f"q{place}", "response": f"reply {place}"} for place in range(N)]
    lines(home / "examples.jsonl", examples)
    for rater in ("ann", "ben"):
        labels = [
            {"id": f"e{place}", "rater": rater, "kind": "human", "criteria": {"polite": polite, "short": short}}
            for place, (polite, short) in enumerate(levels)
        ]
        lines(home / "ratings" / f"{rater}.jsonl", labels)
    record(folder, levels)
    accept(folder)
    return home


def record(folder: Path, levels: list[tuple[int, str]]) -> None:
    """Replies of a judge that is a level too kind on every fourth example."""
    home = folder / "calibration" / "manners"
    rubric = load_rubric(folder / "rubrics" / "manners.yaml")
    prompts = first_prompts(rubric, load_examples(home / "examples.jsonl", rubric).examples)
    replies = []
    for place, (prompt, (polite, short)) in enumerate(zip(prompts, levels, strict=True)):
        verdict = {"polite": str(min(5, polite + (place % 4 == 0))), "short": short}
        verdicts = {
            name: {"quote": "nothing to quote", "reason": "So.", "level": level} for name, level in verdict.items()
        }
        text = json.dumps({"verdicts": verdicts})
        replies.append({"fingerprint": prompt.fingerprint, "judge": "kind", "model": "kind-1", "text": text})
    lines(home / "replies" / "kind.jsonl", replies)


def accept(folder: Path) -> None:
    """Accept a run of the recorded judge."""
    with contextlib.chdir(folder):
        calibrate("manners", judge="recorded:calibration/manners/replies/kind.jsonl", accept=True, force=True)


def lines(path: Path, records: list[dict[str, Any]]) -> None:
    path.write_text("".join(json.dumps(record) + "\n" for record in records), encoding="utf-8")


@pytest.fixture(scope="module")
def original(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return made(tmp_path_factory.mktemp("card") / "project")


@pytest.fixture
def home(original: Path, tmp_path: Path) -> Path:
    shutil.copytree(original.parents[1], tmp_path / "project")
    return tmp_path / "project" / "calibration" / "manners"


def checked(home: Path) -> Verification:
    return verify_card(home / "card.json")


def test_a_newly_made_judge_card_passes_verification(home: Path) -> None:
    verification = checked(home)
    assert verification.differences == ()
    assert verification.holds
    card = verification.card
    roles = sorted((file.role, file.name) for file in card.files)
    assert [role for role, _ in roles] == ["examples", "labels", "labels", "ratings", "replies", "rubric"]
    assert ("rubric", "../../rubrics/manners.yaml") in roles
    assert json.loads((home / "accepted.json").read_text())["card"] == card.id


def test_a_judge_card_is_shorter_than_1500_bytes_and_names_the_command_that_verifies_it(home: Path) -> None:
    text = (home / "card.md").read_text(encoding="utf-8")
    assert len(text.encode()) < 1500
    assert "markscheme verify calibration/manners/card.json" in text
    assert "Agreement" in text


def test_the_figures_of_a_judge_card_equal_those_of_its_calibration(home: Path) -> None:
    with contextlib.chdir(home.parents[1]):
        calibration = calibrate("manners", judge="recorded:calibration/manners/replies/kind.jsonl")
    card = read_card(home / "card.json")
    agreement = card.figure("agreement")
    assert agreement is not None
    assert agreement.value == pytest.approx(calibration.comparison.agreement.value, abs=1e-4)
    assert card.content["use"] == calibration.use
    assert card.content["labels"]["n"] == N


def test_a_judge_card_passes_verification_if_only_white_space_or_comments_or_the_order_of_keys_changed(
    home: Path,
) -> None:
    rubric = home.parents[1] / "rubrics" / "manners.yaml"
    rubric.write_text(f"# A remark.\n{rubric.read_text()}\n")
    examples = home / "examples.jsonl"
    turned = [dict(reversed(json.loads(line).items())) for line in examples.read_text().splitlines()]
    examples.write_text("".join(f"{json.dumps(line, indent=None)}  \n" for line in turned))
    assert checked(home).holds


def test_verification_names_a_file_of_labels_that_was_added_or_removed_since_the_judge_card_was_made(
    home: Path,
) -> None:
    shutil.copy(home / "ratings" / "ann.jsonl", home / "ratings" / "cat.jsonl")
    (home / "ratings" / "ben.jsonl").unlink()
    found = {difference.what: difference.now for difference in checked(home).differences}
    assert found["ratings/cat.jsonl"] == "wasn't there when the card was made"
    assert found["ratings/ben.jsonl"] == "is missing"


def test_if_accepted_ratings_were_edited_verification_names_their_file_instead_of_recomputing_figures(
    home: Path,
) -> None:
    (ratings,) = home.glob("accepted-*.jsonl")
    ratings.write_text(ratings.read_text().replace('"level": 3', '"level": 2', 1))
    verification = checked(home)
    assert not verification.recomputed
    assert verification.exit_status == 1
    assert ratings.name in {difference.what for difference in verification.differences}


def test_verifying_a_judge_card_grades_recorded_replies_again_and_compares_the_figures(home: Path) -> None:
    replies = home / "replies" / "kind.jsonl"
    replies.write_text(replies.read_text().replace('\\"level\\": \\"UNMET\\"', '\\"level\\": \\"MET\\"', 1))
    found = {difference.what: difference.now for difference in checked(home).differences}
    assert found["replies/kind.jsonl"] == "the replies give other ratings than were accepted: e0"


def test_if_the_use_in_an_accepted_run_s_file_was_edited_verifying_the_judge_card_names_that_file(
    home: Path,
) -> None:
    accepted = json.loads((home / "accepted.json").read_text())
    assert accepted["use"] != "gate"
    accepted["use"] = "gate"
    (home / "accepted.json").write_text(json.dumps(accepted))
    (difference,) = checked(home).differences
    assert difference.what == "accepted.json"
    assert "use" in difference.now


def test_verifying_a_judge_card_reads_nothing_outside_its_project(home: Path, tmp_path: Path) -> None:
    secret = tmp_path / "secret.jsonl"
    secret.write_text('{"key": "s3cret"}\n')
    card = json.loads((home / "card.json").read_text())
    for name in ("../../../secret.jsonl", str(secret), "shipped:../secret.jsonl"):
        card["files"][1]["file"] = name
        (home / "card.json").write_text(json.dumps(card))
        with pytest.raises(RatingError, match="outside the project") as refused:
            checked(home)
        assert "s3cret" not in str(refused.value)


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"schema": 2}', '{"schema": 1, "terms": {}, "files": []}'])
def test_verifying_a_file_that_is_not_a_judge_card_is_refused(home: Path, text: str) -> None:
    (home / "card.json").write_text(text)
    with pytest.raises(RatingError):
        checked(home)


OPTIONS: list[dict[str, Any]] = [
    {"target": 0.6, "tolerance": 0.3},
    {"max_false_pass": 0.1},
    {"gold_by": "mean"},
    {"gold": "human", "strategy": "one_shot"},
    {"only": ("system=b",)},
    {"split": "test"},
    {"split": "all"},
]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("options", OPTIONS, ids=lambda options: ", ".join(options))
def test_a_judge_card_passes_verification_whatever_options_the_run_had(home: Path, options: dict[str, Any]) -> None:
    examples = [json.loads(line) for line in (home / "examples.jsonl").read_text().splitlines()]
    for place, example in enumerate(examples):
        example |= {"system": "b" if place % 3 else "a", "group": f"g{place // 2}"}
        example |= {"split": "test" if place % 2 else "dev"} if "split" in options else {}
    lines(home / "examples.jsonl", examples)
    with contextlib.chdir(home.parents[1]):
        judge = "recorded:calibration/manners/replies/kind.jsonl"
        calibrate("manners", judge=judge, accept=True, force=True, replace=True, **options)
    verification = checked(home)
    assert verification.differences == ()
    assert verification.recomputed


@pytest.mark.filterwarnings("ignore")
def test_a_judge_card_passes_verification_after_a_criterion_was_reworded(home: Path) -> None:
    project = home.parents[1]
    under = {"polite": "0" * 16}
    for path in (home / "ratings").iterdir():
        lines(path, [{**json.loads(line), "under": under} for line in path.read_text().splitlines()])
    lines(home / "wordings.jsonl", [{"criterion": "polite", "under": "0" * 16, "text": "Is it polite?", "levels": []}])
    with contextlib.chdir(project):
        calibrate(
            "manners", judge="recorded:calibration/manners/replies/kind.jsonl", accept=True, force=True, replace=True
        )
    assert checked(home).holds
    assert "wordings" in {file.role for file in read_card(home / "card.json").files}


def test_a_run_on_examples_in_memory_gets_no_judge_card(tmp_path: Path) -> None:
    home = made(tmp_path / "project")
    examples = [json.loads(line) for line in (home / "examples.jsonl").read_text().splitlines()]
    for example in examples:
        example["labels"] = [{"rater": "ann", "kind": "human", "criteria": {"polite": 3, "short": "MET"}}]
    with contextlib.chdir(tmp_path / "project"):
        judge = "recorded:calibration/manners/replies/kind.jsonl"
        calibrate("manners", examples=examples, judge=judge, accept=True, force=True, replace=True)
    assert not (home / "card.json").exists()
    assert not (home / "card.md").exists()
    assert json.loads((home / "accepted.json").read_text())["card"] is None


@pytest.mark.proof
def test_a_judge_card_on_a_rubric_that_comes_with_markscheme_is_verified_in_any_folder(tmp_path: Path) -> None:
    with contextlib.chdir(tmp_path):
        calibrate("code-quality", accept=True, force=True)
        card = read_card(Path("calibration/code-quality/card.json"))
        assert all(file.name.startswith("shipped:") for file in card.files if file.role != "ratings")
        assert verify_card(Path("calibration/code-quality")).holds


def test_differences_between_two_json_documents_are_named_by_the_keys_that_lead_to_them() -> None:
    stated = {"a": {"b": 1.0, "c": "x"}, "d": [1], "e": True}
    now = {"a": {"b": 1.00009, "c": "y"}, "d": [2], "e": 1}
    assert list(differences_between(stated, now, tolerance=1e-4)) == [
        ("a › c", "x", "y"),
        ("d", [1], [2]),
        ("e", True, 1),
    ]


# --- any single change ------------------------------------------------------------------------------------------------

Change = Callable[[str, random.Random], str]
LETTERS = string.ascii_letters + string.digits


def one_byte(text: str, draw: random.Random) -> str:
    """The text with one letter or digit replaced by another."""
    places = [place for place, letter in enumerate(text) if letter in LETTERS]
    place = draw.choice(places)
    letter = draw.choice([other for other in LETTERS if other != text[place]])
    return f"{text[:place]}{letter}{text[place + 1 :]}"


def other_level(text: str, draw: random.Random) -> str:
    """Labels with one of them another."""
    records = [json.loads(line) for line in text.splitlines()]
    criteria = draw.choice(records)["criteria"]
    name = draw.choice(sorted(criteria))
    turned = {"MET": "UNMET", "UNMET": "MET"}
    criteria[name] = turned[criteria[name]] if name == "short" else criteria[name] % 5 + 1
    return "".join(f"{json.dumps(record)}\n" for record in records)


def other_figure(text: str, draw: random.Random) -> str:
    """A card with one digit of a figure another."""
    card = json.loads(text)
    figures = [*_numbers(card["figures"])]
    holder, key = draw.choice(figures)
    holder[key] = round(holder[key] + draw.choice([-1, 1]) * draw.choice([0.001, 0.01, 0.1]), 4)
    return json.dumps(card)


def _numbers(entry: Any) -> Iterator[tuple[dict[str, Any], str]]:
    for key, value in entry.items() if isinstance(entry, dict) else ():
        if isinstance(value, dict):
            yield from _numbers(value)
        elif isinstance(value, float):
            yield entry, key


CHANGES: dict[str, tuple[str, Change]] = {
    "a label": ("ratings/ann.jsonl", other_level),
    "a byte of the labels": ("ratings/ben.jsonl", one_byte),
    "a byte of an example": ("examples.jsonl", one_byte),
    "a byte of the replies": ("replies/kind.jsonl", one_byte),
    "a byte of the accepted ratings": ("accepted-*.jsonl", one_byte),
    "a byte of the rubric": ("../../rubrics/manners.yaml", one_byte),
    "a figure": ("card.json", other_figure),
    "a byte of the card": ("card.json", one_byte),
    "a byte of its text": ("card.md", one_byte),
}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("change", CHANGES)
@settings(max_examples=4, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(seed=st.integers(0, 10**6))
def test_a_single_change_in_any_file_behind_a_judge_card_makes_its_verification_fail(
    original: Path, change: str, seed: int
) -> None:
    pattern, changed = CHANGES[change]
    (path,) = original.parent.glob(f"manners/{pattern}") if "*" in pattern else [original / pattern]
    before = path.read_text(encoding="utf-8")
    path.write_text(changed(before, random.Random(seed)), encoding="utf-8")
    try:
        if path.suffix == ".yaml" and content_digest_or_none(path) == content_digest_or_none(path, before):
            return  # no change of its data
        with contextlib.suppress(RatingError):  # it is no card any more
            assert not checked(original).holds
    finally:
        path.write_text(before, encoding="utf-8")


def content_digest_or_none(path: Path, text: str | None = None) -> str | None:
    """The digest of a file's data, or of other text in its place; None where it can't be read."""
    if text is not None:
        copy = path.with_name(f"copy{path.suffix}")
        copy.write_text(text, encoding="utf-8")
        try:
            return content_digest_or_none(copy)
        finally:
            copy.unlink()
    try:
        return content_digest(path)
    except RatingError:
        return None


def test_a_judge_card_passes_verification_once_every_change_is_undone(original: Path) -> None:
    assert checked(original).holds


def places_in(data: Any, at: tuple[str | int, ...] = ()) -> Iterator[tuple[str | int, ...]]:
    """Every place in plain data but those of statistics, of which there are many of one kind."""
    if at:
        yield at
    if at[-1:] in (("overall",), ("figures",)) or at == ("measurements", "criteria"):
        return
    for key, value in data.items() if isinstance(data, dict) else enumerate(data) if isinstance(data, list) else ():
        yield from places_in(value, (*at, key))


def put(data: Any, at: tuple[str | int, ...], value: Any) -> None:
    for key in at[:-1]:
        data = data[key]
    data[at[-1]] = value


OTHER_KINDS: tuple[object, ...] = (1.5, -1, "word", True, None, [], {}, [1.5], {"a": 1.5})


def with_another_kind(data: Any, share: float) -> Iterator[tuple[tuple[str | int, ...], Any]]:
    """Plain data with one value that is of another kind, and its place: for a share of the places and kinds."""
    changes = [(at, value) for at in places_in(data) for value in OTHER_KINDS]
    for at, value in random.Random(1).sample(changes, round(share * len(changes))):
        changed = json.loads(json.dumps(data))
        put(changed, at, value)
        yield at, changed


@pytest.mark.parametrize(
    "share", [0.05, pytest.param(0.15, marks=pytest.mark.proof), pytest.param(1.0, marks=pytest.mark.release)]
)
def test_changing_a_value_s_type_in_an_accepted_run_s_file_or_a_judge_card_never_causes_a_traceback(
    share: float, home: Path
) -> None:
    path, card = home / "accepted.json", home / "card.json"
    text, on_card = path.read_text(), json.loads(card.read_text())
    refused = 0
    for _, changed in with_another_kind(json.loads(text), share):
        path.write_text(json.dumps(changed))
        for read in (load_receipt, load_accepted):
            try:
                read(path)
            except RatingError:
                refused += 1
    assert refused > 1_000 * share
    path.write_text(text)
    for at, changed in with_another_kind(on_card, share / 5):
        card.write_text(json.dumps(changed))
        with contextlib.suppress(RatingError):
            verification = verify_card(card)
            assert not verification.holds or changed == on_card, at
            assert verified_json(verification)["holds"] is verification.holds
            assert verified(verification).title.endswith(verification.card.id)


def forged(home: Path, change: Callable[[dict[str, Any]], object]) -> Verification:
    """A card and accepted.json with the same change, made again with the id and Markdown that fit them."""
    card, accepted = home / "card.json", home / "accepted.json"
    on_card, data = json.loads(card.read_text()), json.loads(accepted.read_text())
    change(on_card)
    change(data)
    card.write_text(json.dumps(on_card))
    on_card["id"] = data["card"] = read_card(card).id
    card.write_text(json.dumps(on_card))
    accepted.write_text(json.dumps(data))
    text_path(card).write_text(read_card(card).to_markdown())
    return verify_card(card)


def test_verifying_a_judge_card_detects_a_forged_name_or_model_of_the_judge(
    home: Path,
) -> None:
    holds = checked(home)
    assert (holds.holds, holds.unchecked) == (True, ("date", "version", "cost"))
    by_name = forged(home, lambda data: data["judge"].update(name="openai:gpt-9"))
    assert [(d.what, d.stated) for d in by_name.differences] == [("judge › name", "openai:gpt-9")]
    name = by_name.differences[0].now
    forged(home, lambda data: data["judge"].update(name=name))
    by_model = forged(home, lambda data: data["judge"].update(answered_by=["gpt-9"]))
    assert [(d.what, d.now) for d in by_model.differences] == [("judge › answered_by", "kind-1")]
    forged(home, lambda data: data["judge"].update(answered_by=["kind-1"]))
    assert checked(home).holds


def test_verifying_a_judge_card_reports_earlier_tried_settings_that_the_card_does_not_count(
    home: Path,
) -> None:
    record = home / "settings.jsonl"
    (line,) = record.read_text().splitlines()
    before = [{**json.loads(line), "setting": f"{n:016x}"} for n in range(3)]
    record.write_text("".join(f"{json.dumps(tried)}\n" for tried in before) + line + "\n")
    hidden = checked(home)
    assert [(d.what, d.stated, d.now) for d in hidden.differences] == [("terms › settings", "1", "at least 4")]
    record.write_text(line + "\n" + json.dumps(before[0]) + "\n")  # tried afterwards
    assert checked(home).holds
    record.unlink()
    assert "the number of settings tried" in checked(home).unchecked


def test_computing_the_digest_of_a_yaml_file_whose_aliases_expand_without_limit_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "bomb.yaml"
    path.write_text(exploding("examples"))
    with pytest.raises(RatingError, match="aliases"):
        content_digest(path)
