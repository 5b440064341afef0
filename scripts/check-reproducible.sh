#!/usr/bin/env bash
# Builds the program twice, each time from nothing and in another directory, and compares the bytes.
#
# Usage: scripts/check-reproducible.sh
#
# Names of directories are the only thing of a machine that a build takes in, so they are replaced:
# whoever sets RUSTFLAGS as below, with the same compiler, gets the bytes of a release.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cargo_home=${CARGO_HOME:-$HOME/.cargo}

for build in first second; do
    git clone --quiet . "$work/$build"
    RUSTFLAGS="--remap-path-prefix=$cargo_home=/cargo --remap-path-prefix=$work/$build=/epitome" \
        CARGO_TARGET_DIR="$work/$build/target" \
        cargo build --release --locked --manifest-path "$work/$build/Cargo.toml"
    cp "$work/$build/target/release/epitome" "$work/epitome-$build"
    rm -rf "${work:?}/$build"
done

sha256sum "$work"/epitome-*
cmp "$work/epitome-first" "$work/epitome-second"
printf 'Two builds, the same bytes.\n'
