"""An installed kind of judge that takes the parameter which the recipe in CONTRIBUTING.md adds."""

from pathlib import Path

RECIPE = "Add an option of how a judge is asked"
"""The recipe that adds `top_p`."""
ONE = '{"name": "one", "criteria": [{"name": "good", "requirement": "It is good"}]}'
ECHO = '''
import json
from markscheme.judges.judge import Identity, Reply, Usage
from markscheme.judges.kinds import JudgeKind

class EchoJudge:
    """Gives the parameters that it was opened with as its reason."""

    def __init__(self, parameters):
        self.words = json.dumps(parameters)
        self.identity = Identity("echo:m", parameters=parameters)

    async def reply(self, prompt, sample=0):
        verdict = {"quote": "nothing to quote", "reason": self.words, "level": "MET"}
        verdicts = {"verdicts": {name: verdict for name in prompt.criteria}}
        return Reply(json.dumps(verdicts) if prompt.criteria else self.words, usage=Usage(1))

    async def aclose(self):
        pass

KIND = JudgeKind("echo", lambda rest, asking: EchoJudge(asking.settings("top_p")))
'''
FILES = {
    "echoing.py": ECHO,
    "echoing-1.0.dist-info/METADATA": "Metadata-Version: 2.1\nName: echoing\nVersion: 1.0\n",
    "echoing-1.0.dist-info/entry_points.txt": "[markscheme.judges]\necho = echoing:KIND\n",
}


def install_echo(home: Path) -> Path:
    """Unpack the package with the judge into a folder, as an installer unpacks a wheel."""
    for name, text in FILES.items():
        (home / name).parent.mkdir(exist_ok=True)
        (home / name).write_text(text)
    return home
