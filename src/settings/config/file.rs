//! Reads a configuration file, or keys that the command line sets (`--set KEY=VALUE`), and lays a
//! configuration over a policy. What it leaves out stays.

use super::config::{Config, SummarizerConfig};
use super::document::parse_document;
use super::error::without_content;
use super::refusal::refuse_trust;
use super::row::ConfigTable;
use crate::deciding::policy::{Policy, SummarizerPolicy};
use anyhow::{Context, Result, bail};
use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::Path;

impl Config {
    /// Reads a configuration file. Fails if the file can't be read, or a key or a value in it is
    /// wrong.
    pub(crate) fn read_file(path: &Path) -> Result<Self> {
        Self::read_text(path, &read_text(path)?)
    }

    /// Reads the text of a file that is found: it sets policy only, over the `users` own. Fails if it sets more than
    /// policy, or is not a configuration: then the error quotes nothing of it.
    pub(crate) fn read_found(path: &Path, text: &str, users: &Self) -> Result<Self> {
        refuse_trust(path, text, Self::read_strangers(path, text)?, users)
    }

    /// Reads the text of a file that somebody else may have written. Errors quote nothing of it.
    /// Fails if it is no configuration.
    pub(crate) fn read_strangers(path: &Path, text: &str) -> Result<Self> {
        Self::read_text(path, text).map_err(|error| without_content(error, path, text))
    }

    pub(super) fn read_text(path: &Path, text: &str) -> Result<Self> {
        let config: Self = parse_document(path, text)?;
        if config.summarizer.api_key_env.is_some() && config.summarizer.api_key_file.is_some() {
            let path = path.display();
            bail!("{path}: [summarizer] api_key_env and api_key_file: only one of them");
        }
        Ok(config)
    }
}

/// Reads a text file that the user named. Fails if it can't be read as UTF-8.
pub(crate) fn read_text(path: &Path) -> Result<String> {
    std::fs::read_to_string(path).with_context(|| unreadable(path))
}

/// The error of a configuration file that can't be read.
pub(in crate::settings) fn unreadable(path: &Path) -> String {
    format!("can't read the configuration {}", path.display())
}

impl Config {
    /// Sets what this configuration gives. The preset and the table of limits are the caller's.
    pub(in crate::settings) fn apply(mut self, policy: &mut Policy) {
        if let Some(model) = self.model.take() {
            policy.model = Some(model).filter(|name| !name.is_empty());
        }
        if let Some(tokens) = self.max_input_tokens {
            policy.max_input_tokens = Some(tokens.get());
        }
        if let Some(counter) = self.counter {
            policy.counter = counter.0;
        }
        if let Some(prune) = &self.prune {
            policy.prune.enabled = prune.enabled.unwrap_or(true);
        }
        self.summarizer.apply_prompts(&mut policy.summarizer);
        self.summarizer.apply_server(&mut policy.summarizer);
        self.set_keys(policy);
    }
}

impl SummarizerConfig {
    /// A template brings its prompts and headings along. A prompt of the user's own replaces both
    /// prompts, and demands no headings unless they are given, too.
    fn apply_prompts(&mut self, policy: &mut SummarizerPolicy) {
        if let Some(template) = self.template {
            policy.use_template(template);
        }
        if let Some(prompt) = self.prompt.take() {
            if policy.prompt != prompt {
                policy.headings.clear();
            }
            policy.prompt = prompt;
            policy.merge_prompt.clear();
        }
    }

    fn apply_server(&mut self, policy: &mut SummarizerPolicy) {
        // The key is in one place only.
        if self.api_key_env.is_some() || self.api_key_file.is_some() {
            policy.model.key_env = None;
            policy.model.key_file = None;
        }
        if let Some(headers) = self.headers.take() {
            headers.replace_in(&mut policy.model.headers);
        }
    }
}

/// The place that errors name.
const PLACE: &str = "--set";

impl Config {
    /// Reads assignments such as `summarizer.timeout=30`. A value is TOML, and a text where it is
    /// no TOML or its key takes a text; `@FILE` is the text of a file. Of two for one key the last
    /// counts. Fails if a key is unknown, its value is wrong, or its file can't be read.
    pub(crate) fn from_assignments(assignments: &[String]) -> Result<Self> {
        let mut last: BTreeMap<&str, String> = BTreeMap::new();
        for assignment in assignments {
            let (key, value) = assignment.split_once('=').unwrap_or((assignment, ""));
            let key = key.trim();
            last.insert(key, read_value(key, value.trim())?);
        }
        let mut text = String::new();
        for (key, value) in last {
            // Writing to a String can't fail.
            let _ = writeln!(text, "{key} = {value}");
        }
        Self::read_text(Path::new(PLACE), &text)
    }
}

/// Returns the value of a key, or the text of the file that it names, as TOML spells it.
fn read_value(key: &str, value: &str) -> Result<String> {
    let Some(path) = value.strip_prefix('@') else {
        return Ok(toml_value(key, value));
    };
    let text = std::fs::read_to_string(path);
    let text = text.with_context(|| format!("--set: can't read {path}"))?;
    Ok(toml::Value::String(text).to_string())
}

/// Returns the value of a key as TOML spells it.
fn toml_value(key: &str, value: &str) -> String {
    let is_toml = !value.contains('\n') && format!("v = {value}").parse::<toml::Table>().is_ok();
    let text = toml::Value::String(value.to_owned()).to_string();
    let fits =
        |value: &str| Config::read_text(Path::new(PLACE), &format!("{key} = {value}")).is_ok();
    if is_toml && (fits(value) || !fits(&text)) { value.to_owned() } else { text }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::deciding::policy::{Amount, Keep};

    fn read(assignments: &[&str]) -> Result<Config> {
        let assignments: Vec<String> = assignments.iter().map(ToString::to_string).collect();
        Config::from_assignments(&assignments)
    }

    #[test]
    fn values_are_toml_or_text_and_the_last_counts() {
        let config = read(&[
            "summarizer.timeout=5",
            "summarizer.timeout=30",
            "summarizer.price=1,2",
            "truncate.trigger=[{tokens = 100}]",
            "model=openai:gpt-5.2",
            "patch.calls=0.7",
            "summarizer.model=4",
            "summarize.trigger=tokens=4k,messages=3",
            "summarize.keep=messages=4",
        ])
        .unwrap();
        assert_eq!(config.summarizer.timeout.unwrap().get(), 30);
        assert!(config.summarizer.price.is_some() && config.truncate.trigger.is_some());
        assert_eq!(config.model.as_deref(), Some("openai:gpt-5.2"));
        assert_eq!(config.summarizer.model.as_deref(), Some("4"));
        assert_eq!(config.summarize.trigger.unwrap().clauses[0].0.len(), 2);
        assert_eq!(config.summarize.keep.unwrap(), Keep::Last(Amount::Messages(4)));
    }

    #[test]
    fn wrong_keys_and_values_are_told() {
        for (assignment, wanted) in [
            ("summarizer.timeot=5", "no such key"),
            ("on_failure=x", "did you mean \"summarizer.on_failure\"?"),
            ("summarizer.on_failure=x", "keep, extract, fail"),
            ("summarizer.timeout=soon", "[summarizer] timeout"),
            ("a b=5", "--set"),
            ("x = 1\ny=2", "--set"),
        ] {
            let error = read(&[assignment]).unwrap_err().to_string();
            assert!(error.contains(wanted), "{error}");
        }
    }
}
