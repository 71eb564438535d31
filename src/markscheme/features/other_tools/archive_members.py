"""Reading of the members of zip archives, also with Zstandard compression, with a limit on their unpacked size."""

import struct
import zipfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import IO

from markscheme.errors import RatingError
from markscheme.readers.archive import UNPACKING_ERRORS, zstandard_or

MOST_OF_MEMBER = 256 * 2**20
"""Largest unpacked size in bytes of a member: members are read whole, so that a small archive could otherwise fill the
memory."""
MOST_OF_ALL = 4 * 2**30
"""Largest unpacked size in bytes of all members together."""
ZSTANDARD = 93
"""Number of the compression method Zstandard in a ZIP archive (APPNOTE 4.4.5)."""
_LOCAL_HEADER = 30
"""Number of bytes of a member's local header before its name (APPNOTE 4.3.7)."""


def members(path: Path, names: Sequence[str]) -> Iterator[tuple[str, bytes]]:
    """Yield the members of a zip archive that have these names, each with its unpacked bytes, one after the other.

    Raises:
        RatingError: A member can't be unpacked, or all of them exceed the size limit.
    """
    try:
        with zipfile.ZipFile(path) as archive, path.open("rb") as raw:
            infos = [archive.getinfo(name) for name in names]
            sizes = [info.file_size for info in infos]
            if max(sizes, default=0) > MOST_OF_MEMBER or sum(sizes) > MOST_OF_ALL:
                raise RatingError(
                    f"unpacks to {sum(sizes):,} bytes, {max(sizes):,} of them in one member; at most {MOST_OF_ALL:,} "
                    f"and {MOST_OF_MEMBER:,} are read",
                    path=path,
                )
            for info in infos:
                is_zstandard = info.compress_type == ZSTANDARD
                yield info.filename, _zstandard(raw, info, path) if is_zstandard else _deflated(archive, info)
    except UNPACKING_ERRORS as problem:
        raise RatingError(f"cannot be unpacked: {problem}", path=path) from problem


def _deflated(archive: zipfile.ZipFile, info: zipfile.ZipInfo) -> bytes:
    with archive.open(info) as member:
        return member.read(info.file_size + 1)


def _zstandard(raw: IO[bytes], info: zipfile.ZipInfo, path: Path) -> bytes:
    """Unpack a Zstandard member of a zip archive, since zipfile before Python 3.14 can't.

    A member that is larger than the archive states is refused.
    """
    instead = "is packed with Zstandard: `pip install zstandard`, or convert it with `inspect log dump`"
    zstandard = zstandard_or(instead, path)
    raw.seek(info.header_offset)
    name_length, extra_length = struct.unpack("<26x2H", raw.read(_LOCAL_HEADER))
    raw.seek(name_length + extra_length, 1)
    packed = raw.read(info.compress_size)
    try:
        with zstandard.ZstdDecompressor(max_window_size=2**27).stream_reader(packed) as member:
            data = bytes(member.read(info.file_size + 1))
    except zstandard.ZstdError as problem:
        raise RatingError(f"cannot be unpacked: {problem}", path=path) from problem
    if len(data) != info.file_size:
        raise RatingError(f"{info.filename!r} isn't of the size that the archive states", path=path)
    return data
