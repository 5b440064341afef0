//! The page of options beside the help texts and the schema of the configuration: both name the same.

use super::page::Page;
use crate::catalog::commands;
use crate::harness::Dir;
use serde_json::Value;
use std::collections::BTreeSet;

/// The page whose tables have options (`--name`) and keys (`table.key`) in their first two columns.
const PAGE: &str = "docs/reference/options.md";
const SCHEMA: &str = include_str!("../../../docs/config.schema.json");

#[test]
fn the_page_names_every_option_of_every_command_and_no_other() {
    let mut known = BTreeSet::new();
    for command in commands() {
        let help = Dir::new().epitome(&format!("{command} --help")).ok();
        known.extend(help.stdout().lines().filter_map(option_of_help));
    }
    let named = spans().filter(|span| span.starts_with("--"));
    assert_eq!(named.collect::<BTreeSet<_>>(), known);
}

#[test]
fn the_page_names_every_key_of_the_configuration_and_no_other() {
    let schema: Value = serde_json::from_str(SCHEMA).unwrap();
    let mut known = BTreeSet::new();
    collect_keys(&schema, &schema, "", &mut known);
    let named = spans().filter(|span| !span.starts_with('-'));
    assert_eq!(named.collect::<BTreeSet<_>>(), known);
}

/// Returns the long name of the option that a line of a long help text begins with.
fn option_of_help(line: &str) -> Option<String> {
    let line = line.trim_start();
    let line = match line.as_bytes() {
        [b'-', _, b',', b' ', ..] => &line[4..],
        _ => line,
    };
    let name = line.strip_prefix("--")?;
    let end = name.find([' ', '=', '[']).unwrap_or(name.len());
    let name = &name[..end];
    let is_name = name.bytes().all(|b| b.is_ascii_lowercase() || b == b'-');
    (is_name && !name.is_empty()).then(|| format!("--{name}"))
}

/// Returns the code spans in the first two columns of the page's tables, up to a blank, `=` or `[`.
fn spans() -> impl Iterator<Item = String> {
    let rows = Page::open(PAGE).lines.into_iter().filter(|line| line.starts_with("| "));
    rows.flat_map(|row| {
        let row = row.replace("\\|", "/");
        let columns: Vec<&str> = row.split('|').skip(1).take(2).collect();
        let spans: Vec<String> = columns
            .join(" ")
            .split('`')
            .skip(1)
            .step_by(2)
            .map(|span| span.split([' ', '=', '[']).next().unwrap_or_default().to_owned())
            .filter(|span| !is_short_option(span))
            .collect();
        spans
    })
}

fn is_short_option(span: &str) -> bool {
    span.len() == 2 && span.starts_with('-')
}

/// Adds the keys of an object of the schema; those of a table as `table.key`.
fn collect_keys(schema: &Value, object: &Value, prefix: &str, keys: &mut BTreeSet<String>) {
    for (name, property) in object["properties"].as_object().unwrap() {
        let table = definition(schema, property).filter(|found| found["properties"].is_object());
        match table {
            Some(table) if prefix.is_empty() => {
                collect_keys(schema, table, &format!("{name}."), keys);
            }
            _ => {
                keys.insert(format!("{prefix}{name}"));
            }
        }
    }
}

fn definition<'a>(schema: &'a Value, property: &'a Value) -> Option<&'a Value> {
    let reference = property.pointer("/allOf/0/$ref").or(property.get("$ref"))?;
    let name = reference.as_str()?.strip_prefix("#/definitions/")?;
    schema["definitions"].get(name)
}
