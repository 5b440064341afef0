#!/usr/bin/env bash
# Times `epitome` on real sessions as whole processes, beside `cat` and, where it is installed, the Python reference.
#
#   scripts/bench.sh [DIR] [--size 150M] [--trigger tokens=6000] [--keep tokens=1000] [--changed as-is|0.2] [--runs 3]
#                    [--reference-size 8M] [-- MORE OPTIONS OF epitome compact]
#   scripts/bench.sh --counters          exact counters beside tiktoken-rs, on the same data and on texts of 1 MB made to be hard
#   scripts/bench.sh --lengths "50 100 200 400 800 1600 3200 6400" [--chat 120] [--size 20M] [--trigger tokens=8000] [--runs 3]
#
# DIR holds sessions, one a line of its `.jsonl` files (where there are any, only of `tau-bench*` and `swe-agent*`), which are
# repeated with new ids. Without it these are the sessions below $EPITOME_CHECKS/data/openai, and without that those of
# fixtures/demo: made for it, with long texts, on which a summary costs little. The output says which. Only the stage summarize
# is on. The last lines are the ratios of CPU seconds that are held: the embedded summarizer beside none, and none beside `cat`.
#
# With --lengths it times `epitome replay` against the length of transcripts: first with a trigger that is never
# reached, then with --trigger. The reference replays one transcript of each length up to 400 messages. With
# --chat the messages are plain turns of so many characters each.
#
# The reference is timed in two ways: its middleware called by itself, as a program made for logs could, and the agent of
# create_deep_agent, which is how it is used live.
#
#   BENCH_DATA=DIR        the same as DIR; for --lengths and --counters as well, which take fixtures/demo without it
#   BENCH_DIR=DIR         where input and output go (default: memory, if there is /dev/shm); needs four times the size
#   EPITOME=PATH          a built epitome (default: build the release)
#   REFERENCE_PYTHON=PATH python of a virtual environment with deepagents 0.4.3
#
# MB is 10^6 bytes. CPU seconds are user + system, the median of the runs; peak memory is the highest of them.
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
scripts=$root/scripts
say() { printf '%s\n' "$*" >&2; }
fail() {
    say "bench.sh: $*"
    exit 2
}

size= trigger= keep= changed=as-is runs=3 reference_size=8M lengths= chat= counters= data=${BENCH_DATA:-}
more=()
while (($#)); do
    case $1 in
        --size | --trigger | --keep | --changed | --runs | --reference-size | --lengths | --chat)
            (($# >= 2)) || fail "$1 needs a value"
            option=${1#--}
            printf -v "${option//-/_}" %s "$2"
            shift 2
            ;;
        --counters)
            counters=1
            shift
            ;;
        --)
            shift
            more=("$@")
            break
            ;;
        -h | --help)
            sed -n '2,/^set /{/^set /d;s/^# \{0,1\}//;p}' "${BASH_SOURCE[0]}"
            exit 0
            ;;
        -*) fail "unknown option $1; see --help" ;;
        *)
            data=$1
            shift
            ;;
    esac
done

command -v python3 >/dev/null || fail "python3 is needed"

if [[ -n $lengths || -n $counters ]]; then
    size=${size:-20M} trigger=${trigger:-tokens=8000} keep=${keep:-tokens=2000}
else
    size=${size:-150M} trigger=${trigger:-tokens=6000} keep=${keep:-tokens=1000}
    if [[ -z $data && -d ${EPITOME_CHECKS:-}/data/openai ]]; then data=$EPITOME_CHECKS/data/openai; fi
fi
data=${data:-$root/fixtures/demo}
shopt -s nullglob
sources=("$data"/tau-bench*.jsonl "$data"/swe-agent*.jsonl)
if ((!${#sources[@]})); then sources=("$data"/*.jsonl); fi
shopt -u nullglob
((${#sources[@]})) || fail "no .jsonl files in $data"
measured="real sessions ($(basename -a -s .jsonl "${sources[@]}" | paste -sd ' ' -))"
if [[ $data -ef $root/fixtures/demo ]]; then measured="the conversations of fixtures/demo, made for it: real sessions take longer"; fi

if [[ -n $counters ]]; then
    texts=()
    if [[ -n ${BENCH_DATA:-} ]]; then texts=("${sources[@]}"); fi
    for at in "${!texts[@]}"; do texts[at]=$(realpath "${texts[at]}"); done
    cd "$root" && exec cargo bench --locked --quiet --bench counters -- ${texts[@]+"${texts[@]}"}
fi

if [[ -n ${EPITOME:-} ]]; then
    epitome=$(command -v -- "$EPITOME") || fail "EPITOME=$EPITOME is no program"
else
    (cd "$root" && cargo build --release --locked) >&2
    epitome=$(cd "$root" && cd "${CARGO_TARGET_DIR:-target}/release" && pwd)/epitome
fi

if [[ -z ${BENCH_DIR:-} && -d /dev/shm && -w /dev/shm ]]; then BENCH_DIR=/dev/shm; fi
mkdir -p "${BENCH_DIR:=${TMPDIR:-/tmp}}"
work=$(mktemp -d "$BENCH_DIR/epitome-bench.XXXXXX")
trap 'rm -rf "$work"' EXIT

measure() { python3 "$scripts/measure.py" "$@"; }

# measure_epitome INPUT JOBS RUNS RESULTS LABEL [OPTION...]
measure_epitome() {
    measure --runs "$3" --label "$5" --append "$4" --input "$1" --fresh "$work/out" --report "$work/out/report.json" -- \
        "$epitome" compact "$1" -o "$work/out" --config "$work/policy.toml" --trigger "$trigger" --keep "$keep" -j "$2" --quiet "${@:6}" ${more[@]+"${more[@]}"}
}

printf '%s\n' 'max_input_tokens = 100000000' '[evict]' 'tokens = 0' '[truncate]' 'trigger = []' >"$work/policy.toml"

reference_python=${REFERENCE_PYTHON:-}
if [[ -z $reference_python ]] && python3 -c 'import importlib.metadata as m; raise SystemExit(m.version("deepagents") != "0.4.3")' 2>/dev/null; then
    reference_python=python3
fi

if [[ -n $lengths ]]; then
    for when in tokens=1000000000 "$trigger"; do
        rm -f "$work/lengths"
        for length in $lengths; do
            python3 "$scripts/make-input.py" --size "$size" --messages "$length" ${chat:+--chat "$chat"} "$work/input.jsonl" "${sources[@]}" >&2
            measure --runs "$runs" --label "$length" --append "$work/lengths" --input "$work/input.jsonl" --fresh "$work/out" -- \
                "$epitome" replay "$work/input.jsonl" -o "$work/out" --config "$work/policy.toml" --trigger "$when" --keep "$keep" -j1 --quiet ${more[@]+"${more[@]}"}
            calls=$(wc -l <"$work/out/replay.jsonl")
            transcripts=$(wc -l <"$work/input.jsonl")
            messages=$(python3 -c 'import json, sys; print(sum(len(json.loads(line)["messages"]) for line in open(sys.argv[1])))' "$work/input.jsonl")
            theirs=
            if [[ -n $reference_python ]] && ((length <= 400)); then
                head -n 1 "$work/input.jsonl" >"$work/one.jsonl"
                for ((run = 0; run < runs; run++)); do
                    "$reference_python" "$scripts/reference.py" --replay --trigger "$when" --keep "$keep" --no-truncate "$work/one.jsonl" "$work/reference.jsonl"
                done >"$work/theirs"
                theirs=$(python3 -c 'import sys; rows = sys.stdin.read().splitlines(); print(sorted(rows, key=lambda row: float(row.split("cpu_s=")[1].split()[0]))[len(rows) // 2])' <"$work/theirs")
            fi
            printf '%s %s %s %s %s\n' "$length" "$transcripts" "$messages" "$calls" "$theirs" >>"$work/lengths.txt"
        done
        printf 'replay -j1, trigger %s, keep %s; medians of %s runs.\n\n' "$when" "$keep" "$runs"
        python3 - "$work/lengths" "$work/lengths.txt" <<'EOF'
import json, sys

rows = [json.loads(line) for line in open(sys.argv[1])]
texts = [line.split() for line in open(sys.argv[2])][-len(rows) :]
print("| messages a transcript | transcripts | calls | MB | CPU s | us a message | MB per CPU s | deepagents 0.4.3, MB per CPU s | epitome is faster by |")
print("|---:" * 9 + "|")
for row, (length, transcripts, messages, calls, *theirs) in zip(rows, texts):
    cpu, speed = row["cpu_s"]["median"], row["mb_per_cpu_s"]
    theirs = dict(pair.split("=") for pair in theirs)
    slow = float(theirs["mb"]) / float(theirs["cpu_s"]) if theirs else 0
    beside = f"{slow:.3f} | {speed / slow:,.0f}x" if slow else "- | -"
    print(f"| {length} | {transcripts} | {calls} | {row['mb']:.1f} | {cpu:.3f} | {cpu / int(messages) * 1e6:.2f} | {speed:.1f} | {beside} |")
print()
EOF
    done
    exit 0
fi

mix=()
if [[ $changed != as-is ]]; then
    mix=(--changed "$changed")
    if [[ $trigger =~ (^|,)tokens=([0-9]+) ]]; then mix+=(--long "${BASH_REMATCH[2]}"); fi
fi
input=$work/input.jsonl
say "Input: $size of ${#sources[@]} files in $data"
python3 "$scripts/make-input.py" --size "$size" ${mix[@]+"${mix[@]}"} "$input" "${sources[@]}"

measure --runs "$runs" --label "\`cat FILE > OUT\`" --append "$work/all" --input "$input" --stdout "$work/copy" --fresh "$work/copy" -- cat "$input"
measure --runs "$runs" --label "\`epitome count -j1\`" --append "$work/all" --input "$input" --stdout "$work/counts" -- "$epitome" count "$input" --no-config -j1 --quiet
measure_epitome "$input" 1 "$runs" "$work/all" "\`epitome compact -j1\`, no summarizer" --summarizer none
for jobs in 1 2; do
    measure_epitome "$input" "$jobs" "$runs" "$work/all" "\`epitome compact -j$jobs\`" --summarizer extract
done

printf 'Measured on %s. Trigger %s, keep %s; medians of %s runs.\n\n' "$measured" "$trigger" "$keep" "$runs"
measure --table "$work/all"
python3 - "$work/all" <<'EOF'
import json, sys

cat, _, none, extract, _ = (json.loads(line)["cpu_s"]["median"] for line in open(sys.argv[1]))
print(f"\nCPU ratios: extract/none {extract / none:.2f}, none/cat {none / max(cat, 1e-3):.2f}, extract/cat {extract / max(cat, 1e-3):.2f}\n")
EOF

# The reference is slow, so it gets a slice: the same input, ended earlier.
if [[ -z $reference_python ]]; then
    cat <<'EOF'
Reference: skipped, deepagents 0.4.3 is not installed. To time it as well:

    python3 -m venv ref
    ref/bin/pip install deepagents==0.4.3 langchain==1.2.10 langchain-core==1.2.16 langgraph==1.0.10 langgraph-prebuilt==1.0.8
    REFERENCE_PYTHON=ref/bin/python scripts/bench.sh
EOF
    exit 0
fi
if [[ $trigger == *,* ]]; then
    echo "Reference: skipped, deepagents 0.4.3 knows no trigger of several conditions ($trigger)."
    exit 0
fi

slice=$work/slice.jsonl
python3 "$scripts/make-input.py" --size "$reference_size" ${mix[@]+"${mix[@]}"} "$slice" "${sources[@]}"

# Two runs of the reference: the first also writes Python's byte code.
for run in 1 2; do
    rm -rf "$work/archive"
    "$reference_python" "$scripts/reference.py" --trigger "$trigger" --keep "$keep" --archive "$work/archive" "$slice" "$work/reference.jsonl" >"$work/reference.txt"
    say "reference, run $run: $(cat "$work/reference.txt")"
done
# The middleware as it is used live: inside the agent that it is made for.
agent=()
if [[ $trigger == tokens=* ]]; then
    agent=("$work/agent.txt")
    "$reference_python" "$scripts/reference.py" --agent --trigger "$trigger" --archive "$work/archive-of-agent" "$slice" "$work/agent.jsonl" >"${agent[0]}"
    say "reference, as an agent: $(cat "${agent[0]}")"
fi
measure_epitome "$slice" 1 "$((runs > 5 ? runs : 5))" "$work/slice" "\`epitome compact -j1\`"

python3 - "$work/slice" "$work/reference.txt" ${agent[@]+"${agent[@]}"} <<'EOF'
import json, sys

ours = json.loads(open(sys.argv[1]).read())
rows = []
for name, path in zip(["deepagents 0.4.3, its middleware alone", "deepagents 0.4.3, an agent of create_deep_agent"], sys.argv[2:]):
    theirs = dict(pair.split("=") for pair in open(path).read().split())
    mb = float(theirs["mb"])
    rows += [(f"{name}, {how} imports", theirs["changed"], float(theirs[key])) for how, key in [("without", "cpu_s"), ("with", "cpu_s_with_import")]]
speed = ours["mb_per_cpu_s"]
print(f"Beside the reference, on {mb:.1f} MB of the same input (its model is a fake that answers at once):\n")
print("| command | transcripts changed | MB | CPU s | MB per CPU s | epitome is faster by |")
print("|---|---:|---:|---:|---:|---:|")
print(f"| {ours['label']}, whole process | {ours['changed']} of {ours['transcripts']} | {mb:.1f} | {ours['cpu_s']['median']:.3f} | {speed:.1f} | - |")
for label, changed, cpu in rows:
    print(f"| {label} | {changed} of {theirs['transcripts']} | {mb:.1f} | {cpu:.3f} | {mb / cpu:.1f} | {speed * cpu / mb:.1f}x |")
EOF
