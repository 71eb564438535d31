#!/usr/bin/env bash
# One comment on a pull request that changes a rubric: the verdict before and after, what was reworded, and which labels
# became stale. Later pushes rewrite it, found by its writer and by a mark that nobody sees: anyone may write the mark,
# and whoever wrote a comment may edit it. Never fails the build.
set -uo pipefail

here=$(dirname "$0")
# shellcheck source=tools/action/fenced.sh
. "$here/fenced.sh"

if [ "$FROM_FORK" = "true" ]; then
    echo "A pull request from a fork gets no comment: its token can't write."
    exit 0
fi

body="${RUNNER_TEMP:?}/markscheme-comment.md"
change="$RUNNER_TEMP/markscheme-change.md"
log="$RUNNER_TEMP/markscheme-comment.log"

# End without a comment, and say why.
leave() {
    show "$log"
    echo "::warning title=markscheme::$1"
    exit 0
}

git cat-file -e "$BASE^{commit}" 2> /dev/null || git fetch --quiet --depth=1 origin "$BASE" 2> "$log"

after=()
calibration=()
[ -f "$REPORT/calibration.json" ] && after=(--report "$REPORT/calibration.json")
[ -f "$REPORT/calibration.md" ] && calibration=("$REPORT/calibration.md")
markscheme compare "$RUBRIC@$BASE" "$RUBRIC" "${after[@]}" --markdown > "$change" 2>> "$log"
case $? in
    0) echo "The rubric isn't changed: no comment." && exit 0 ;;
    1) ;;
    *) leave "no comment, since the change cannot be read" ;;
esac

MARK="<!-- markscheme: $(basename "$RUBRIC" | tr -cd '[:alnum:]._-') -->"
python -I "$here/comment.py" "$MARK" "$BASE" "$change" "${calibration[@]}" > "$body"

# `gh api user` is closed to the token of a job; whose it is, GraphQL says for every token.
WRITER=$(gh api graphql --raw-field query='query { viewer { login } }' --jq .data.viewer.login 2>> "$log")
[ -n "$WRITER" ] || leave "no comment, since GitHub doesn't say whose token this is"
export MARK WRITER

comments="repos/$GITHUB_REPOSITORY/issues/$NUMBER/comments"
own='.[] | select(.user.login == env.WRITER and (.body | startswith(env.MARK))) | .id'
ids=$(gh api --paginate "$comments" --jq "$own" 2>> "$log") || leave "no comment, since those there are cannot be read"
id=${ids%%$'\n'*}
if [ -n "$id" ]; then
    gh api --method PATCH "repos/$GITHUB_REPOSITORY/issues/comments/$id" --field "body=@$body" > /dev/null 2>> "$log"
else
    gh api --method POST "$comments" --field "body=@$body" > /dev/null 2>> "$log"
fi || leave "the comment cannot be written; does the job have pull-requests: write?"
