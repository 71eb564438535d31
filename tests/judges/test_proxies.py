"""A judge behind a company's network: through a proxy, and with a certificate signed by the company."""

import asyncio
import select
import shutil
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from markscheme.errors import JudgeSilent
from markscheme.judges.openai import OpenAIJudge
from markscheme.prompts.prompt import Prompt
from tests.judges.certificates import company_certificate, tls_with
from tests.judges.chat_server import Answer, ChatServer, completion

pytestmark = pytest.mark.skipif(
    shutil.which("openssl") is None, reason="runs where openssl is installed, which makes a certificate"
)
PROMPT = Prompt("judge", "the response", schema={}, criteria=("kind",))


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """Make a self-signed certificate for this machine, and its key."""
    return company_certificate(tmp_path_factory.mktemp("certificate"))


@pytest.fixture
def server(certificate: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch) -> Iterator[ChatServer]:
    """Start a chat server with TLS, without any environment variable about proxies or certificates."""
    for name in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY", "SSL_CERT_FILE", "SSL_CERT_DIR"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.lower(), raising=False)
    with ChatServer(lambda _: answered()) as chat:
        chat.secured(tls_with(certificate))
        yield chat


def answered() -> Answer:
    return completion("MET")


def answer_of(chat: ChatServer) -> str:
    """Ask the server's judge once; return the answer's text."""

    async def once() -> str:
        judge = OpenAIJudge("m", base_url=chat.url, api_key="sk-test-key")
        try:
            return (await judge.reply(PROMPT)).text
        finally:
            await judge.aclose()

    return asyncio.run(once())


@contextmanager
def proxy() -> Iterator[tuple[str, list[str]]]:
    """Start a proxy that tunnels requests; yield its address and the requests it got."""
    listening = socket.create_server(("127.0.0.1", 0))
    requests: list[str] = []

    def serve() -> None:
        while True:
            try:
                client, _ = listening.accept()
            except OSError:
                return
            request = client.recv(65536).decode("latin-1")
            requests.append(request.splitlines()[0])
            host, port = request.split()[1].split(":")
            with client, socket.create_connection((host, int(port))) as onward:
                client.sendall(b"HTTP/1.1 200 Connection established\r\n\r\n")
                _tunnel(client, onward)

    thread = threading.Thread(target=serve, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{listening.getsockname()[1]}", requests
    finally:
        listening.close()


def _tunnel(client: socket.socket, onward: socket.socket) -> None:
    """Copy bytes in both directions until one side closes the connection."""
    while True:
        for ready in select.select([client, onward], [], [], 30)[0]:
            data = ready.recv(65536)
            if not data:
                return
            (onward if ready is client else client).sendall(data)


def test_a_server_certificate_signed_by_the_user_s_company_is_trusted_if_ssl_cert_file_names_it(
    server: ChatServer, certificate: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(JudgeSilent, match="certificate isn't trusted here: name your company's by SSL_CERT_FILE"):
        answer_of(server)
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate[0]))
    assert answer_of(server) == "MET"


def test_requests_go_through_the_proxy_in_the_environment_except_for_excluded_addresses(
    server: ChatServer, certificate: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate[0]))
    with proxy() as (url, requests):
        monkeypatch.setenv("HTTPS_PROXY", url)
        assert answer_of(server) == "MET"
        assert requests == [f"CONNECT {server.url.split('/')[2]} HTTP/1.1"]
        monkeypatch.setenv("NO_PROXY", "127.0.0.1")
        assert answer_of(server) == "MET"
        assert len(requests) == 1


def test_an_unreachable_proxy_counts_as_no_answer_from_the_server(
    server: ChatServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    with socket.socket() as silent:
        silent.bind(("127.0.0.1", 0))  # kept, so that nobody else gets the port meanwhile
        monkeypatch.setenv("HTTPS_PROXY", f"http://127.0.0.1:{silent.getsockname()[1]}")
        with pytest.raises(JudgeSilent, match="could not be reached"):
            answer_of(server)
