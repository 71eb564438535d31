"""Entry point of `python -m markscheme`, which does the same as the command `markscheme`."""

import os
import sys

if not sys.flags.safe_path and sys.path[:1] == [os.getcwd()]:
    del sys.path[0]  # `-m` puts the working directory first, where any file could pass for a library

from markscheme.cli import main

sys.exit(main())
