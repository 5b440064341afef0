//! Refuses keys of configuration files that may be somebody else's, and finds the key that an option
//! looks like.

use super::config::{Config, TABLES};
use super::row::ConfigKey;
use crate::deciding::policy::PRESETS;
use anyhow::{Result, bail};
use std::path::Path;
use toml::de::{DeTable, DeValue};
use toml::{Spanned, Table};

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

/// Returns the keys that a name in no table, or in the wrong one, may mean, as `"TABLE.KEY"`.
pub(super) fn keys_in_tables(name: &str) -> Vec<String> {
    let named = all_keys().filter(|(table, key)| !table.is_empty() && key.name == name);
    named.map(|(table, key)| format!("{:?}", full_name(table, key))).collect()
}

fn all_keys() -> impl Iterator<Item = (&'static str, &'static ConfigKey)> + Clone {
    TABLES.iter().flat_map(|(table, keys)| keys.iter().map(|key| (*table, key)))
}

fn find_key(name: &str) -> Option<(&'static str, &'static ConfigKey)> {
    let keys = all_keys();
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

/// Returns the configuration of a file that is found, without keys that it may not choose but that
/// only repeat its preset with what the user has set over it, as those of `--print-config` do. Fails if
/// it sets more than policy. The text is that of the configuration.
pub(super) fn refuse_trust(
    path: &Path,
    text: &str,
    config: Config,
    users: &Config,
) -> Result<Config> {
    let document = DeTable::parse(text)?;
    let refused = all_keys().filter(|(table, key)| {
        let value = value_of(document.get_ref(), table, key.name);
        value.is_some_and(|value| !(key.trust.found)(value))
    });
    let refused: Vec<_> = refused.collect();
    if refused.is_empty() {
        return Ok(config);
    }
    let mut policy = config.preset.or(users.preset).unwrap_or(&PRESETS[0]).policy();
    users.clone().apply(&mut policy);
    let usual = Table::try_from(Config::from_policy(&policy))?;
    let mut values: Table = text.parse()?;
    for (table, key) in refused {
        let (given, anyway) = match table {
            "" => (values.remove(key.name), usual.get(key.name)),
            _ => (
                values.get_mut(table).and_then(|table| table.as_table_mut()?.remove(key.name)),
                usual.get(table).and_then(|table| table.get(key.name)),
            ),
        };
        if given.as_ref() != anyway {
            let table = match table {
                "" => String::new(),
                table => format!("[{table}] "),
            };
            bail!(
                "{}: {table}{}: a configuration file that was not named may not choose {}; put it into \
                 ~/.config/epitome/epitome.toml, or name the file with --config",
                path.display(),
                key.name,
                key.trust.chooses
            );
        }
    }
    Ok(values.try_into()?)
}

fn value_of<'d, 't>(document: &'d DeTable<'t>, table: &str, key: &str) -> Option<&'d DeValue<'t>> {
    let table = match table {
        "" => document,
        table => document.get(table)?.get_ref().as_table()?,
    };
    table.get(key).map(Spanned::get_ref)
}

/// Returns the first key of an export that reaches what is outside of its directory: a program, a
/// server that is not the usual one of the model, a key of another name, a file. The user may have
/// named the server. The text is a configuration.
pub(in crate::settings) fn reaching_key(text: &str, names_server: bool) -> Option<&'static str> {
    let document = DeTable::parse(text).ok()?;
    let reaches = |table: &str, key: &ConfigKey| {
        let is_named = names_server && key.name == "base_url";
        let value = value_of(document.get_ref(), table, key.name).filter(|_| !is_named);
        value.is_some_and(|value| !(key.trust.exported)(value))
    };
    all_keys().find(|(table, key)| reaches(table, key)).map(|(_, key)| key.name)
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
