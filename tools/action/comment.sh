#!/usr/bin/env bash
# One comment on a pull request that changes a rubric: the verdict before and after, what was reworded, and which labels
# became stale. Later pushes rewrite it, found by a mark that nobody sees. Never fails the build.
set -uo pipefail

if [ "$FROM_FORK" = "true" ]; then
    echo "A pull request from a fork gets no comment: its token can't write."
    exit 0
fi

git cat-file -e "$BASE^{commit}" 2> /dev/null || git fetch --quiet --depth=1 origin "$BASE"

body="${RUNNER_TEMP:?}/markscheme-comment.md"
change="$RUNNER_TEMP/markscheme-change.md"
after=()
[ -f "$REPORT/calibration.json" ] && after=(--report "$REPORT/calibration.json")
markscheme diff "$RUBRIC" --since "$BASE" "${after[@]}" --markdown "$change" > /dev/null
case $? in
    0) echo "The rubric isn't changed: no comment." && exit 0 ;;
    1) ;;
    *) echo "::warning title=markscheme::no comment, since the change cannot be read" && exit 0 ;;
esac

mark="<!-- markscheme: $(basename "$RUBRIC" | tr -cd '[:alnum:]._-') -->"
{
    echo "$mark"
    # The commit is named by 40 digits, which say nothing to a reader.
    sed "s/$BASE/the base branch/g" "$change"
    if [ -f "$REPORT/calibration.md" ]; then
        echo
        echo "<details><summary>The calibration</summary>"
        echo
        head -c 50000 "$REPORT/calibration.md"
        echo
        echo "</details>"
    fi
} > "$body"

comments="repos/$GITHUB_REPOSITORY/issues/$NUMBER/comments"
id=$(gh api --paginate "$comments" --jq ".[] | select(.body | startswith(\"$mark\")) | .id" | head -n 1)
if [ -n "$id" ]; then
    gh api --method PATCH "repos/$GITHUB_REPOSITORY/issues/comments/$id" --field "body=@$body" > /dev/null
else
    gh api --method POST "$comments" --field "body=@$body" > /dev/null
fi || echo "::warning title=markscheme::the comment cannot be written; does the job have pull-requests: write?"
