#!/usr/bin/env bash
# Whether the build fails: by the exit status of calibrate, which answers the question that was required, where something
# moved in a weekly run, and where there was nothing to read, ask or grade.
set -euo pipefail

fail() {
    echo "::error title=markscheme::$1"
    exit 1
}

case $REQUIRE in
    "" | never | gate | trend) ;;
    *) fail "require must be gate, trend, never or empty, got '${REQUIRE//[^[:alnum:]-]/?}'" ;;
esac
case $STATUS in
    0 | 1 | 4) ;;
    2) fail "invalid arguments or files; the log above says which" ;;
    3) fail "no judge to ask; without a key, name recorded replies: recorded:PATH" ;;
    5) fail "over a tenth of the examples could not be graded" ;;
    *) fail "markscheme ended with exit status ${STATUS:-none}" ;;
esac
if [ -n "$MOVED" ] && [ "$REQUIRE" != never ]; then
    fail "moved: $MOVED; the summary says how, and --since with --because begins a new period"
fi
[ -n "$USE" ] || exit 0
case "$REQUIRE $STATUS" in
    " 1") fail "the judge disagrees with the labels, or drifted" ;;
    "gate 1") fail "the judge can't gate: it disagrees with the labels, or drifted" ;;
    "trend 1") fail "the judge's scores can't be averaged: they disagree with the labels, or drifted" ;;
    "gate 4") fail "these labels don't show that the judge can gate" ;;
    "trend 4") fail "these labels don't show that the judge's scores can be averaged" ;;
esac
echo "use: $USE"
