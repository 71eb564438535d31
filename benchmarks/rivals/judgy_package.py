"""judgy's interval for each data set that is read from standard input, one JSON line in, one out.

In: {"labels": people's, "predictions": the judge's, "unlabelled": the judge's} of zeros and ones.
Out: [estimate, low, high], or null where judgy raises.
"""

import json
import sys

import numpy as np
from judgy import estimate_success_rate

ITERATIONS = int(sys.argv[1])
np.random.seed(1)

for line in sys.stdin:
    told = json.loads(line)
    try:
        found = estimate_success_rate(
            told["labels"], told["predictions"], told["unlabelled"], bootstrap_iterations=ITERATIONS
        )
        print(json.dumps([float(value) for value in found]), flush=True)
    except (ValueError, RuntimeError):
        print("null", flush=True)
