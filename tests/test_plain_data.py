"""Files that are written whole, and what is no file."""

import os
import resource
import socket
import stat
import threading
from pathlib import Path

import pytest

from markscheme.commands.output import put, refuse_unwritable
from markscheme.errors import UsageError
from markscheme.plain_data import write_whole


def test_a_file_keeps_its_permissions_and_the_text_its_line_ends(tmp_path: Path) -> None:
    path = tmp_path / "kept.json"
    path.write_text("before")
    path.chmod(0o600)
    write_whole(path, "one\r\ntwo\nü")
    assert path.read_bytes() == "one\r\ntwo\nü".encode()
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_a_write_that_fails_leaves_what_was_there_and_nothing_beside_it(tmp_path: Path) -> None:
    taken = tmp_path / "taken"
    taken.write_text("before")
    with pytest.raises(UnicodeEncodeError):
        write_whole(taken, "\ud800")
    folder = tmp_path / "folder"
    folder.mkdir()
    with pytest.raises(OSError, match="folder"):
        write_whole(folder, "text")
    assert sorted(tmp_path.iterdir()) == [folder, taken]
    assert taken.read_text() == "before"


def test_a_disk_that_fills_up_leaves_the_file_before_and_no_part_of_the_new_one(tmp_path: Path) -> None:
    path = tmp_path / "kept.json"
    path.write_text("before")
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1000, limits[1]))
    try:
        with pytest.raises(OSError, match="File too large"):
            write_whole(path, "x" * 100_000)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert list(tmp_path.iterdir()) == [path]
    assert path.read_text() == "before"


def test_a_file_that_a_link_leads_to_is_written_and_the_link_stays(tmp_path: Path) -> None:
    (tmp_path / "shared").mkdir()
    whole, link = tmp_path / "shared" / "whole.json", tmp_path / "link.json"
    whole.write_text("before")
    link.symlink_to(whole)
    refuse_unwritable(link)
    put("after", link)
    assert link.is_symlink()
    assert whole.read_text() == "after"


def test_a_pipe_is_written_into_and_stays_a_pipe(tmp_path: Path) -> None:
    pipe, received = tmp_path / "pipe", []
    os.mkfifo(pipe)
    reader = threading.Thread(target=lambda: received.append(pipe.read_text()))
    reader.start()
    refuse_unwritable(pipe)
    put("through", pipe)
    reader.join(timeout=10)
    assert received == ["through"]
    assert stat.S_ISFIFO(pipe.stat().st_mode)
    assert list(tmp_path.iterdir()) == [pipe]


def test_a_terminal_may_be_written_to_though_its_folder_takes_no_file() -> None:
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


def test_a_device_stays_a_device() -> None:
    refuse_unwritable(os.devnull)
    assert Path(os.devnull).is_char_device()


def test_a_socket_that_takes_no_connection_is_told_not_replaced(tmp_path: Path) -> None:
    place = tmp_path / "s"
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(str(place))
        with pytest.raises(UsageError, match="cannot be written"):
            put("text", place)
        assert place.is_socket()
