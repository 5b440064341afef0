//! The source's own rules (one direction of imports, few places that touch the world), held by
//! reading `src/`.

use crate::harness::tree;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// The rooms, bottom to top, by wings: each may use itself and those before it.
const LAYERS: [&str; 48] = [
    "base/text", "base/error", "base/names", "base/sha256", "base/stop_flag", "base/sums",
    "base/test_table", "base/unspaced", "base/invisible", "base/secrets", "base/foreign_text",
    "reading/json", "reading/transcript", "reading/format", "deciding/model", "deciding/tokens",
    "deciding/plan", "deciding/policy", "deciding/strategy", "deciding/planner", "convert",
    "reporting/retention", "reporting/report", "files/archive", "files/input", "files/output",
    "files/restoration", "dataset", "summary", "settings/cli", "settings/progress", "settings",
    "running/conversation", "running/apply", "running/batch", "running/compaction",
    "running/stream", "running/requests", "measuring/evaluation", "measuring/audit",
    "measuring/replay", "interface", "commands", "program", "benching", "fuzzing", "lib", "main",
];

/// Names that may stand only in some places: below these path prefixes of `src/`.
const PLACES: [(&str, &[&str]); 14] = [
    ("rayon", &["running/batch"]),
    ("indicatif", &["settings/progress.rs"]),
    ("clap", &["settings/cli", "program.rs"]),
    ("reqwest", &["summary/http/"]),
    (
        "std::fs",
        &["fuzzing.rs", "files/input/", "files/output/", "settings", "summary/answer_cache.rs"],
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
    let sources = sources();
    assert!(sources.len() > 30, "only {} files were found", sources.len());
    let violations: Vec<String> =
        sources.iter().flat_map(|(file, code)| check_file(file, code)).collect();
    assert!(violations.is_empty(), "\n{}", violations.join("\n"));
}

#[test]
fn no_files_import_each_other_in_a_circle() {
    let circles = circles(&sources());
    assert!(circles.is_empty(), "\n{}", circles.join("\n"));
}

/// The code of each file below `src/`, without comments and unit tests.
fn sources() -> BTreeMap<String, String> {
    let files = tree(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src"));
    let rust = files.into_iter().filter(|(file, _)| file.ends_with(".rs"));
    rust.map(|(file, bytes)| (file, code_of(&String::from_utf8(bytes).unwrap()))).collect()
}

fn code_of(source: &str) -> String {
    let tests = source.find("#[cfg(test)]\nmod tests {");
    let lines = source[..tests.unwrap_or(source.len())].lines();
    let code = lines.map(|line| line.split("//").next().unwrap_or_default());
    // A visibility is no import.
    code.collect::<Vec<_>>().join("\n").replace("pub(in crate::", "pub(in ")
}

/// Every violation of a file, as `src/FILE:LINE: what`.
fn check_file(file: &str, code: &str) -> Vec<String> {
    let mut module = module_of(file);
    if module.is_empty() {
        module.push("lib".to_owned());
    }
    let Some(own) = level(&module) else {
        if is_wing(&module) {
            return Vec::new();
        }
        return vec![format!("src/{file} has no place in LAYERS")];
    };
    let mut violations = Vec::new();
    for (line, path) in imports(file, code) {
        if let Some(used) = level(&path).filter(|used| *used > own) {
            let (room, used) = (LAYERS[own], LAYERS[used]);
            violations
                .push(format!("src/{file}:{line}: {room} uses {used}, which stands above it"));
        }
    }
    for (what, allowed) in PLACES {
        if !allowed.iter().any(|prefix| file.starts_with(prefix)) {
            let lines = lines_with(code, what).into_iter();
            violations
                .extend(lines.map(|line| format!("src/{file}:{line}: {what} has no place here")));
        }
    }
    violations
}

/// The place in [`LAYERS`] of the room that a module belongs to.
fn level(module: &[String]) -> Option<usize> {
    let place = |room: &str| LAYERS.iter().position(|layer| *layer == room);
    match module {
        [] => None,
        [first] => place(first),
        [first, second, ..] => place(&format!("{first}/{second}")).or_else(|| place(first)),
    }
}

/// True for the file of a wing, which only lists its rooms.
fn is_wing(module: &[String]) -> bool {
    matches!(module, [wing] if LAYERS.iter().any(|layer| layer.split_once('/').is_some_and(|(of, _)| of == wing)))
}

/// The path of the module that a file holds; that of the crate is empty.
fn module_of(file: &str) -> Vec<String> {
    let mut path: Vec<String> =
        file.trim_end_matches(".rs").split('/').map(str::to_owned).collect();
    if path.last().is_some_and(|name| name == "mod" || name == "lib") {
        path.pop();
    }
    path
}

/// The paths from the root of the crate that a file names behind `crate::`, `self::` and `super::`, those in
/// braces expanded, each with its line.
fn imports(file: &str, code: &str) -> Vec<(usize, Vec<String>)> {
    let own = module_of(file);
    let mut found = Vec::new();
    for root in ["crate::", "self::", "super::"] {
        for (at, _) in code.match_indices(root) {
            // `super::super::X` is one path, found at its beginning.
            if code[..at].ends_with(|c: char| c.is_alphanumeric() || c == '_' || c == ':') {
                continue;
            }
            let line = code[..at].matches('\n').count() + 1;
            let paths = expand(path_at(&code[at..]));
            found.extend(paths.into_iter().map(|path| (line, absolute(&own, path))));
        }
    }
    found
}

/// The path from the root of the crate for a path that a module names.
fn absolute(module: &[String], path: Vec<String>) -> Vec<String> {
    let ups = path.iter().take_while(|name| *name == "super").count();
    let from = match path[0].as_str() {
        "crate" => return path[1..].to_vec(),
        "self" => return [module, &path[1..]].concat(),
        _ => &module[..module.len().saturating_sub(ups)],
    };
    [from, &path[ups..]].concat()
}

/// The path that a text begins with, with its list in braces.
fn path_at(text: &str) -> &str {
    let mut depth = 0;
    for (at, c) in text.char_indices() {
        match c {
            '{' => depth += 1,
            '}' if depth == 1 => return &text[..=at],
            '}' if depth > 1 => depth -= 1,
            c if depth == 0 && !(c.is_alphanumeric() || c == '_' || c == ':') => {
                return &text[..at];
            }
            _ => {}
        }
    }
    text
}

/// The paths that a path with lists in braces stands for.
fn expand(path: &str) -> Vec<Vec<String>> {
    let (head, list) = path.split_once('{').unwrap_or((path, ""));
    let head: Vec<String> = head
        .split("::")
        .map(str::trim)
        .filter(|name| !name.is_empty())
        .map(str::to_owned)
        .collect();
    let Some(list) = list.strip_suffix('}') else {
        return vec![head];
    };
    let (mut depth, mut paths) = (0, Vec::new());
    let elements = list.split_inclusive(|c| {
        depth += i32::from(c == '{') - i32::from(c == '}');
        c == ',' && depth == 0
    });
    for element in elements {
        let element = element.trim().trim_end_matches(',');
        paths.extend(expand(element).into_iter().map(|tail| [head.clone(), tail].concat()));
    }
    paths
}

/// The lines that name something, as a whole word.
fn lines_with(code: &str, what: &str) -> Vec<usize> {
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let named = |line: &str| {
        let listed = what.split_once("::").is_some_and(|(root, name)| {
            line.contains(&format!("{root}::{{"))
                && line.split(|c| !is_word(c)).any(|word| word == name)
        });
        let mut places = line.match_indices(what);
        listed
            || places.any(|(at, _)| {
                let ends = what.ends_with('!') || !line[at + what.len()..].starts_with(is_word);
                ends && !line[..at].ends_with(is_word)
            })
    };
    (1..).zip(code.lines()).filter(|(_, line)| named(line)).map(|(line, _)| line).collect()
}

/// The circles among files, each as the files that it passes through.
fn circles(sources: &BTreeMap<String, String>) -> Vec<String> {
    let files: BTreeMap<Vec<String>, &str> =
        sources.keys().map(|file| (module_of(file), file.as_str())).collect();
    let mut graph: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for (file, code) in sources {
        for (_, mut path) in imports(file, code) {
            while !path.is_empty() && !files.contains_key(&path) {
                path.pop();
            }
            let used = files.get(&path).filter(|used| *used != file && !path.is_empty());
            graph.entry(file).or_default().extend(used);
        }
    }
    // Whatever imports nothing that is left, or is imported by nothing that is left, is in no
    // circle.
    loop {
        let used: BTreeSet<&str> = graph.values().flatten().copied().collect();
        let free = graph.iter().find(|(file, uses)| uses.is_empty() || !used.contains(*file));
        let Some(file) = free.map(|(file, _)| *file) else {
            break;
        };
        graph.remove(file);
        for uses in graph.values_mut() {
            uses.remove(file);
        }
    }
    graph.into_iter().map(|(file, uses)| format!("{file} imports {uses:?}")).collect()
}

#[test]
fn a_violation_is_named_with_file_and_line() {
    let source = "//! use crate::running::batch; only a comment\nuse crate::reading::transcript::view;\nuse crate::{\n    deciding::policy::{Keep, batch},\n    files::output::OutputTree,\n};\nfn f() { crate::commands::g(); }\n";
    assert_eq!(
        check_file("deciding/planner/mod.rs", &code_of(source)),
        [
            "src/deciding/planner/mod.rs:3: deciding/planner uses files/output, which stands above it",
            "src/deciding/planner/mod.rs:7: deciding/planner uses commands, which stands above it"
        ]
    );
    assert_eq!(check_file("newcomer.rs", ""), ["src/newcomer.rs has no place in LAYERS"]);
    assert_eq!(
        check_file("running/apply.rs", "\nuse std::{io, fs};"),
        ["src/running/apply.rs:2: std::fs has no place here"]
    );
    assert_eq!(check_file("files/output/mod.rs", "use std::fs::{self, File};"), [""; 0]);
    assert_eq!(
        check_file("deciding/strategy/evict.rs", "\n\nfn f() { eprintln!(\"x\"); }"),
        ["src/deciding/strategy/evict.rs:3: eprintln! has no place here"]
    );
    assert_eq!(check_file("base/error.rs", "let instantaneous = blueprint!(1);"), [""; 0]);
}

#[test]
fn circles_are_found() {
    let sources = |files: [(&str, &str); 3]| {
        files.map(|(file, code)| (file.to_owned(), code.to_owned())).into()
    };
    let straight =
        [("a/mod.rs", "use crate::b::{c, d};"), ("b/c.rs", "use crate::b::d::X;"), ("b/d.rs", "")];
    assert_eq!(circles(&sources(straight)), [""; 0]);
    let circle = [
        ("a/mod.rs", "use crate::b::{c, d};"),
        ("b/c.rs", "use crate::b::d::X;"),
        ("b/d.rs", "use crate::a;"),
    ];
    assert_eq!(circles(&sources(circle)).len(), 3);
}
