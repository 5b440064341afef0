//! The source's own rules (one direction of imports, few places that touch the world), held by reading `src/`.

use std::fs;
use std::path::Path;

/// Top-level modules, bottom to top: each may use itself and what stands before it.
const LAYERS: [&str; 35] = [
    "error",
    "sha256",
    "json",
    "transcript",
    "format",
    "model",
    "tokens",
    "retention",
    "plan",
    "policy",
    "strategy",
    "planner",
    "convert",
    "report",
    "archive",
    "apply",
    "summary",
    "input",
    "output",
    "cli",
    "progress",
    "settings",
    "conversation",
    "batch",
    "compaction",
    "evaluation",
    "replay",
    "requests",
    "restoration",
    "commands",
    "interface",
    "program",
    "fuzzing",
    "lib",
    "main",
];

/// What may be named only in some places: the name, and the path prefixes below `src/` where it may.
const PLACES: [(&str, &[&str]); 14] = [
    ("rayon", &["batch"]),
    ("indicatif", &["progress.rs"]),
    ("clap", &["cli", "fuzzing.rs", "program.rs"]),
    ("reqwest", &["summary/http/"]),
    (
        "std::fs",
        &[
            "fuzzing.rs",
            "input/",
            "output/",
            "settings",
            "summary/cache.rs",
        ],
    ),
    ("std::env", &["commands/", "settings"]),
    ("std::net", &["summary/http/"]),
    ("SystemTime", &["commands/", "settings", "summary/http/"]),
    ("Instant", &["commands/", "settings", "summary/http/"]),
    ("now_utc", &["commands/", "settings"]),
    ("println!", &[]),
    ("eprintln!", &[]),
    ("print!", &[]),
    ("eprint!", &[]),
];

#[test]
fn imports_point_one_way_and_few_places_touch_the_world() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut files = Vec::new();
    sources(&root, &mut files);
    assert!(
        files.len() > 30,
        "only {} source files were found",
        files.len()
    );
    let mut violations = Vec::new();
    for path in files {
        let name = path
            .strip_prefix(&root)
            .unwrap()
            .to_str()
            .unwrap()
            .to_owned();
        violations.extend(check(&name, &fs::read_to_string(&path).unwrap()));
    }
    assert!(violations.is_empty(), "\n{}", violations.join("\n"));
}

fn sources(folder: &Path, files: &mut Vec<std::path::PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            sources(&path, files);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            files.push(path);
        }
    }
    files.sort();
}

/// Every violation of one file, as `src/FILE:LINE: what`.
fn check(name: &str, source: &str) -> Vec<String> {
    let code = code_only(source);
    let module = name.split('/').next().unwrap().trim_end_matches(".rs");
    let Some(level) = level(module) else {
        return vec![format!(
            "src/{name}:1: the module {module} has no place in LAYERS"
        )];
    };
    let mut violations = Vec::new();
    // In a top-level module itself `super` is the crate, too.
    let is_top = !name.contains('/') || name.matches('/').count() == 1 && name.ends_with("/mod.rs");
    let roots = ["crate", "epitome"]
        .into_iter()
        .chain(is_top.then_some("super"));
    for (line, used) in roots.flat_map(|root| names_below(&code, root)) {
        if self::level(&used).is_some_and(|used| used > level) {
            violations.push(format!(
                "src/{name}:{line}: {module} uses {used}, which stands above it"
            ));
        }
    }
    for (what, allowed) in PLACES {
        if allowed.iter().any(|prefix| name.starts_with(prefix)) {
            continue;
        }
        let lines: Vec<usize> = match what.split_once("::") {
            Some((root, wanted)) => names_below(&code, root)
                .into_iter()
                .filter(|(_, used)| used == wanted)
                .map(|(line, _)| line)
                .collect(),
            None => words(&code, what),
        };
        violations.extend(
            lines
                .into_iter()
                .map(|line| format!("src/{name}:{line}: {what} has no place here")),
        );
    }
    violations
}

fn level(module: &str) -> Option<usize> {
    LAYERS.iter().position(|layer| *layer == module)
}

/// What stands behind `root::`, also in a list in braces, with its line.
fn names_below(code: &str, root: &str) -> Vec<(usize, String)> {
    let mut found = Vec::new();
    for (at, _) in code
        .match_indices(&format!("{root}::"))
        .filter(|(at, _)| begins_word(code, *at))
    {
        let rest = &code[at + root.len() + 2..];
        if !rest.starts_with('{') {
            found.push((line_of(code, at), word(rest)));
            continue;
        }
        let (mut depth, mut expects) = (0, false);
        for (place, c) in rest.char_indices() {
            match c {
                '{' => (depth, expects) = (depth + 1, depth == 0),
                '}' => depth -= 1,
                ',' => expects = depth == 1,
                c if c.is_whitespace() => {}
                _ if expects => {
                    found.push((
                        line_of(code, at + root.len() + 2 + place),
                        word(&rest[place..]),
                    ));
                    expects = false;
                }
                _ => {}
            }
            if depth == 0 {
                break;
            }
        }
    }
    found
}

/// The lines where a word stands by itself.
fn words(code: &str, wanted: &str) -> Vec<usize> {
    let ends = |at: usize| wanted.ends_with('!') || !code[at + wanted.len()..].starts_with(is_word);
    code.match_indices(wanted)
        .filter(|(at, _)| begins_word(code, *at) && ends(*at))
        .map(|(at, _)| line_of(code, at))
        .collect()
}

fn begins_word(code: &str, at: usize) -> bool {
    !code[..at].ends_with(is_word)
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

fn word(text: &str) -> String {
    text.chars().take_while(|c| is_word(*c)).collect()
}

fn line_of(code: &str, at: usize) -> usize {
    code[..at].matches('\n').count() + 1
}

/// The source with comments and literals blanked, line ends in place.
fn code_only(source: &str) -> String {
    let mut out = String::new();
    let mut rest = source;
    while let Some(first) = rest.chars().next() {
        let hashes = rest
            .strip_prefix('r')
            .map(|text| text.len() - text.trim_start_matches('#').len());
        let raw =
            hashes.filter(|count| rest[1 + count..].starts_with('"') && !out.ends_with(is_word));
        let length = if rest.starts_with("//") {
            rest.find('\n').unwrap_or(rest.len())
        } else if rest.starts_with("/*") {
            rest.find("*/").map_or(rest.len(), |end| end + 2)
        } else if let Some(count) = raw {
            let close = format!("\"{}", "#".repeat(count));
            rest[count + 2..]
                .find(&close)
                .map_or(rest.len(), |end| count + 2 + end + close.len())
        } else if first == '"' {
            1 + quoted_length(&rest[1..], '"')
        } else if first == '\''
            && (rest[1..].starts_with('\\') || rest.chars().nth(2) == Some('\''))
        {
            1 + quoted_length(&rest[1..], '\'')
        } else {
            out.push(first);
            rest = &rest[first.len_utf8()..];
            continue;
        };
        out.extend(
            rest[..length]
                .chars()
                .map(|c| if c == '\n' { c } else { ' ' }),
        );
        rest = &rest[length..];
    }
    out
}

/// Up to and with the closing quote.
fn quoted_length(text: &str, quote: char) -> usize {
    let mut escaped = false;
    for (at, c) in text.char_indices() {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            c if c == quote => return at + 1,
            _ => {}
        }
    }
    text.len()
}

#[test]
fn a_violation_is_named_with_file_and_line() {
    let source = "//! use crate::batch; only talk\nuse crate::json::text;\nuse crate::{\n    policy::{Keep, batch},\n    output::Tree,\n};\nfn f() { crate::commands::g(); }\n";
    assert_eq!(
        check("planner.rs", source),
        [
            "src/planner.rs:5: planner uses output, which stands above it",
            "src/planner.rs:7: planner uses commands, which stands above it"
        ]
    );
    assert_eq!(
        check(
            "batch/gate.rs",
            "use crate::settings;\nuse super::commands;"
        ),
        [""; 0]
    );
    assert_eq!(
        check("apply.rs", "use super::batch;"),
        ["src/apply.rs:1: apply uses batch, which stands above it"]
    );
    assert_eq!(
        check("newcomer.rs", ""),
        ["src/newcomer.rs:1: the module newcomer has no place in LAYERS"]
    );
}

#[test]
fn a_word_out_of_place_is_named_with_file_and_line() {
    assert_eq!(
        check("apply.rs", "\nuse std::{io, fs};"),
        ["src/apply.rs:2: std::fs has no place here"]
    );
    assert_eq!(
        check("output/mod.rs", "use std::fs::{self, File};"),
        [""; 0]
    );
    assert_eq!(
        check("plan.rs", "let x = std::env::var(\"X\");"),
        ["src/plan.rs:1: std::env has no place here"]
    );
    assert_eq!(
        check("strategy/evict.rs", "\n\nfn f() { eprintln!(\"x\"); }"),
        ["src/strategy/evict.rs:3: eprintln! has no place here"]
    );
    assert_eq!(
        check("planner.rs", "use rayon::prelude;"),
        ["src/planner.rs:1: rayon has no place here"]
    );
    assert_eq!(
        check("report/mod.rs", "time::OffsetDateTime::now_utc()"),
        ["src/report/mod.rs:1: now_utc has no place here"]
    );
}

#[test]
fn comments_and_literals_are_no_code() {
    let harmless = "// crate::batch\n/* println! */ let s = \"println! \\\" std::fs\"; let r = r#\"crate::batch \" rayon\"#; let c = '\"'; let q = '\\''; fn f<'a>(x: &'a str) {}";
    assert_eq!(check("error.rs", harmless), [""; 0]);
    assert_eq!(
        check("error.rs", "let c = '\"'; println!(\"x\");"),
        ["src/error.rs:1: println! has no place here"]
    );
    assert_eq!(
        check(
            "error.rs",
            "let Printer = blueprint!(x); let instantaneous = 1;"
        ),
        [""; 0]
    );
}
