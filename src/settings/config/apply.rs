//! Lays a configuration over a policy. What it leaves out stays.

use super::config::{Config, SummarizerConfig};
use super::row::ConfigTable;
use crate::deciding::policy::{Policy, SummarizerPolicy};

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
