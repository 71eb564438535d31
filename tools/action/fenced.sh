#!/usr/bin/env bash
# Sourced by the steps: prints files in which nothing is a command to GitHub Actions, since they quote responses, files
# and names of others. An empty or missing file prints nothing.
show() {
    local token file
    for file in "$@"; do
        [ -s "$file" ] || continue
        token=$(python -I -c 'import secrets; print(secrets.token_hex(16))')
        echo "::stop-commands::$token"
        cat "$file"
        echo
        echo "::$token::"
    done
}
