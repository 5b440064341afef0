#!/usr/bin/env python3
"""Makes the formula for Homebrew and the container file from the archives of a release.

    scripts/make-packages.py DIR --url https://HOST/OWNER/epitome/releases/download/v0.1.0 --out DIR

DIR holds the archives that scripts/build-release.sh made, with their checksums.
"""

import argparse
import os
import re
import sys

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..")
# The system of each archive, in Homebrew's words.
SYSTEMS = {
    "aarch64-apple-darwin": ("on_macos", "on_arm"),
    "x86_64-apple-darwin": ("on_macos", "on_intel"),
    "aarch64-unknown-linux-gnu": ("on_linux", "on_arm"),
    "x86_64-unknown-linux-gnu": ("on_linux", "on_intel"),
}
CONTAINER_TARGET = "x86_64-unknown-linux-gnu"


def manifest(key):
    with open(os.path.join(ROOT, "Cargo.toml"), encoding="utf-8") as file:
        return re.search(rf'^{key} = "(.*)"$', file.read(), re.M)[1]


def checksums(folder):
    """Returns the SHA-256 of each archive, by its target."""
    found = {}
    for name in sorted(os.listdir(folder)):
        target = re.fullmatch(r"epitome-(.+)\.tar\.gz\.sha256", name)
        if target:
            with open(os.path.join(folder, name), encoding="utf-8") as file:
                found[target[1]] = file.read().split()[0]
    return found


def formula(sums, url):
    lines = [
        "class Epitome < Formula",
        f'  desc "{manifest("description")}"',
        f'  homepage "{url.split("/releases/")[0]}"',
        f'  version "{manifest("version")}"',
        '  license any_of: ["MIT", "Apache-2.0"]',
    ]
    for system in ("on_macos", "on_linux"):
        targets = [t for t, (of, _) in SYSTEMS.items() if of == system and t in sums]
        if not targets:
            continue
        lines += ["", f"  {system} do"]
        for target in targets:
            lines += [
                f"    {SYSTEMS[target][1]} do",
                f'      url "{url}/epitome-{target}.tar.gz"',
                f'      sha256 "{sums[target]}"',
                "    end",
            ]
        lines.append("  end")
    lines += [
        "",
        "  def install",
        '    bin.install "epitome"',
        '    man1.install Dir["man/*.1"]',
        '    bash_completion.install "completions/epitome.bash" => "epitome"',
        '    zsh_completion.install "completions/epitome.zsh" => "_epitome"',
        '    fish_completion.install "completions/epitome.fish"',
        "  end",
        "",
        "  test do",
        '    assert_match version.to_s, shell_output("#{bin}/epitome --version")',
        "  end",
        "end",
    ]
    return "\n".join(lines) + "\n"


def container(sums, url):
    archive = f"epitome-{CONTAINER_TARGET}"
    return f"""# The program and nothing else, on a small Debian: docker run -v "$PWD:/logs" epitome plan .
FROM debian:stable-slim AS archive
ADD --checksum=sha256:{sums[CONTAINER_TARGET]} {url}/{archive}.tar.gz /
RUN tar -xzf /{archive}.tar.gz

FROM debian:stable-slim
COPY --from=archive /{archive}/epitome /usr/local/bin/epitome
COPY --from=archive /{archive}/LICENSE-* /{archive}/THIRD-PARTY-LICENSES.txt /usr/share/doc/epitome/
WORKDIR /logs
USER nobody
ENTRYPOINT ["epitome"]
"""


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("archives")
    parser.add_argument("--url", required=True)
    parser.add_argument("--out", required=True)
    args = parser.parse_args()
    sums = checksums(args.archives)
    if CONTAINER_TARGET not in sums:
        sys.exit(f"{args.archives} holds no epitome-{CONTAINER_TARGET}.tar.gz.sha256")
    os.makedirs(args.out, exist_ok=True)
    url = args.url.rstrip("/")
    for name, text in (("epitome.rb", formula(sums, url)), ("Containerfile", container(sums, url))):
        with open(os.path.join(args.out, name), "w", encoding="utf-8") as file:
            file.write(text)
        print(os.path.join(args.out, name))


if __name__ == "__main__":
    main()
