"""Safe writing of files: lines are appended all or not at all, whole files replaced in one step."""

import errno
import json
import os
import re
import stat
import threading
import time
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from io import FileIO
from pathlib import Path
from typing import IO, Any, Literal

from markscheme.errors import RatingWarning, UsageError, writing
from markscheme.json_text import is_json
from markscheme.text import escaped

try:
    import fcntl
except ImportError:  # Windows locks files differently; there only one process may write at a time
    fcntl = None  # type: ignore[assignment]

DAMAGED_SUFFIX = ".damaged"
"""Suffix of the file that stores incomplete last lines which were removed from a file of lines."""
WITHOUT_LOCKS = (errno.ENOLCK, errno.EBADF, errno.EINVAL, errno.EOPNOTSUPP, errno.ENOSYS)
"""Error numbers on file systems that have no locks, or none for folders; see flock(2)."""
_RANDOM_BYTES = 8
"""Number of random bytes in the name of a temporary file, too many to guess."""
_RANDOM_END = re.compile(rf"[0-9a-f]{{{2 * _RANDOM_BYTES}}}")
_NAMED_LETTERS = 50
"""Largest number of characters of a file's name that are part of its temporary file's name."""
_DAY = 86_400.0
"""Seconds after which a temporary file that can't be locked counts as left behind."""
_ONE_THREAD = threading.RLock()


def append_lines(path: Path, lines: Sequence[Mapping[str, Any]], *, follow: bool = True) -> None:
    """Append JSON objects to a file, one per line; either all of them are written or none.

    Args:
        path: The file.
        lines: The objects.
        follow: True to follow a link; False to refuse one.
    """
    append_text(path, "".join(map(json_text, lines)), follow=follow)


def json_text(line: Mapping[str, Any]) -> str:
    """Return a JSON object as a line of a file."""
    return json.dumps(line, ensure_ascii=False, allow_nan=False) + "\n"


def append_text(path: Path, text: str, *, follow: bool = True) -> None:
    """Append whole lines to a file; either all of them are written or none, and they are on disk when this returns.

    Writers wait for each other. If the last line has no line end, it gets one first. A device or a pipe is just written
    to.

    Args:
        path: The file.
        text: The lines, each with its line end.
        follow: True to follow a link; False to refuse one, since another user may have put it there.

    Raises:
        OSError: The lines can't be written; the file is unchanged.
    """
    if not follow:
        refuse_link(path)
    raw = _bytes(text)
    if is_no_file(path):
        with path.open("ab", buffering=0) as device:
            _write_all(device, raw)
        return
    is_new = not path.exists()
    _remove_left_behind(path)
    with _locked_at(path, "ab+") as file:
        end = file.seek(0, os.SEEK_END)
        ends_well = not end or _last_byte(file) == b"\n"
        try:
            _write_all(file, raw if ends_well else b"\n" + raw)
            os.fsync(file.fileno())
        except BaseException:
            with suppress(OSError):
                file.truncate(end)
            raise
    if is_new:
        sync_folder(path.parent)


def _last_byte(file: FileIO) -> bytes:
    """Return the last byte of a file that isn't empty."""
    file.seek(-1, os.SEEK_END)
    return file.read(1)


def rewrite(path: Path, change: Callable[[str], str], *, follow: bool = True) -> None:
    """Replace the text of a file by the text that a function makes of it; the file is never left half written.

    Other processes that append to the file or rewrite it wait meanwhile, so nothing is lost.

    Args:
        path: The file.
        change: Function that makes the new text from the present one.
        follow: True to follow a link; False to refuse one.

    Raises:
        OSError: The file can't be read or written; it is unchanged.
        UnicodeDecodeError: The file isn't UTF-8 text.
    """
    if not follow:
        refuse_link(path)
    whole = end_of_link(path)
    with _locked_at(whole, "rb+") as file:
        before = file.readall().decode("utf-8")
        after = change(before)
        if after != before:
            write_whole(whole, after)


def refuse_link(path: Path) -> None:
    """Raise an error if a path at which markscheme writes a file is a link, since a stranger may have put it there.

    Raises:
        OSError: The path is a link.
    """
    if path.is_symlink():
        raise OSError(errno.ELOOP, f"it is a link to {os.path.realpath(path)}, which is not followed")


def _write_all(file: FileIO, raw: bytes) -> None:
    unwritten = memoryview(raw)
    while unwritten:
        unwritten = unwritten[file.write(unwritten) :]


@contextmanager
def _locked(file: FileIO) -> Iterator[None]:
    """Lock a file to which several processes append, until the `with` block ends.

    The lock belongs to the process, so it also ends if the process closes another handle of the file. `label` uses a
    different lock while it runs.
    """
    with _ONE_THREAD:
        if fcntl is not None:
            fcntl.lockf(file, fcntl.LOCK_EX)
        try:
            yield
        finally:
            if fcntl is not None:
                fcntl.lockf(file, fcntl.LOCK_UN)


@contextmanager
def _locked_at(path: Path, mode: Literal["ab+", "rb+"]) -> Iterator[FileIO]:
    """Open the file at `path` and lock it; start again if the file was replaced before the lock was obtained."""
    while True:
        with path.open(mode, buffering=0) as file, _locked(file):
            if _is_at(file.fileno(), path):
                yield file
                return


@contextmanager
def exclusive(path: Path, *, is_folder: bool = False, busy: Callable[[], object] | None = None) -> Iterator[None]:
    """Lock a file that is written in steps, or a folder, until the `with` block or the process ends.

    The lock is on the file itself, so no lock file is left if a process is killed. A file system without locks, and
    Windows, lock nothing: there, callers must not write from two processes at a time.

    Args:
        path: The file, which is made if it doesn't exist; a link is refused.
        is_folder: True if the path is that of a folder, which must exist.
        busy: Called if another process has the lock, before this one waits for it; None to raise an error instead.

    Raises:
        BlockingIOError: Another process has the lock, and `busy` is None.
        OSError: The file can't be opened.
    """
    if is_folder and fcntl is None:  # Windows opens no folder
        yield
        return
    how = os.O_RDONLY if is_folder else os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0)
    handle = _exclusive_handle(path, how, busy)
    try:
        yield
    finally:
        os.close(handle)


def writing_lock(path: Path, rater: str) -> ExitStack:
    """Lock the file of a rater's labels until the returned stack is closed, so that only one process writes at a time.

    Raises:
        UsageError: Another process has the lock.
    """
    refuse_link(path)
    lock = ExitStack()
    try:
        lock.enter_context(exclusive(path))
    except BlockingIOError as error:
        raise UsageError(
            f"{rater} is labelling already, in another window; go on there, or use another --rater"
        ) from error
    return lock


def _exclusive_handle(path: Path, how: int, busy: Callable[[], object] | None) -> int:
    """Open the file at `path` and lock it; start again if it was removed or replaced before it was locked.

    Args:
        path: The file.
        how: Flags of `os.open`.
        busy: Function that is called once before waiting for another process's lock; None to raise BlockingIOError
            instead of waiting.
    """
    while True:
        handle = os.open(path, how, 0o666)
        try:
            _lock_whole(handle, busy)
            if _is_at(handle, path):
                return handle
        except BaseException:
            os.close(handle)
            raise
        os.close(handle)


def _lock_whole(handle: int, busy: Callable[[], object] | None) -> None:
    if fcntl is None:
        return
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        if busy is None:
            raise
        busy()
        fcntl.flock(handle, fcntl.LOCK_EX)
    except OSError as error:
        if error.errno not in WITHOUT_LOCKS:
            raise


def _is_at(handle: int, path: Path) -> bool:
    try:
        return os.path.samestat(os.fstat(handle), path.stat())
    except FileNotFoundError:
        return False


def set_aside_damaged_end(path: Path) -> str:
    """Move an incomplete last line of a JSON lines file to a file next to it, and warn.

    Only text after the last line end is moved: half a line left by a power cut, or a line typed by hand. A file behind
    a link is never cut, since a link may lead anywhere.

    Returns:
        The text that was moved; "" if the file ends well, or doesn't exist.

    Raises:
        OSError: A file can't be read or written; nothing is lost.

    Warns:
        RatingWarning: A line was moved; the warning names it and the file that stores it.
    """
    if path.is_symlink() or not path.is_file():
        return ""
    with path.open("rb+", buffering=0) as file, _locked(file):
        raw = file.readall()
        whole = raw.rfind(b"\n") + 1
        end = raw[whole:]
        text = end.decode("utf-8", "backslashreplace")
        if not text.strip(" \t\r\ufeff") or is_json(text.lstrip("\ufeff")):
            return ""
        copy = path.with_name(path.name + DAMAGED_SUFFIX)
        append_text(copy, f"{text}\n", follow=False)
        file.truncate(whole)
    line = raw.count(b"\n") + 1
    warnings.warn(f"{path}:{line}: is not readable JSON; moved to {copy}", RatingWarning, stacklevel=2)
    return text


def write_whole(path: Path, text: str | Iterator[str], *, follow: bool = True) -> None:
    """Write a file whole or not at all, keeping its permissions and the line ends of the text.

    A device or a pipe can't be replaced, so it is written to.

    Args:
        path: The file.
        text: The whole content, or its pieces.
        follow: True to follow a link and write the file that it leads to; False to replace the link itself.

    Raises:
        OSError: The file can't be written; the previous content is unchanged.
    """
    with replacing(path, follow=follow) as out:
        out.writelines(map(_bytes, [text] if isinstance(text, str) else text))


def add_files(files: Mapping[Path, str], folder: Path, *, replace: bool = False) -> tuple[list[Path], list[Path]]:
    """Write files into a folder, each whole or not at all; links, and without `replace` existing files, stay.

    Args:
        files: The text of each file, by its path in the folder.
        folder: The folder, which is made if it doesn't exist.
        replace: True to write over files that exist.

    Returns:
        The files that were written, and those that weren't written since their path existed already. Both are sorted
        paths in the folder.

    Raises:
        UsageError: A folder to write into is a link, and then no file is written; or a file cannot be written, and then
            the files before it have been written.
    """
    _refuse_linked_folders(folder, files)
    made: list[Path] = []
    left_alone: list[Path] = []
    for target in sorted(files):
        (made if _write_new(folder / target, files[target], replace=replace) else left_alone).append(target)
    return made, left_alone


def _refuse_linked_folders(folder: Path, files: Iterable[Path]) -> None:
    """Raise an error if a folder that files would be written into is a link.

    Raises:
        UsageError: Folders are links; the message names each of them.
    """
    links = [path for path in sorted({path for file in files for path in file.parents}) if (folder / path).is_symlink()]
    named = ", ".join(f"{folder / path} (to {os.readlink(folder / path)})" for path in links if path != Path())
    if named:
        raise UsageError(f"nothing is written through a link, and there is one in place of a folder: {escaped(named)}")


def _write_new(path: Path, text: str, *, replace: bool) -> bool:
    """Write a file and return True; return False and write nothing if its path exists already and isn't to be replaced.

    Raises:
        UsageError: The file cannot be written.
    """
    if path.parent.is_dir() and os.path.lexists(path) and not (replace and path.is_file() and not path.is_symlink()):
        return False
    with writing(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        write_whole(path, text, follow=False)
    return True


@contextmanager
def replacing(path: Path, *, follow: bool = True) -> Iterator[IO[bytes]]:
    """Open a new file that takes the place of `path` once the block ends without an error.

    With `follow`, a link's target is replaced instead of the link.
    """
    if is_no_file(path):
        with path.open("wb") as device:
            yield device
        return
    whole = end_of_link(path) if follow else path
    mode = stat.S_IMODE(whole.stat().st_mode) & 0o777 if whole.exists() else None
    with _private_file(whole, 0o600 if mode is not None else 0o666) as (partial, handle):
        with open(handle, "wb") as out:
            if mode is not None:
                partial.chmod(mode)
            yield out
            out.flush()
            os.fsync(out.fileno())
        partial.replace(whole)
    sync_folder(whole.parent)


@contextmanager
def _private_file(whole: Path, mode: int) -> Iterator[tuple[Path, int]]:
    """Create a temporary file next to a file, yield its path and handle, and remove it on exit unless it was renamed.

    Since the file's name is random, no one can have put a link there before, and no other process writes to it. It is
    locked as long as its writer lives, so that later writers recognize a file that was left behind when its writer was
    killed.

    Args:
        whole: The file that the temporary file is to replace.
        mode: Permissions of the temporary file.
    """
    _remove_left_behind(whole)
    partial, handle = _locked_new_file(whole, mode)
    lock = None if fcntl is None else os.dup(handle)  # Windows moves no open file
    try:
        yield partial, handle
    finally:
        partial.unlink(missing_ok=True)
        if lock is not None:
            os.close(lock)


def _locked_new_file(whole: Path, mode: int) -> tuple[Path, int]:
    own_flags = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)  # Windows would turn line ends round
    while True:
        partial = whole.with_name(f"{_private_start(whole)}{os.urandom(_RANDOM_BYTES).hex()}")
        handle = os.open(partial, os.O_WRONLY | os.O_CREAT | os.O_EXCL | own_flags, mode)
        if _is_unlocked(handle) is not False and _is_at(handle, partial):
            return partial, handle
        os.close(handle)  # another writer took it for a dead one's, before it was locked


def _private_start(whole: Path) -> str:
    """Return the beginning of the names of a file's temporary files, short enough for names below 255 bytes."""
    return f".{whole.name[:_NAMED_LETTERS]}."


def _remove_left_behind(whole: Path) -> None:
    """Remove temporary files of a file that killed processes left behind; those still in use are locked."""
    start = _private_start(whole)
    with suppress(OSError):
        names = [name for name in os.listdir(whole.parent) if name.startswith(start)]
        for name in names:
            if _RANDOM_END.fullmatch(name, len(start)):
                _remove_unless_locked(whole.with_name(name))


def _remove_unless_locked(partial: Path) -> None:
    """Remove a temporary file if no process has locked it or, where files can't be locked, if it is a day old."""
    with suppress(OSError):  # it is another user's, or was removed meanwhile
        about = partial.lstat()
        if not stat.S_ISREG(about.st_mode):
            return
        if fcntl is None:
            partial.unlink()  # Windows removes no open file, and so none of a living writer
            return
        handle = os.open(partial, os.O_RDONLY | os.O_NOFOLLOW)
        try:
            unlocked = _is_unlocked(handle)
            if unlocked or (unlocked is None and time.time() - about.st_mtime > _DAY):
                partial.unlink()
        finally:
            os.close(handle)


def _is_unlocked(handle: int) -> bool | None:
    """Try to lock an open file; return True on success, False if it is locked, None if the system has no locks."""
    if fcntl is None:
        return None
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:
        return None
    return True


def try_writing(path: Path) -> None:
    """Check that files can be written next to `path`, by creating and removing an empty one.

    Raises:
        OSError: The folder isn't writable.
    """
    with _private_file(path, 0o600) as (_, handle):
        os.close(handle)


def is_no_file(path: Path) -> bool:
    """Return True if a path exists and isn't a regular file: a device or a pipe, for example."""
    return path.exists() and not path.is_file()  # on the link itself: /dev/stdout may lead to a name without a file


def end_of_link(path: Path) -> Path:
    """Follow a link to its target; return the path itself if it isn't a link."""
    return Path(os.path.realpath(path)) if path.is_symlink() else path


def refuse_unwritable(target: str | Path | None) -> None:
    """Raise an error if a file can't be written, before a judge is asked.

    Raises:
        UsageError: The file's folder doesn't exist or isn't writable; or the path is a folder's, or that of an
            unwritable device or pipe.
    """
    if target is None or target == "-":
        return
    path = end_of_link(Path(target))
    if path.is_dir():
        raise UsageError(f"{target} cannot be written: it is a folder; name a file in it")
    if is_no_file(Path(target)):
        if not os.access(target, os.W_OK):
            raise UsageError(f"{target} cannot be written: permission denied")
        return
    if not path.parent.is_dir():
        raise UsageError(f"{target} cannot be written: there is no folder {path.parent}; make it first")
    with writing(target):
        try_writing(path)


def refuse_overwriting(target: str | Path | None, inputs: Iterable[str | Path | None]) -> None:
    """Raise an error if a file that a command would write is one of those that it reads.

    Raises:
        UsageError: The file is one of them.
    """
    if target is None or not Path(target).is_file():
        return
    if any(path is not None and Path(path).is_file() and Path(path).samefile(target) for path in inputs):
        raise UsageError(f"{target} cannot be written: it is read, and would be lost; name another file")


def refuse_unmakeable(path: Path) -> None:
    """Raise an error if a file or its missing folders can't be made, before a judge is asked.

    Raises:
        UsageError: The file can't be made.
    """
    nearest = next(folder for folder in path.absolute().parents if os.path.lexists(folder))
    refuse_unwritable(path if path.parent.is_dir() else nearest / path.name)


def sync_folder(folder: Path) -> None:
    """Write a folder's entries to disk: a new file survives a power cut only once its folder is flushed."""
    with suppress(OSError):  # some file systems don't sync folders, and Windows doesn't open them
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def _bytes(text: str) -> bytes:
    """Encode text as UTF-8; lone surrogates are written as escapes, as in JSON."""
    return text.encode("utf-8", "backslashreplace")
