#!/usr/bin/env bash
# Builds the archive of a release: the program, its completions and manual pages, and the licences; and its checksum.
#
#     scripts/build-release.sh [--target TRIPLE] [--out DIR] [--profile NAME]
#
# The archive is epitome-TRIPLE.tar.gz, as `cargo binstall` and the formula for Homebrew expect it.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

host=$(rustc -vV | sed -n 's/^host: //p')
target='' profile=release out=${CARGO_TARGET_DIR:-target}/dist
while (($#)); do
    case $1 in
    --target) target=$2 ;;
    --out) out=$2 ;;
    --profile) profile=$2 ;;
    *)
        sed -n '2,6s/^# \{0,1\}//p' "${BASH_SOURCE[0]}" >&2
        exit 2
        ;;
    esac
    shift 2
done

# Of parquet's hash tables, which have a random seed from each build otherwise.
export CONST_RANDOM_SEED=epitome
folder=$profile
[[ $profile == dev ]] && folder=debug
built=${CARGO_TARGET_DIR:-target}/${target:+$target/}$folder
cargo build --profile "$profile" --locked --features full ${target:+--target "$target"}
name=epitome-${target:-$host}
program=epitome
[[ $name == *windows* ]] && program=epitome.exe

stage=$(mktemp -d)
trap 'rm -rf "$stage"' EXIT
mkdir -p "$out" "$stage/$name/completions" "$stage/$name/man"
cp "$built/$program" README.md CHANGELOG.md LICENSE-MIT LICENSE-APACHE THIRD-PARTY-LICENSES.txt "$stage/$name"

# A program for another system can't print them: then that of this system does.
printer=$built/$program
if ! "$printer" --version >/dev/null 2>&1; then
    cargo build --profile "$profile" --locked --features full
    printer=${CARGO_TARGET_DIR:-target}/$folder/epitome
fi
for shell in bash zsh fish powershell elvish; do
    "$printer" completions "$shell" >"$stage/$name/completions/epitome.$shell"
done
"$printer" man >"$stage/$name/man/epitome.1"
"$printer" --help | sed -n '/^Commands:/,/^Options:/s/^  \([a-z]\{2,\}\) .*/\1/p' | while read -r command; do
    [[ $command == help ]] || "$printer" man "$command" >"$stage/$name/man/epitome-$command.1"
done

# The same bytes every time: names in order, no owners, one time.
tar --sort=name --owner=0 --group=0 --numeric-owner --mtime="@${SOURCE_DATE_EPOCH:-0}" \
    -C "$stage" -cf - "$name" | gzip -9n >"$out/$name.tar.gz"
(cd "$out" && sha256sum "$name.tar.gz" >"$name.tar.gz.sha256")
printf '%s\n' "$out/$name.tar.gz"
