#!/usr/bin/env bash
# Writes reports as HTML and opens each in a browser without a screen: a real run, a log that tries
# to be markup, and 100,000 transcripts.
#
#   tests/page/run.sh path/to/epitome
set -euo pipefail

epitome=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
page=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(cd "$page/../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

node "$page/make-logs.mjs"
"$epitome" compact "$root/fixtures/demo" -o demo --trigger messages=10 --keep messages=4 --report demo/report.html --report-texts -q
node "$page/check.mjs" demo/report.html "$(grep -c '"thread_id"' demo/report.json)"
"$epitome" compact '<img src=x onerror=alert(2)>.jsonl' -o hostile --trigger messages=3 --keep messages=1 --max-errors 1 \
    --report hostile/report.html --report-texts -q
node "$page/check.mjs" hostile/report.html 4
"$epitome" plan many.jsonl --report many.html -q
node "$page/check.mjs" many.html 100000
