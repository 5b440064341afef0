#!/usr/bin/env bash
# Builds the wheel with the program in it, and its checksum.
#
#     scripts/build-wheel.sh [--target TRIPLE] [--out DIR] [--compatibility TAG] [--profile NAME]
#
# The tag is that of the system that it is built on, unless --compatibility names another, such as manylinux_2_28 or
# musllinux_1_2. maturin refuses a tag that the program does not fit. It is installed into a folder of its own, if it is missing.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

target=() compatibility=() profile=release out=${CARGO_TARGET_DIR:-target}/wheels
while (($#)); do
    case $1 in
    --target) target=(--target "$2") ;;
    --out) out=$2 ;;
    --compatibility) compatibility=(--compatibility "$2") ;;
    --profile) profile=$2 ;;
    *)
        sed -n '2,7s/^# \{0,1\}//p' "${BASH_SOURCE[0]}" >&2
        exit 2
        ;;
    esac
    shift 2
done

maturin=maturin
if ! command -v maturin >/dev/null; then
    tools=${CARGO_TARGET_DIR:-target}/wheel-venv
    [[ -x $tools/bin/maturin ]] || {
        python3 -m venv "$tools"
        "$tools/bin/python" -m pip install --quiet --disable-pip-version-check 'maturin>=1.7,<2'
    }
    maturin=$tools/bin/maturin
fi
mkdir -p "$out"
rm -f "$out"/epitome-*.whl "$out"/epitome-*.whl.sha256
# Of parquet's hash tables, which have a random seed from each build otherwise.
export CONST_RANDOM_SEED=epitome
"$maturin" build --profile "$profile" --locked --out "$out" "${target[@]}" "${compatibility[@]}"
for wheel in "$out"/epitome-*.whl; do
    (cd "$out" && sha256sum "$(basename "$wheel")" >"$(basename "$wheel").sha256")
    printf '%s\n' "$wheel"
done
