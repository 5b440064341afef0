#!/usr/bin/env bash
# Compacts JSONL files and holds the result against a validator of provider schemas and tool pairs.
#
#   scripts/validate.sh path/to/validate_messages.py FILE.jsonl...
#
# A FILE holds one conversation a line, each with an id of its own. Each transcript that the validator
# takes before must be taken after; if one is not, the exit status is 1.
#
#   EPITOME=PATH  a built epitome (default: build the release)
#   PYTHON=PATH   a python that can import openai, anthropic and pydantic (default: python3)
#   TRIGGER, KEEP when to compact and what stays (default: tokens=4000, tokens=1000)
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
fail() {
    printf 'validate.sh: %s\n' "$*" >&2
    exit 2
}

(($# >= 2)) || fail "usage: scripts/validate.sh path/to/validate_messages.py FILE.jsonl..."
validator=$1
shift
[[ -f $validator ]] || fail "no such file: $validator"
python=${PYTHON:-python3}
"$python" -c 'import openai, anthropic, pydantic' 2>/dev/null || fail "$python cannot import openai, anthropic and pydantic; install them with pip, or set PYTHON"

if [[ -n ${EPITOME:-} ]]; then
    epitome=$(command -v -- "$EPITOME") || fail "EPITOME=$EPITOME is no program"
    epitome=$(cd "$(dirname "$epitome")" && pwd)/$(basename "$epitome")
else
    (cd "$root" && cargo build --release --locked) >&2
    epitome=$(cd "$root" && cd "${CARGO_TARGET_DIR:-target}/release" && pwd)/epitome
fi

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# validate OUTPUT ARGUMENT...: 1 means that some transcript is invalid, which is for the comparison to judge
validate() {
    local output=$1 status=0
    shift
    "$python" "$validator" --json "$@" >"$output" || status=$?
    ((status <= 1)) || fail "the validator ended with status $status on: $*"
}

bad=0
for file in "$@"; do
    [[ -f $file ]] || fail "no such file: $file"
    name=$(basename "$file")
    out=$work/out
    rm -rf "$out"
    # Started beside the input, so that the output has the same plain name.
    if ! (cd "$(dirname "$file")" && "$epitome" compact "./$name" -o "$out" --trigger "${TRIGGER:-tokens=4000}" --keep "${KEEP:-tokens=1000}" --quiet); then
        printf '%s: epitome compact failed\n' "$name"
        bad=1
        continue
    fi
    if [[ ! -f $out/$name ]]; then
        printf '%s: epitome wrote no file of this name\n' "$name"
        bad=1
        continue
    fi
    validate "$work/before.json" "$file"
    validate "$work/after.json" --against "$file" "$out/$name"
    "$python" - "$name" "$file" "$work/before.json" "$out/$name" "$work/after.json" <<'EOF' || bad=1
import json, re, sys

name, before, before_json, after, after_json = sys.argv[1:]


def transcripts(path, verdict):
    """id -> (line, errors, bytes), in the order of the file; warnings do not count."""
    found = {}
    errors = {}
    for problem in json.load(open(verdict, encoding="utf-8"))["problems"]:
        line, _, text = problem.removeprefix(f"{path}:").partition(": ")
        if not re.match(r"messages\[\d+\]: warning\[", text):
            errors.setdefault(int(line), []).append(text)
    for number, raw in enumerate(open(path, "rb"), 1):
        if raw.strip():
            record = json.loads(raw)
            keys = ("id", "thread_id", "session_id", "conversation_id", "custom_id")
            key = next((record[k] for k in keys if isinstance(record, dict) and record.get(k) is not None), f"line {number}")
            found[str(key)] = (number, errors.get(number, []), raw)
    return found


old, new = transcripts(before, before_json), transcripts(after, after_json)
broken = []
for key, (number, errors, _) in old.items():
    if key not in new:
        broken.append(f"  line {number}, {key}: missing from the output")
    elif not errors and new[key][1]:
        broken.append(f"  line {number}, {key}: {'; '.join(new[key][1][:3])}")
broken += [f"  {key}: not in the input" for key in new if key not in old]
changed = sum(key in new and new[key][2] != raw for key, (_, _, raw) in old.items())
valid = sum(not errors for _, errors, _ in old.values())
still = sum(not errors for _, errors, _ in new.values())
print(f"{name}: {len(old)} transcripts, {changed} changed, valid before {valid}, valid after {still}, broken {len(broken)}")
print("\n".join(broken[:20]), end="\n" if broken else "")
sys.exit(bool(broken))
EOF
done
exit "$bad"
