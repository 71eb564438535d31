#!/usr/bin/env bash
# Whether the build fails: by the use of the judge, and where there was nothing to read, ask or grade.
set -euo pipefail

fail() {
    echo "::error title=markscheme::$1"
    exit 1
}

case $FAIL_ON in
    never | none | explore | trend) ;;
    *) fail "fail-on must be never, none, explore or trend, got '${FAIL_ON//[^[:alnum:]-]/?}'" ;;
esac
case $STATUS in
    0 | 1 | 4) ;;
    2) fail "invalid arguments or files; the log above says which" ;;
    3) fail "no judge to ask; without a key, name recorded replies: recorded:PATH" ;;
    5) fail "over a tenth of the examples could not be graded" ;;
    *) fail "markscheme ended with exit status ${STATUS:-none}" ;;
esac
[ -n "$USE" ] || exit 0
case "$FAIL_ON $USE" in
    "none none" | "explore none" | "trend none") fail "the judge can't be used: it disagrees with the labels, or drifted" ;;
    "explore explore" | "trend explore") fail "not enough labels to tell what the judge can decide" ;;
    "trend trend") fail "the judge is good enough for trends, not for a gate" ;;
esac
echo "use: $USE"
