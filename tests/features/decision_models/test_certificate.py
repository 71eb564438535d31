"""A decision model behind a certificate that a company signs itself."""

import asyncio
import shutil
from pathlib import Path

import pytest

from markscheme.errors import JudgeSilent
from markscheme.features.decision_models.judge import DecisionJudge
from markscheme.judges.deciding import SYSTEM_ONE
from markscheme.prompts.prompt import DecisionQuestion, Prompt
from tests.judges.certificates import company_certificate, tls_with
from tests.judges.chat_server import ChatServer, completion

pytestmark = pytest.mark.skipif(
    shutil.which("openssl") is None, reason="runs where openssl is installed, which makes a certificate"
)


def test_the_error_on_an_untrusted_certificate_of_a_decision_model_names_the_ssl_cert_file_variable(
    tmp_path: Path,
) -> None:
    async def once(url: str) -> None:
        judge = DecisionJudge(SYSTEM_ONE, "jev", base_url=url, api_key="key-of-a-test")
        question = DecisionQuestion("kind", "yes_no", "Is it kind?", (("UNMET", ""), ("MET", "")))
        try:
            await judge.reply(Prompt("judge", "the response", schema={}, criteria=("kind",), questions=(question,)))
        finally:
            await judge.aclose()

    untrusted = "certificate isn't trusted here: name your company's by SSL_CERT_FILE"
    with ChatServer(lambda _: completion("MET")) as server:
        server.secured(tls_with(company_certificate(tmp_path)))
        with pytest.raises(JudgeSilent, match=untrusted):
            asyncio.run(once(server.url))
