//! The resolved policy as the TOML that describes it. A key whose value depends
//! on each transcript's model is a comment.

use super::config::{Config, SummarizerConfig, TABLES};
use super::row::{ConfigKey, ConfigTable};
use super::spelling::{CounterName, HeaderList};
use crate::deciding::policy::{
    Amount, CachePlace, Clause, Keep, KeepCount, PRESETS, Policy, SummarizerKind, SummarizerPolicy,
    Threshold, Trigger,
};
use crate::settings::cli::checked_values::MAX_NUMBER;
use crate::summary::model::url_without_credentials;
use serde::Serialize;
use std::collections::BTreeMap;
use std::fmt::{Arguments, Write};
use std::num::NonZeroU64;
use std::path::PathBuf;
use toml::{Table, Value};

/// The value of a header that a printed configuration does not show.
pub(in crate::settings) const MASKED: &str = "***";

pub(crate) fn to_toml(policy: &Policy) -> String {
    write_config(&Config::from_policy(policy), &PolicyComments::of(policy))
}

/// Returns the policy as TOML, without its prompts, which are long.
pub(crate) fn to_toml_without_prompts(policy: &Policy) -> String {
    let mut config = Config::from_policy(policy);
    let characters = |prompt: Option<String>| prompt.map_or(0, |prompt| prompt.chars().count());
    let prompts = format!(
        "prompt: {} characters; merge_prompt: {}",
        characters(config.summarizer.prompt.take()),
        characters(config.summarizer.merge_prompt.take())
    );
    let mut comments = PolicyComments::of(policy);
    comments.add("summarizer", "prompt", prompts);
    write_config(&config, &comments)
}

/// Comments that are in place of keys that are left out, by table and key. The top of the document is a
/// table without a name; a comment on no key ends its table.
struct PolicyComments(BTreeMap<(&'static str, &'static str), String>);

impl PolicyComments {
    fn of(policy: &Policy) -> Self {
        let model = policy.model.as_deref().and_then(|name| policy.models.lookup(name));
        let room = policy.room(model.as_ref());
        let limit = match room.limit {
            Some(tokens) => format!("max_input_tokens = {tokens}, the model's"),
            None => "max_input_tokens: each model's own, where it is known".to_owned(),
        };
        let mut comments = Self(BTreeMap::new());
        comments.add("", "model", "model: each record's own");
        comments.add("", "limits", "limits: the embedded table alone");
        comments.add("", "max_input_tokens", limit);
        comments.add("", "chars_per_token", "chars_per_token = 4.0, 3.3 for Anthropic models");
        comments.add("system", "base", "base: the log's own system prompt");
        comments.add("system", "root", "root: the paths are those of this machine");
        comments.add("overflow", "reserved", "reserved = 20000, or max_output where that is less");
        let fires = room
            .overflow
            .map(|tokens| format!("so the trigger `overflow` fires from {tokens} tokens on"));
        let budget =
            room.budget.map(|tokens| format!("so the budget of a call is {tokens} tokens"));
        let notes: Vec<String> = fires.into_iter().chain(budget).collect();
        if !notes.is_empty() {
            comments.add("overflow", "", notes.join("\n# "));
        }
        let Ok(thresholds) = policy.thresholds(room) else {
            for table in ["truncate", "summarize"] {
                comments.add(table, "trigger", "trigger: the preset's");
                comments.add(table, "keep", "keep: the preset's");
            }
            return comments;
        };
        comments.add_trigger("truncate", &thresholds.truncate_trigger);
        comments.add_keep("truncate", thresholds.truncate_keep);
        comments.add_trigger("summarize", &thresholds.summarize_trigger);
        comments.add_keep("summarize", thresholds.summarize_keep);
        comments
    }

    fn add(&mut self, table: &'static str, key: &'static str, text: impl Into<String>) {
        self.0.insert((table, key), text.into());
    }

    fn add_trigger(&mut self, table: &'static str, clauses: &[Clause<Threshold>]) {
        let amounts = |clause: &Clause<Threshold>| {
            Clause(clause.0.iter().map(|threshold| threshold.amount).collect())
        };
        let trigger = Trigger { clauses: clauses.iter().map(amounts).collect() };
        self.add_default(table, "trigger", &trigger);
    }

    fn add_keep(&mut self, table: &'static str, keep: KeepCount) {
        let keep = match keep {
            KeepCount::Messages(count) => Keep::Last(Amount::Messages(count as u64)),
            KeepCount::Tokens(count) => Keep::Last(Amount::Tokens(count.min(MAX_NUMBER))),
            KeepCount::Turns { most, tokens } => Keep::Turns {
                most: (most != usize::MAX).then_some(most as u64),
                tokens: Some(tokens),
            },
            KeepCount::Events(count) => Keep::Last(Amount::Events(count as u64)),
            KeepCount::Recent(count) => Keep::Recent(count),
            KeepCount::Characters(share) => Keep::Characters(share),
            KeepCount::Back(count) => Keep::Back(count),
            KeepCount::Whole(count) => Keep::Whole(count),
            KeepCount::Answers(count) => Keep::Answers(count as u64),
        };
        self.add_default(table, "keep", &keep);
    }

    fn add_default(&mut self, table: &'static str, key: &'static str, value: &impl Serialize) {
        if let Ok(value) = Value::try_from(value) {
            self.add(table, key, format!("{key} = {value}, the preset's for this model"));
        }
    }
}

fn write_config(config: &Config, comments: &PolicyComments) -> String {
    // Only numbers and paths that TOML can't hold would fail: `from_policy` makes none.
    let values = Table::try_from(config).unwrap_or_default();
    let mut out = String::new();
    // How a model is asked is printed only if one is.
    let asks_model = matches!(config.summarizer.kind, Some(SummarizerKind::Http));
    for (name, keys) in TABLES {
        let keys = keys.iter().filter(|key| asks_model || !key.is_of_model());
        let table = if name.is_empty() {
            Some(&values)
        } else {
            write_line(&mut out, format_args!("\n[{name}]"));
            values.get(*name).and_then(Value::as_table)
        };
        write_keys(&mut out, name, keys, table, comments);
    }
    out
}

/// Writes the keys of a table in the order of its rows, a key a line. toml itself would write
/// triggers and keeps as tables of their own, and has no comments.
fn write_keys(
    out: &mut String,
    name: &str,
    keys: impl Iterator<Item = &'static ConfigKey>,
    values: Option<&Table>,
    comments: &PolicyComments,
) {
    for key in keys {
        let value = values.and_then(|values| values.get(key.name));
        if let Some(value) = value {
            write_line(out, format_args!("{} = {value}", key.name));
        } else if let Some(text) = comments.0.get(&(name, key.name)) {
            write_line(out, format_args!("# {text}"));
        }
    }
    if let Some(text) = comments.0.get(&(name, "")) {
        write_line(out, format_args!("# {text}"));
    }
}

fn write_line(out: &mut String, line: Arguments<'_>) {
    // Writing to a String can't fail.
    let _ = writeln!(out, "{line}");
}

impl Config {
    /// Returns the configuration that gives this policy. Values of secret headers are masked.
    pub(super) fn from_policy(policy: &Policy) -> Self {
        let mut config = Self::of_policy(policy);
        config.preset = PRESETS.iter().find(|preset| preset.name == policy.preset);
        config.model.clone_from(&policy.model);
        config.limits = policy.limits.as_ref().map(PathBuf::from);
        config.max_input_tokens = policy.max_input_tokens.and_then(NonZeroU64::new);
        config.counter = Some(CounterName(policy.counter));
        if let Some(prune) = &mut config.prune {
            prune.enabled = Some(policy.prune.enabled);
        }
        config.summarizer.fill_in(&policy.summarizer);
        config
    }
}

impl SummarizerConfig {
    /// Sets what is printed by a rule of its own.
    fn fill_in(&mut self, policy: &SummarizerPolicy) {
        let asked = &policy.model;
        self.template = Some(policy.template);
        self.prompt = Some(policy.prompt.clone());
        self.pass_env = (!policy.pass_env.is_empty()).then(|| policy.pass_env.clone());
        self.base_url = asked.base_url.as_deref().map(url_without_credentials);
        self.allow_plain_http = asked.allow_plain_http.then_some(true);
        self.cache = (asked.cache != CachePlace::User).then(|| asked.cache.clone());
        let has_headers = policy.kind == SummarizerKind::Http && !asked.headers.is_empty();
        self.headers = has_headers.then(|| HeaderList::masked(&asked.headers));
    }
}

impl HeaderList {
    /// Returns the headers with every value masked that does not name a variable.
    fn masked(headers: &[(String, String)]) -> Self {
        let masked = |(name, value): &(String, String)| {
            let is_variable = value.starts_with('$');
            let shown = if is_variable { value } else { MASKED };
            (name.clone(), shown.to_owned())
        };
        Self(headers.iter().map(masked).collect())
    }
}
