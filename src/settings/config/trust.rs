//! What a configuration file may set that is found beside the input: it may come with a repository
//! that somebody else wrote.
//!
//! It decides when and how to compact. It opens no file elsewhere, runs no program, reads no key,
//! chooses nobody who gets a conversation or is paid for it, and turns no protection off.

use super::config::Config;
use super::error::ConfigError;
use crate::policy::{CachePlace, SummarizerKind};
use std::path::{Path, PathBuf};
use toml::de::{DeTable, DeValue};

/// Returns true if a file that is found may give a key this value.
type IsHarmless = fn(&DeValue<'_>) -> bool;

/// The keys of a table, by what they decide. Each key stands in one of the columns.
pub(super) struct TableTrust {
    /// The table; empty for the keys above all tables.
    pub table: &'static str,
    /// What becomes of a transcript: any value.
    pub policy: &'static [&'static str],
    /// Protections, and files that are read: values that take nothing away and open nothing else.
    pub safety: &'static [(&'static str, IsHarmless)],
    /// Who gets a conversation and a key, what that is asked, and what it costs: no value.
    pub server: &'static [&'static str],
}

/// All keys.
pub(super) const TRUST: [TableTrust; 14] = [
    TableTrust {
        table: "",
        policy: &["preset", "profiles", "max_input_tokens", "chars_per_token"],
        safety: &[
            ("redact", masks),
            ("strict_model", is_true),
            ("limits", is_below),
            ("counter", names_no_file),
        ],
        server: &["model"],
    },
    TableTrust {
        table: "system",
        policy: &["count", "version"],
        safety: &[
            ("base", never),
            ("memory", never),
            ("skills", never),
            ("root", never),
        ],
        server: &[],
    },
    TableTrust::policy("count", &["system", "tools"]),
    TableTrust::policy("patch", &["calls"]),
    TableTrust::policy("evict", &["tokens", "exclude", "human_tokens", "notice"]),
    TableTrust::policy(
        "truncate",
        &["trigger", "keep", "max_length", "text", "tools"],
    ),
    TableTrust::policy(
        "prune",
        &[
            "enabled",
            "protect",
            "minimum",
            "least",
            "placeholder",
            "protect_tools",
            "skip_turns",
            "skip_messages",
            "rescan",
            "every_result",
            "each_call",
            "stored_order",
            "rule",
            "trigger",
            "results",
            "measure",
            "keep",
            "clear_at_least",
            "at_least",
            "clear_inputs",
            "keep_first",
            "polling",
            "observations",
        ],
    ),
    TableTrust::policy("dedup", &["enabled", "least", "tools"]),
    TableTrust::policy("cut", &["tokens", "keep", "exclude"]),
    TableTrust::policy("pin", &["roles", "tools", "patterns", "labels"]),
    TableTrust::policy(
        "summarize",
        &[
            "trigger",
            "keep",
            "keep_share",
            "trim_tokens",
            "frame",
            "replay",
            "after_step",
            "measure",
            "keep_first",
            "keep_users",
            "bound_reasoning",
            "asked_by",
            "on_growth",
        ],
    ),
    TableTrust {
        table: "summarizer",
        policy: &["budget", "template", "on_failure"],
        safety: &[("kind", asks_nobody), ("weights", never)],
        server: &[
            "prompt",
            "merge_prompt",
            "result_chars",
            "headings",
            "pass_env",
            "model",
            "dialect",
            "base_url",
            "api_key_env",
            "api_key_file",
            "allow_plain_http",
            "ca_file",
            "temperature",
            "max_output_tokens",
            "timeout",
            "deadline",
            "retries",
            "concurrency",
            "price",
            "max_calls",
            "max_cost",
            "cache",
            "headers",
        ],
    },
    TableTrust::policy("archive", &["prefix", "results_prefix", "form"]),
    TableTrust::policy(
        "overflow",
        &[
            "limit",
            "max_tokens",
            "context",
            "output",
            "reserved",
            "reserve_both",
            "buffer",
            "input_share",
            "max_output",
            "strict",
            "budget",
            "answers_of",
        ],
    ),
];

impl TableTrust {
    const fn policy(table: &'static str, policy: &'static [&'static str]) -> Self {
        Self {
            table,
            policy,
            safety: &[],
            server: &[],
        }
    }

    /// Returns the keys of the table.
    fn keys(&self) -> impl Iterator<Item = &'static str> {
        let safety = self.safety.iter().map(|(key, _)| *key);
        (self.policy.iter().copied())
            .chain(safety)
            .chain(self.server.iter().copied())
    }

    /// Returns true if a file that is found may hold the key with this value.
    fn allows(&self, key: &str, value: &DeValue<'_>) -> bool {
        let is_safe = |(name, is_harmless): &(&str, IsHarmless)| *name == key && is_harmless(value);
        self.policy.contains(&key) || self.safety.iter().any(is_safe)
    }
}

/// Returns the key that an option looks like, with its table: `summarizer.timeout` for `--timeout`,
/// `evict.tokens` for `--evict-tokens`. None if there is no such key, or several.
#[must_use]
pub(crate) fn key_like_option(option: &str) -> Option<String> {
    let name = option.strip_prefix("--")?.replace('-', "_");
    let in_tables = TRUST.iter().filter(|trust| !trust.table.is_empty());
    let keys = in_tables.flat_map(|trust| trust.keys().map(|key| (trust.table, key)));
    let keys: Vec<(&str, &str)> = keys.collect();
    let with_table = keys.iter().find(|(table, key)| {
        name.strip_prefix(table)
            .and_then(|rest| rest.strip_prefix('_'))
            == Some(key)
    });
    let mut alone = keys.iter().filter(|(_, key)| *key == name);
    let (table, key) = match (with_table, alone.next(), alone.next()) {
        (Some(found), _, _) | (None, Some(found), None) => found,
        _ => return None,
    };
    Some(format!("{table}.{key}"))
}

/// Refuses a file that is found if it sets more than policy. The text is a configuration.
pub(super) fn refuse_trust(path: &Path, text: &str) -> Result<(), ConfigError> {
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

fn refuse_key(path: &Path, table: &str, key: &str, value: &DeValue<'_>) -> Result<(), ConfigError> {
    let Some(trust) = TRUST.iter().find(|trust| trust.table == table) else {
        return Ok(());
    };
    if trust.allows(key, value) {
        return Ok(());
    }
    let what = if trust.server.contains(&key) {
        "a program, a model, a server, a key or costs"
    } else {
        "this: it would turn a protection off, or name a file elsewhere"
    };
    let table = match table {
        "" => String::new(),
        table => format!("[{table}] "),
    };
    Err(ConfigError::Untrusted {
        path: path.to_path_buf(),
        key: format!("{table}{key}"),
        what,
    })
}

impl Config {
    /// Returns a key that is set and reaches what lies outside of the file's directory: a program, a
    /// server that is not the usual one of the model, a key of another name, a file.
    pub(in crate::settings) fn reach(&self, names_server: bool) -> Option<&'static str> {
        let asked = &self.summarizer;
        let is_set = |path: &Option<PathBuf>| path.is_some();
        let runs_program = matches!(asked.kind, Some(SummarizerKind::Command(_)));
        let counter = self.counter.as_ref();
        let keys = [
            ("limits", is_set(&self.limits)),
            (
                "counter",
                counter.is_some_and(|counter| counter.0.contains(':')),
            ),
            ("base", self.system.base.is_some()),
            (
                "memory",
                self.system
                    .memory
                    .as_ref()
                    .is_some_and(|files| !files.is_empty()),
            ),
            (
                "skills",
                self.system
                    .skills
                    .as_ref()
                    .is_some_and(|files| !files.is_empty()),
            ),
            ("root", is_set(&self.system.root)),
            ("kind", runs_program),
            (
                "pass_env",
                asked
                    .pass_env
                    .as_ref()
                    .is_some_and(|names| !names.is_empty()),
            ),
            ("base_url", asked.base_url.is_some() && !names_server),
            ("api_key_env", asked.api_key_env.is_some()),
            ("api_key_file", is_set(&asked.api_key_file)),
            ("allow_plain_http", asked.allow_plain_http == Some(true)),
            ("ca_file", is_set(&asked.ca_file)),
            ("weights", is_set(&asked.weights)),
            ("cache", matches!(asked.cache, Some(CachePlace::At(_)))),
            ("headers", asked.headers.is_some()),
        ];
        keys.into_iter()
            .find(|(_, is_set)| *is_set)
            .map(|(key, _)| key)
    }
}

fn never(_: &DeValue<'_>) -> bool {
    false
}

fn masks(value: &DeValue<'_>) -> bool {
    is_true(value) || value.as_str().is_some()
}

fn is_true(value: &DeValue<'_>) -> bool {
    value.as_bool() == Some(true)
}

fn asks_nobody(value: &DeValue<'_>) -> bool {
    matches!(value.as_str(), Some("extract" | "none"))
}

fn names_no_file(value: &DeValue<'_>) -> bool {
    value.as_str().is_some_and(|name| !name.contains(':'))
}

/// Returns true for a path below the directory of the file.
fn is_below(value: &DeValue<'_>) -> bool {
    use crate::archive::path_below::PathBelow;
    value
        .as_str()
        .is_some_and(|path| PathBelow::new(Path::new(path)).is_ok())
}

#[cfg(test)]
mod tests {
    use super::super::config::{
        ArchiveConfig, CountConfig, CutConfig, DedupConfig, EvictConfig, OverflowConfig,
        PatchConfig, PinConfig, PruneConfig, SummarizeConfig, SummarizerConfig, SystemConfig,
        TruncateConfig,
    };
    use super::super::keys::keys_of;
    use super::*;

    #[test]
    fn an_option_looks_like_one_key_or_none() {
        for (option, key) in [
            ("--timeout", Some("summarizer.timeout")),
            ("--api-key-file", Some("summarizer.api_key_file")),
            ("--evict-tokens", Some("evict.tokens")),
            ("--truncate-trigger", Some("truncate.trigger")),
            ("--prune-protect", Some("prune.protect")),
            // Several tables have such a key.
            ("--tokens", None),
            ("--triger", None),
            ("timeout", None),
        ] {
            assert_eq!(key_like_option(option).as_deref(), key, "{option}");
        }
    }

    fn keys_of_table(table: &str) -> &'static [&'static str] {
        match table {
            "" => keys_of::<Config>(),
            "system" => keys_of::<SystemConfig>(),
            "count" => keys_of::<CountConfig>(),
            "patch" => keys_of::<PatchConfig>(),
            "evict" => keys_of::<EvictConfig>(),
            "truncate" => keys_of::<TruncateConfig>(),
            "prune" => keys_of::<PruneConfig>(),
            "dedup" => keys_of::<DedupConfig>(),
            "cut" => keys_of::<CutConfig>(),
            "pin" => keys_of::<PinConfig>(),
            "summarize" => keys_of::<SummarizeConfig>(),
            "summarizer" => keys_of::<SummarizerConfig>(),
            "archive" => keys_of::<ArchiveConfig>(),
            "overflow" => keys_of::<OverflowConfig>(),
            other => panic!("no table {other}"),
        }
    }

    #[test]
    fn every_key_stands_in_one_column() {
        let tables: Vec<&str> = TRUST.iter().map(|trust| trust.table).collect();
        for trust in &TRUST {
            let mut known: Vec<&str> = keys_of_table(trust.table).to_vec();
            known.retain(|key| !trust.table.is_empty() || !tables.contains(key));
            let safety = trust.safety.iter().map(|(key, _)| *key);
            let server = trust.server.iter().copied();
            let columns = trust.policy.iter().copied().chain(safety).chain(server);
            let mut sorted: Vec<&str> = columns.collect();
            sorted.sort_unstable();
            known.sort_unstable();
            assert_eq!(
                sorted, known,
                "[{}]: a key has no column, or two: may a stranger's file set it?",
                trust.table
            );
        }
        let top = keys_of::<Config>();
        assert!(tables[1..].iter().all(|table| top.contains(table)));
        assert_eq!(tables.len() - 1, 13, "a table that no row has");
    }
}
