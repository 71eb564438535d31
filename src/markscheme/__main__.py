"""`python -m markscheme` is `markscheme`."""

import os
import sys

if not sys.flags.safe_path and sys.path[:1] == [os.getcwd()]:
    del sys.path[0]  # `-m` puts the working directory first, where any file could pass for a library

from markscheme.cli import main

sys.exit(main())
