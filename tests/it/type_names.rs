//! A public type is found by its name: no two of them share one.

use crate::harness::tree;
use std::collections::BTreeMap;
use std::path::Path;

#[test]
fn no_two_public_types_share_a_name() {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut files = BTreeMap::<String, Vec<String>>::new();
    for (path, bytes) in tree(&source) {
        if path.ends_with(".rs") {
            for name in public_types(&String::from_utf8(bytes).unwrap()) {
                files.entry(name).or_default().push(path.clone());
            }
        }
    }
    assert!(files.len() > 100, "only {} types were found", files.len());
    let offenders: Vec<String> = files
        .iter()
        .filter(|(_, files)| files.len() > 1)
        .map(|(name, files)| format!("{name}: {}", files.join(", ")))
        .collect();
    assert!(offenders.is_empty(), "types that share their name:\n{}", offenders.join("\n"));
}

/// The names of structs, enums, traits, unions and type aliases that are visible outside their
/// module.
fn public_types(source: &str) -> Vec<String> {
    source.lines().filter_map(public_type).collect()
}

fn public_type(line: &str) -> Option<String> {
    let line = line.trim_start();
    let rest = line.strip_prefix("pub")?;
    // A type with restricted visibility is searched for as well.
    let rest = match rest.strip_prefix('(') {
        Some(restricted) => restricted.split_once(')')?.1,
        None => rest,
    };
    let rest = rest.strip_prefix(' ')?;
    let rest = rest.strip_prefix("unsafe ").unwrap_or(rest);
    let name = ["struct ", "enum ", "trait ", "union ", "type "]
        .iter()
        .find_map(|keyword| rest.strip_prefix(keyword))?;
    let name: String = name.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
    (!name.is_empty()).then_some(name)
}

#[test]
fn declarations_are_recognized_whatever_their_visibility() {
    let source = "pub struct A<'a> {\n    pub(crate) enum B;\nstruct C;\npub(in crate::x) trait D: E {\npub fn type_of() {}\n// pub struct F\npub type G = H;\n";
    assert_eq!(public_types(source), ["A", "B", "D", "G"]);
}
