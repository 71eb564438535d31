#!/usr/bin/env bash
# Calibrates the rubric's judge, and corrects the pass rate of results: writes the reports into a folder, the summary of
# the step, annotations at the rubric's lines, and what later steps need as outputs. In a weekly run, adds responses to a
# stream and says what moved instead. Fails only where there is nothing to do; whether the build fails is for decide.sh.
set -uo pipefail

# shellcheck source=tools/action/fenced.sh
. "$(dirname "$0")/fenced.sh"

if [ -z "$RUBRIC$RESULTS" ]; then
    echo "::error title=markscheme::name a rubric, results, or both"
    exit 2
fi
if [ -n "$TRACK" ] && { [ -z "$RUBRIC" ] || [ -n "$RESULTS" ]; }; then
    echo "::error title=markscheme::track goes with a rubric, and without results"
    exit 2
fi

report="${RUNNER_TEMP:?}/markscheme"
log="$RUNNER_TEMP/markscheme-calibrate.log"
mkdir -p "$report"
name=$(basename "${RUBRIC:-$RESULTS}")
name=${name%.*}
name=${name//[^[:alnum:]._-]/-}
status=0
use=""
verdict=""
moved=""

# A value of a report's JSON, on one line.
read_value() {
    python -I -c 'import json, sys; print(" ".join(str(json.load(open(sys.argv[1], encoding="utf-8")).get(sys.argv[2]) or "").split()))' \
        "$report/$1.json" "$2"
}

judge=()
[ -z "$JUDGE" ] || judge=(--judge "$JUDGE")
# Over several lines too, as YAML's `|` leaves them; the end of the text isn't an error.
read -r -d '' -a more <<< "${OPTIONS:-}" || true

if [ -n "$TRACK" ]; then
    markscheme pass-rate "$TRACK" --rubric "$RUBRIC" --track "${judge[@]}" "${more[@]}" --json \
        > "$report/pass-rate.json" 2> "$log"
    status=$?
    show "$log"
    if [ -s "$report/pass-rate.json" ]; then
        moved=$(read_value pass-rate named)
    fi
elif [ -n "$RUBRIC" ]; then
    required=()
    case $REQUIRE in gate | trend) required=(--require "$REQUIRE") ;; esac
    markscheme calibrate "$RUBRIC" "${judge[@]}" "${required[@]}" "${more[@]}" --quiet --annotate \
        --json "$report/calibration.json" --html "$report/calibration.html" --sarif "$report/calibration.sarif" \
        --markdown "$report/calibration.md" --junit "$report/calibration.xml" 2> "$log"
    status=$?
    show "$log"
    if [ -f "$report/calibration.json" ]; then
        use=$(read_value calibration use)
        verdict=$(read_value calibration verdict)
        show "$report/calibration.md"
    fi
fi

if [ -n "$RESULTS" ]; then
    labels=$RESULTS
    [ -f "$report/calibration.json" ] && labels="$report/calibration.json"
    markscheme pass-rate "$RESULTS" --calibration "$labels" > "$report/pass-rate.txt" 2> "$report/pass-rate.log"
    of_results=$?
    show "$report/pass-rate.txt" "$report/pass-rate.log"
    {
        echo "### Pass rate"
        echo '```text'
        sed 's/```/"""/g' "$report/pass-rate.txt" "$report/pass-rate.log"
        echo '```'
    } >> "$GITHUB_STEP_SUMMARY"
    # Too few labels to correct a pass rate fail no build by themselves.
    if [ -z "$RUBRIC" ] && [ "$of_results" -ne 4 ]; then
        status=$of_results
    elif [ "$of_results" -eq 2 ] && [ "$status" -ne 3 ]; then
        status=2
    fi
fi

{
    echo "name=$name"
    echo "report=$report"
    echo "status=$status"
    echo "use=$use"
    echo "verdict=$verdict"
    echo "moved=$moved"
} >> "$GITHUB_OUTPUT"
