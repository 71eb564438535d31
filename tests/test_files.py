"""Lines are appended all or not at all and files written whole; pipes, devices and sockets are not replaced."""

import json
import os
import socket
import stat
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from markscheme.commands.output import put
from markscheme.errors import RatingWarning, UsageError
from markscheme.files import (
    add_files,
    append_lines,
    refuse_unwritable,
    set_aside_damaged_end,
    write_whole,
)
from tests.full_disk import disk_of


def test_a_full_disk_never_leaves_half_a_line_in_a_file(tmp_path: Path) -> None:
    path = tmp_path / "ann.jsonl"
    append_lines(path, [{"id": "e1"}])
    with disk_of(100), pytest.raises(OSError, match="File too large"):
        append_lines(path, [{"id": "e2"}, {"id": "e3", "note": "x" * 500}])
    assert path.read_text() == '{"id": "e1"}\n'
    append_lines(path, [{"id": "e2"}])
    assert [json.loads(line)["id"] for line in path.read_text().splitlines()] == ["e1", "e2"]


def test_appending_to_a_file_whose_last_line_has_no_line_break_adds_the_line_break_first(tmp_path: Path) -> None:
    path = tmp_path / "ann.jsonl"
    path.write_text('{"id": "e1"}')
    append_lines(path, [{"id": "e2"}])
    assert path.read_text() == '{"id": "e1"}\n{"id": "e2"}\n'


def test_four_processes_that_write_to_a_file_at_once_never_mix_their_lines(tmp_path: Path) -> None:
    path = tmp_path / "shared.jsonl"
    path.write_text('{"id": "first"}')
    code = """if True:
        import sys
        from pathlib import Path
        from markscheme.files import append_lines
        for number in range(50):
            append_lines(Path(sys.argv[1]), [{"id": f"{sys.argv[2]}-{number}", "note": "x" * 20_000}])
    """
    writers = [subprocess.Popen([sys.executable, "-c", code, path, str(who)]) for who in range(4)]
    assert [writer.wait(timeout=300) for writer in writers] == [0] * 4
    ids = [json.loads(line)["id"] for line in path.read_text().splitlines()]
    assert len(ids) == len(set(ids)) == 201


def test_a_last_line_without_a_line_break_that_a_user_typed_is_never_deleted(tmp_path: Path) -> None:
    path, typed = tmp_path / "ann.jsonl", '{"id": "e2", "rater": "ann", "criteria": {"polite": 3}'
    path.write_text('{"id": "e1"}\n' + typed)
    with pytest.warns(RatingWarning, match=r"ann\.jsonl:2: is not readable JSON; moved to .*ann\.jsonl\.damaged"):
        assert set_aside_damaged_end(path) == typed
    assert path.read_text() == '{"id": "e1"}\n'
    assert (tmp_path / "ann.jsonl.damaged").read_text() == typed + "\n"
    assert not set_aside_damaged_end(path)


def test_two_damaged_last_lines_of_a_file_are_kept_in_one_file_with_the_ending_damaged(
    tmp_path: Path,
) -> None:
    path = tmp_path / "ann.jsonl"
    for half in ('{"id": "e1', '{"id": "e2'):
        with path.open("a") as file:
            file.write(half)
        with pytest.warns(RatingWarning):
            set_aside_damaged_end(path)
    assert (tmp_path / "ann.jsonl.damaged").read_text() == '{"id": "e1\n{"id": "e2\n'


def test_a_valid_last_line_without_a_line_break_is_not_moved_to_another_file_as_damaged(tmp_path: Path) -> None:
    path = tmp_path / "ann.jsonl"
    path.write_text('{"id": "e1"}\n{"id": "e2"}')
    assert not set_aside_damaged_end(path)
    assert list(tmp_path.iterdir()) == [path]


def test_a_symlink_planted_in_place_of_a_file_never_redirects_a_write(tmp_path: Path) -> None:
    victim, path = tmp_path / "victim", tmp_path / "accepted.json"
    victim.write_text("mine")
    (tmp_path / ".accepted.json.partial").symlink_to(victim)
    write_whole(path, "one")
    path.unlink()
    path.symlink_to(victim)
    write_whole(path, "two", follow=False)
    assert victim.read_text() == "mine"
    assert (path.read_text(), path.is_symlink()) == ("two", False)


def test_no_reader_ever_sees_a_partial_line_while_four_processes_write_a_file(tmp_path: Path) -> None:
    path = tmp_path / "accepted.json"
    write_whole(path, "0" * 300_000)
    code = """if True:
        import sys
        from pathlib import Path
        from markscheme.files import write_whole
        for _ in range(60):
            write_whole(Path(sys.argv[1]), sys.argv[2] * 300_000)
    """
    writers = [subprocess.Popen([sys.executable, "-c", code, path, str(who)]) for who in range(4)]
    reads = 0
    while any(writer.poll() is None for writer in writers):
        text = path.read_text()
        assert (len(text), len(set(text))) == (300_000, 1)
        reads += 1
    assert [writer.returncode for writer in writers] == [0] * 4
    assert reads > 20
    assert list(tmp_path.iterdir()) == [path]


def test_a_lone_surrogate_is_written_to_files_as_a_json_escape(tmp_path: Path) -> None:
    path = tmp_path / "kept.json"
    write_whole(path, '"cut \ud83d"')
    append_lines(tmp_path / "lines.jsonl", [{"id": "\udcff"}])
    assert json.loads(path.read_text()) == "cut \ud83d"
    assert (tmp_path / "lines.jsonl").read_text() == '{"id": "\\udcff"}\n'


def test_writing_a_file_keeps_its_permissions_and_the_line_ends_of_the_text(tmp_path: Path) -> None:
    path = tmp_path / "kept.json"
    path.write_text("before")
    path.chmod(0o600)
    write_whole(path, "one\r\ntwo\nü")
    assert path.read_bytes() == "one\r\ntwo\nü".encode()
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_a_failed_write_leaves_the_old_file_and_no_temporary_file(tmp_path: Path) -> None:
    folder = tmp_path / "folder"
    folder.mkdir()
    with pytest.raises(OSError, match="folder"):
        write_whole(folder, "text")
    assert list(tmp_path.iterdir()) == [folder]


def test_a_write_to_a_full_disk_leaves_the_old_file_as_it_was_and_no_partial_new_file(tmp_path: Path) -> None:
    path = tmp_path / "kept.json"
    path.write_text("before")
    with disk_of(1000), pytest.raises(OSError, match="File too large"):
        write_whole(path, "x" * 100_000)
    assert list(tmp_path.iterdir()) == [path]
    assert path.read_text() == "before"


def test_writing_to_a_link_writes_the_file_that_it_leads_to_and_keeps_the_link(tmp_path: Path) -> None:
    (tmp_path / "shared").mkdir()
    whole, link = tmp_path / "shared" / "whole.json", tmp_path / "link.json"
    whole.write_text("before")
    link.symlink_to(whole)
    refuse_unwritable(link)
    put("after", link)
    assert link.is_symlink()
    assert whole.read_text() == "after"


def test_writing_to_a_named_pipe_does_not_replace_the_pipe_by_a_file(tmp_path: Path) -> None:
    pipe, received = tmp_path / "pipe", []
    os.mkfifo(pipe)
    reader = threading.Thread(target=lambda: received.append(pipe.read_text()))
    reader.start()
    refuse_unwritable(pipe)
    put("through", pipe)
    reader.join(timeout=300)
    assert received == ["through"]
    assert stat.S_ISFIFO(pipe.stat().st_mode)
    assert list(tmp_path.iterdir()) == [pipe]


def test_a_terminal_can_be_written_to_although_no_file_can_be_created_in_its_folder() -> None:
    ours, theirs = os.openpty()
    try:
        name = os.ttyname(theirs)
        refuse_unwritable(name)
        put("shown", name)
        assert os.read(ours, 100) == b"shown"
        assert Path(name).is_char_device()
    finally:
        os.close(ours)
        os.close(theirs)


def test_writing_to_a_device_does_not_replace_the_device_by_a_file() -> None:
    refuse_unwritable(os.devnull)
    assert Path(os.devnull).is_char_device()


def test_writing_to_a_socket_that_takes_no_connection_is_an_error_and_does_not_replace_the_socket(
    tmp_path: Path,
) -> None:
    place = tmp_path / "s"
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(str(place))
        with pytest.raises(UsageError, match="cannot be written"):
            put("text", place)
        assert place.is_socket()


def test_a_damaged_last_line_is_never_moved_through_a_symlink(tmp_path: Path) -> None:
    victim = tmp_path / "victim"
    victim.write_text("precious\nwithout an end")
    (tmp_path / "opened.jsonl").symlink_to(victim)
    assert set_aside_damaged_end(tmp_path / "opened.jsonl") == ""
    (tmp_path / "ann.jsonl").write_text('{"id": "e1"}\n{"half')
    (tmp_path / "ann.jsonl.damaged").symlink_to(victim)
    with pytest.raises(OSError, match="is not followed"):
        set_aside_damaged_end(tmp_path / "ann.jsonl")
    assert victim.read_text() == "precious\nwithout an end"
    assert (tmp_path / "ann.jsonl").read_text() == '{"id": "e1"}\n{"half'


def test_existing_files_and_broken_symlinks_are_left_alone_when_files_are_added(tmp_path: Path) -> None:
    files = {Path("b", "new.md"): "new", Path("a.md"): "theirs", Path("link.md"): "theirs"}
    (tmp_path / "a.md").write_text("mine")
    (tmp_path / "link.md").symlink_to("nowhere")
    assert add_files(files, tmp_path) == ([Path("b", "new.md")], [Path("a.md"), Path("link.md")])
    assert (tmp_path / "b" / "new.md").read_text() == "new"
    assert (tmp_path / "a.md").read_text() == "mine"
    assert not (tmp_path / "nowhere").exists()
    assert add_files(files, tmp_path)[0] == []


def test_writing_a_new_file_into_a_folder_that_cannot_be_created_is_a_usage_error(tmp_path: Path) -> None:
    (tmp_path / "b").write_text("a file where a folder belongs")
    with pytest.raises(UsageError, match="cannot be written"):
        add_files({Path("b", "new.md"): "new"}, tmp_path)


KILLED = """if True:
    import os, signal, sys
    from pathlib import Path
    from markscheme.files import replacing
    with replacing(Path(sys.argv[1])) as out:
        out.write(b"half")
        out.flush()
        print("written", flush=True)
        sys.stdin.read(1)
"""


def half_written(path: Path) -> subprocess.Popen[str]:
    """Start a process that has written half of a file, and writes the rest when it is sent a letter."""
    writer = subprocess.Popen(
        [sys.executable, "-c", KILLED, path], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert writer.stdout is not None
    assert writer.stdout.readline() == "written\n"
    return writer


def test_writing_a_file_removes_the_temporary_file_of_a_killed_process_but_not_of_a_running_one(
    tmp_path: Path,
) -> None:
    path = tmp_path / "kept.json"
    killed, living = half_written(path), half_written(path)
    killed.kill()
    killed.communicate()
    others = {tmp_path / ".kept.json.notes": "mine", tmp_path / ".kept.jsonl.0123456789abcdef": "another file's"}
    for other, text in others.items():
        other.write_text(text)
    link = tmp_path / ".kept.json.0123456789abcdef"
    link.symlink_to(tmp_path / ".kept.json.notes")
    assert len(list(tmp_path.iterdir())) == 2 + 3
    write_whole(path, "new")
    assert len(list(tmp_path.iterdir())) == 2 + 3  # the living writer's, the three others, and the file itself
    assert path.read_text() == "new"
    living.communicate("x", timeout=300)
    assert living.returncode == 0
    assert sorted(tmp_path.iterdir()) == sorted([path, link, *others])
    assert (path.read_text(), link.is_symlink()) == ("half", True)


def test_a_file_whose_long_name_has_multi_byte_letters_is_written(tmp_path: Path) -> None:
    path = tmp_path / ("😀" * 60)
    write_whole(path, "new")
    assert (list(tmp_path.iterdir()), path.read_text()) == ([path], "new")


@pytest.mark.parametrize("link", ["rubrics", "calibration/reply", "calibration"])
def test_no_file_of_a_new_project_is_written_if_a_symlink_in_its_folder_leads_out_of_it(
    link: str, tmp_path: Path
) -> None:
    folder, outside = tmp_path / "project", tmp_path / "outside"
    (folder / link).parent.mkdir(parents=True)
    (folder / link).symlink_to(outside)
    files = {Path("a.md"): "zero", Path("rubrics/reply.yaml"): "one", Path("calibration/reply/examples.jsonl"): "two"}
    for _ in ("to nowhere", "to a folder"):
        with pytest.raises(UsageError, match=f"{link} .to {outside}"):
            add_files(files, folder)
        outside.mkdir(exist_ok=True)
    assert (list(outside.iterdir()), (folder / "a.md").exists()) == ([], False)
    (folder / link).unlink()
    (tmp_path / "name").symlink_to(folder)  # the folder itself is its user's word
    assert set(add_files(files, tmp_path / "name")[0]) == set(files)
