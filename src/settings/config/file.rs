//! Reads a configuration file, and lays a configuration over a policy. What it leaves out stays.

use super::config::{Config, SummarizerConfig};
use super::document::parse_document;
use super::error::without_content;
use super::refusal::refuse_trust;
use super::row::ConfigTable;
use crate::deciding::policy::{Policy, SummarizerPolicy};
use anyhow::{Context, Result, bail};
use std::path::Path;

impl Config {
    /// Reads a configuration file. Fails if the file can't be read, or a key or a value in it is
    /// wrong.
    pub(crate) fn read_file(path: &Path) -> Result<Self> {
        Self::read_text(path, &read_text(path)?)
    }

    /// Reads the text of a file that is found: it sets policy only. Fails if it sets more than
    /// policy, or is not a configuration: then the error quotes nothing of it.
    pub(crate) fn read_found(path: &Path, text: &str) -> Result<Self> {
        let config = Self::read_strangers(path, text)?;
        refuse_trust(path, text)?;
        Ok(config)
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
