//! Refuses keys of configuration files that may be somebody else's, and finds the key that an option
//! looks like.

use super::config::TABLES;
use super::row::ConfigKey;
use anyhow::{Result, bail};
use std::path::Path;
use toml::de::{DeTable, DeValue};

/// Returns the assignment to the key that an option looks like, with its table:
/// `summarizer.timeout=VALUE` for `--timeout`, `evict.tokens=VALUE` for `--evict-tokens`. None if there
/// is no such key, or several.
pub(crate) fn key_like_option(option: &str) -> Option<String> {
    let (table, key) = find_key(&option.strip_prefix("--")?.replace('-', "_"))?;
    let value = match key.value {
        "bool" => "true",
        list if list.starts_with("Vec") => "[\"VALUE\"]",
        _ => "VALUE",
    };
    Some(format!("{}={value}", full_name(table, key)))
}

/// Returns the key of a table that a name without a table means, as `TABLE.KEY`. None if there is no
/// such key, or several.
pub(super) fn key_in_tables(name: &str) -> Option<String> {
    find_key(name).map(|(table, key)| full_name(table, key))
}

fn find_key(name: &str) -> Option<(&'static str, &'static ConfigKey)> {
    let keys = TABLES.iter();
    let keys = keys.flat_map(|(table, keys)| keys.iter().map(|key| (*table, key)));
    let mut with_table = keys.clone().filter(|(table, key)| {
        name.strip_prefix(table).and_then(|rest| rest.strip_prefix('_')) == Some(key.name)
    });
    let mut alone = keys.filter(|(_, key)| key.name == name);
    match (with_table.next(), alone.next(), alone.next()) {
        (Some(found), _, _) | (None, Some(found), None) => Some(found),
        _ => None,
    }
}

fn full_name(table: &str, key: &ConfigKey) -> String {
    match table {
        "" => key.name.to_owned(),
        table => format!("{table}.{}", key.name),
    }
}

/// Refuses a file that is found if it sets more than policy. The text is a configuration.
pub(super) fn refuse_trust(path: &Path, text: &str) -> Result<()> {
    let Ok(document) = DeTable::parse(text) else {
        return Ok(());
    };
    for (name, value) in document.get_ref() {
        match value.get_ref() {
            DeValue::Table(table) => {
                for (key, value) in table {
                    refuse_key(path, name.get_ref(), key.get_ref(), value.get_ref())?;
                }
            }
            value => refuse_key(path, "", name.get_ref(), value)?,
        }
    }
    Ok(())
}

fn refuse_key(path: &Path, table: &str, key: &str, value: &DeValue<'_>) -> Result<()> {
    let of_table = TABLES.iter().find(|(name, _)| *name == table);
    let row = of_table.and_then(|(_, keys)| keys.iter().find(|row| row.name == key));
    let Some(row) = row.filter(|row| !(row.trust.found)(value)) else {
        return Ok(());
    };
    let table = match table {
        "" => String::new(),
        table => format!("[{table}] "),
    };
    bail!(
        "{}: {table}{key}: a configuration file that was not named may not choose {}; put it into \
         ~/.config/epitome/epitome.toml, or name the file with --config",
        path.display(),
        row.trust.chooses
    )
}

/// Returns the first key of an export that reaches what is outside of its directory: a program, a
/// server that is not the usual one of the model, a key of another name, a file. The user may have
/// named the server. The text is a configuration.
pub(in crate::settings) fn reaching_key(text: &str, names_server: bool) -> Option<&'static str> {
    let document = DeTable::parse(text).ok()?;
    let value_of = |table: &str, key: &str| match table {
        "" => document.get_ref().get(key),
        table => document.get_ref().get(table)?.get_ref().as_table()?.get(key),
    };
    let reaches = |table: &str, key: &ConfigKey| {
        let is_named = names_server && key.name == "base_url";
        let value = value_of(table, key.name).filter(|_| !is_named);
        value.is_some_and(|value| !(key.trust.exported)(value.get_ref()))
    };
    let mut rows =
        TABLES.iter().flat_map(|(table, keys)| keys.iter().map(move |key| (*table, key)));
    rows.find(|(table, key)| reaches(table, key)).map(|(_, key)| key.name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_option_looks_like_one_key_or_none() {
        for (option, key) in [
            ("--timeout", Some("summarizer.timeout=VALUE")),
            ("--api-key-file", Some("summarizer.api_key_file=VALUE")),
            ("--evict-tokens", Some("evict.tokens=VALUE")),
            ("--truncate-trigger", Some("truncate.trigger=VALUE")),
            ("--prune-protect", Some("prune.protect=VALUE")),
            // What the type of the key takes.
            ("--strict-model", Some("strict_model=true")),
            ("--skills", Some("system.skills=[\"VALUE\"]")),
            // Several tables have such a key.
            ("--tokens", None),
            ("--triger", None),
            ("timeout", None),
        ] {
            assert_eq!(key_like_option(option).as_deref(), key, "{option}");
        }
    }
}
