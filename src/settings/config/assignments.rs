//! Keys that the command line sets: `--set KEY=VALUE`.

use super::config::Config;
use anyhow::{Context, Result};
use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::Path;

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
