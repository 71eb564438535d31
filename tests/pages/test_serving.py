"""The address on which pages are served."""

import socket

import pytest

from markscheme.errors import UsageError
from markscheme.pages.serving import free_socket


@pytest.mark.parametrize("host", ["300.1.1.1", "192.0.2.1"], ids=["no address", "another machine's"])
def test_if_no_port_can_be_opened_the_error_says_that_the_address_may_be_another_machine_s(host: str) -> None:
    with pytest.raises(UsageError, match=f"{host} isn't this machine's, or ports 8765 to 8814 are taken"):
        free_socket(host, 8765)


def test_if_a_port_is_taken_the_next_free_one_is_used() -> None:
    with free_socket("127.0.0.1", 18_900) as first, free_socket("127.0.0.1", first.getsockname()[1]) as second:
        assert isinstance(second, socket.socket)
        assert second.getsockname()[1] > first.getsockname()[1]
