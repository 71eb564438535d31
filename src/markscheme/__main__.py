"""`python -m markscheme` is `markscheme`."""

import sys

from markscheme.cli import main

sys.exit(main())
