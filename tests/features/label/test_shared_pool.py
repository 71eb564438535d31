"""Annotators who share a pool: who labels what, their pages behind a public address, and the owner's overview."""

import json
import socket
import socketserver
import threading
from collections import Counter
from itertools import combinations
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from hypothesis import given
from hypothesis import strategies as st

from markscheme.features.label.label_order import LEAST_BETWEEN, Step, steps_of
from markscheme.pages.share import Share
from tests.commands.console import run
from tests.features.label.labelled_project import Server, fetch, make_pool, refused

TRIO = ("ana", "ben", "chris")
IDS = [f"e{i}" for i in range(60)]


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """Make a project with a rubric and a pool of 20 responses."""
    return make_pool(tmp_path)


def test_of_sixty_responses_shared_by_three_raters_each_response_goes_to_two_and_each_pair_shares_twenty() -> None:
    """The next annotator labels one response; what they have done counts when the next one asks."""
    labelled: dict[str, set[str]] = {}
    share = Share(TRIO, per_response=2)
    for turn in range(120):
        rater = TRIO[turn % 3]
        who = share.assigned(IDS, labelled, seed=1)
        open_ones = [id for id, raters in zip(IDS, who, strict=True) if rater in raters]
        (step, *_) = [
            s for s in steps_of(open_ones, rater=rater, seed=1, again=False) if rater not in labelled.get(s.id, ())
        ]
        labelled.setdefault(step.id, set()).add(rater)
    assert Counter(map(len, labelled.values())) == {2: 60}
    assert Counter(tuple(sorted(raters)) for raters in labelled.values()) == dict.fromkeys(combinations(TRIO, 2), 20)


def test_annotators_who_share_a_pool_label_shared_responses_early_and_repeated_responses_much_later() -> None:
    who = Share(TRIO, per_response=2).assigned(IDS, {}, seed=1)
    place = {id: number for number, id in enumerate(IDS)}
    first: dict[str, list[str]] = {}
    for rater in TRIO:
        own_ids = [id for id, raters in zip(IDS, who, strict=True) if rater in raters]
        steps = steps_of(own_ids, rater=rater, seed=1, together=place)
        again = [step for step in steps if step.sample]
        assert len(again) == 2
        assert all(steps.index(step) - steps.index(Step(step.id)) >= LEAST_BETWEEN for step in again)
        first[rater] = [step.id for step in steps if not step.sample][:13]
    assert all(len(set(first[rater]) & set(first[colleague])) >= 5 for rater, colleague in combinations(TRIO, 2))


@given(
    per_response=st.integers(1, 3),
    n=st.integers(1, 60),
    before=st.dictionaries(st.sampled_from(IDS), st.sets(st.sampled_from([*TRIO, "gone"])), max_size=30),
)
def test_responses_shared_out_among_raters_stay_with_their_raters_if_further_responses_are_added(
    per_response: int, n: int, before: dict[str, set[str]]
) -> None:
    share = Share(TRIO, per_response)
    assigned = share.assigned(IDS[:n], before, seed=1)
    assert share.assigned(IDS, before, seed=1)[:n] == assigned
    for id, raters in zip(IDS, assigned, strict=False):
        assert before.get(id, set()) & set(TRIO) <= raters
        assert len(raters | before.get(id, set())) == max(per_response, len(before.get(id, ())))


def test_all_annotators_label_the_stated_share_of_responses_and_each_remaining_response_gets_one_annotator() -> None:
    who = Share(TRIO, per_response=3, overlap=6).assigned(IDS, {}, seed=1)
    assert [len(raters) for raters in who] == [3] * 6 + [1] * 54
    assert Counter(next(iter(raters)) for raters in who[6:]) == dict.fromkeys(TRIO, 18)


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        (["--share", "ana,ben", "--each", "3"], "more than the 2 who share it"),
        (["--share", "ana,ana"], "named twice"),
        (["--share", "ana,ben", "--rater", "zoe"], "zoe isn't one of those who share"),
        (["--overlap", "3"], "--overlap needs --share"),
        (["-o", "host=0.0.0.0"], "`host=0.0.0.0` needs `-o public_url=URL`"),
        (["-o", "public_url=labels.example.org"], "must be like https://"),
    ],
)
def test_the_label_command_refuses_impossible_options_for_sharing_or_serving_a_file_of_outputs(
    project: Path, options: list[str], problem: str
) -> None:
    status, message = refused(project, "--pool", "pool.jsonl", *options)
    assert status == 2
    assert problem in message


def test_a_shared_labelling_server_refuses_requests_for_the_name_of_another_host(project: Path) -> None:
    options = ["--share", "ana,ben", "--each", "1", "-o", "public_url=https://labels.example.org/x"]
    with Server(project, options, rater="") as server:
        assert server.process.stdout is not None
        ben = json.loads(server.process.stdout.readline())
        assert (server.announced["rater"], ben["rater"]) == ("ana", "ben")
        assert server.announced["total"] + ben["total"] == 20
        here = f"http://127.0.0.1:{server.announced['port']}"
        ana = urlsplit(server.announced["url"]).path.removeprefix("/x")
        assert server.announced["url"].startswith("https://labels.example.org/x/")
        for host, status in (("labels.example.org", 200), ("other.example.org", 403), ("labels.example.org:1", 403)):
            assert fetch(f"{here}{ana}", None, {"Host": host}).status == status
        pages = [
            fetch(f"{here}{urlsplit(address['url']).path.removeprefix('/x')}", None, {})
            for address in (server.announced, ben)
        ]
        units = [{step["unit"] for step in page.data["steps"]} for page in pages]
        assert [page.data["rater"] for page in pages] == ["ana", "ben"]
        assert fetch(f"{here}{ana}unit/{min(units[1])}", None, {}).status == 404
        answers = json.dumps(
            {"unit": min(units[0]), "answers": {"whole response": "1", "polite": "1", "waffle": "0"}}
        ).encode()
        origin = {"Host": "labels.example.org", "Origin": "https://labels.example.org"}
        assert fetch(f"{here}{ana}give", answers, {**origin, "Origin": "https://evil.example"}).status == 403
        assert fetch(f"{here}{ana}give", answers, origin).status == 200


class Forwarder(socketserver.BaseRequestHandler):
    """Handler that forwards requests to another port of this machine, and the answers back, as `ssh -L` does."""

    target = 0

    def handle(self) -> None:
        with socket.create_connection(("127.0.0.1", self.target)) as connection:
            connection.sendall(self.request.recv(65536))
            while part := connection.recv(65536):
                self.request.sendall(part)


@pytest.mark.parametrize("is_named", [False, True])
def test_the_labelling_page_is_served_through_a_forwarded_port_only_if_the_public_url_option_names_it(
    project: Path, *, is_named: bool
) -> None:
    with socketserver.TCPServer(("127.0.0.1", 0), Forwarder) as forwarding:
        threading.Thread(target=forwarding.serve_forever, daemon=True).start()
        port = forwarding.server_address[1]
        with Server(project, ["-o", f"public_url=http://localhost:{port}"] if is_named else []) as server:
            Forwarder.target = server.announced["port"]
            token = server.announced["url"].split("/")[-2]
            answer = fetch(f"http://localhost:{port}/{token}/", None, {"Connection": "close"})
            assert answer.status == (200 if is_named else 403)
        forwarding.shutdown()


def test_serving_the_labelling_page_to_other_machines_without_https_gives_a_warning(project: Path) -> None:
    with Server(project, ["-o", "public_url=http://labels.example.org"]) as server:
        server.process.send_signal(2)
        assert "put HTTPS in front" in server.process.communicate(timeout=300)[1]


def test_the_progress_option_of_label_shows_each_annotator_s_labels_and_consistency_and_agreement(
    project: Path,
) -> None:
    ratings = project / "calibration" / "manners" / "ratings"
    ratings.mkdir(parents=True)
    for rater, levels, again in (("ana", 1, 1), ("ben", 1, 3)):
        lines = [
            {"id": f"model-x-{i}", "rater": rater, "kind": "human", "sample": sample, "at": "2026-11-02", "seconds": 9,
             "criteria": {"polite": level, "waffle": {"abstained": ""} if rater == "ana" else 0}}
            for sample, level, n in ((0, levels, 12), (1, again, 10))
            for i in range(n)
        ]  # fmt: skip
        (ratings / f"{rater}.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    command = ["label", "manners", "--pool", "pool.jsonl", "--progress"]
    overview = json.loads(run("markscheme", *command, "--json", cwd=project).stdout)
    ana, ben = overview["annotators"]
    assert (overview["responses"], overview["labelled"]) == (20, {"0": 8, "2": 12})
    assert (ana["labelled"], ana["declined"], ana["same"], ana["repeated"], ana["unsteady"]) == (12, 12, 20, 20, False)
    assert (ben["same"], ben["repeated"], ben["unsteady"], ben["seconds"]) == (10, 20, True, 9.0)
    assert (ben["agreed"], ben["shared"]) == (10, 10)
    printed = run("markscheme", *command, cwd=project).stdout
    assert "12 by 2" in printed
    assert "50% of 20 unsteady" in printed
