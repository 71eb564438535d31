"""Forty responses: prose, Markdown, tables, code, JSON, conversations, other scripts, and attacks."""

import json

TABLE = "| column | " + "wide | " * 30 + "\n|---|" + "---|" * 30 + "\n| 1 | " + "a long cell | " * 30
CALL = {"function": {"name": "find", "arguments": '{"q": 1}'}}
TURNS = [
    {"role": "user", "content": "Find it."},
    {"role": "assistant", "content": "", "tool_calls": [CALL]},
    {"role": "tool", "content": "[1, 2]"},
    {"role": "assistant", "content": "It is **there**."},
]
_PROSE = [
    "Yes.",
    "I can't help with that.",
    "Thank you for writing. Your parcel left our warehouse on Monday and will reach you by Friday.",
    "\n".join(f"Line {i} of a response that an annotator reads." for i in range(60)),
    "\n\n".join(f"Paragraph {i}. " + "It goes on for a while. " * 12 for i in range(12)),
    "Spaces   in\ta\tline\r\nand\u00a0others\u2003here",
]
_MARKDOWN = [
    f"# Title\n\n{TABLE}",
    "| item | price |\n|:--|--:|\n| tea | 3.50 |\n| cake | 4.20 |\n\nTogether **7.70**.",
    "1. First\n   - nested\n     - deeper\n2. Second\n\n> A quote\n> of two lines\n\n---\n\n~~gone~~ *kept*",
    "###### Small\n\n" + "".join(f"{'#' * n} Heading {n}\n\ntext\n\n" for n in range(1, 7)),
    "- [ ] open\n- [x] done\n\nTerm[^1]\n\n[^1]: A note.",
    "A formula $x^2 + y^2$ and `inline code` with \\* escapes \\* and an <https://example.org/> address.",
    "**unclosed *emphasis `and code\n\n```\nand a fence that never ends",
]
_CODE = [
    "import os\n\n"
    + "\n".join(f"def f{i}(x):\n    return x + {i}  # {'long ' * (40 if i == 7 else 1)}" for i in range(150)),
    "@cached\nclass A:\n    def f(self):\n        return 'text', 12  # why\n",
    "```python\nprint('hello')\n```\n\nthen\n\n```sh\nrm -rf build && make\n```",
    "```sql\nSELECT name, count(*) FROM labels GROUP BY name HAVING count(*) > 3;\n```",
    "function add(a, b) {\n  return a + b; // sum\n}\nconsole.log(add(1, 2));\n",
    '#include <stdio.h>\nint main(void) {\n    printf("%d\\n", 42);\n    return 0;\n}\n',
    "```diff\n- old line\n+ new line\n```",
    'Traceback (most recent call last):\n  File "a.py", line 1, in <module>\nValueError: no',
]
_DATA = [
    json.dumps({"a": [{"b": "<img src=x onerror=window.ran=1>"}] * 6, "c": {"d": 1}}),
    json.dumps([{"id": i, "name": f"item {i}", "tags": ["a", "b"]} for i in range(40)]),
    json.dumps({"deep": {"er": {"and": {"deeper": {"still": [[[[1]]]]}}}}}),
    "[1, 2, 3",
    "name: yaml\nsteps:\n  - run: tests\n  - run: docs\n",
    "<note><to>Ana</to><body>XML &amp; such</body></note>",
]
_TURNS = [
    json.dumps(TURNS),
    json.dumps([{"role": "user", "content": "Hello?"}] * 12),
    json.dumps([{"role": "system", "content": "Be kind."}, {"role": "user", "content": "<b>bold?</b>"}]),
]
_SCRIPTS = [
    "مرحبا بكم في الموقع\n\nعربي then English",
    "שלום עולם 123 (סוגריים) English",
    "これは日本語の返答です。" * 20,
    "Ünïcödé, ligatures ﬁ, emoji 👩‍👩‍👧‍👦 and combining e\u0301",
    "right \u202eto left override\u202c and zero\u200bwidth",
]
_ATTACKS = [
    "![pixel](data:image/png;base64,iVBORw0KGgo=) ![far](https://example.org/x.png) <b onclick='window.ran=1'>b</b>"
    "\n\n[link](javascript:window.ran=1) <script>window.ran=1</script></script><img src=x onerror=window.ran=1>",
    "<svg onload=window.ran=1><a xlink:href='javascript:window.ran=1'>x</a></svg>"
    "<iframe srcdoc='<script>top.ran=1</script>'>",
    "</textarea></template></script><style>*{display:none}</style>"
    "<form action=https://example.org><input name=a></form>",
    "<meta http-equiv=refresh content='0;url=https://example.org'><base href=https://example.org>"
    "<link rel=stylesheet href=//x>",
    "x" * 1_000_000,
]
RESPONSES = [*_PROSE, *_MARKDOWN, *_CODE, *_DATA, *_TURNS, *_SCRIPTS, *_ATTACKS]
