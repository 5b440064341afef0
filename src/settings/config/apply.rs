//! Lays a configuration over a policy. What it leaves out stays.

use super::config::{
    ArchiveConfig, Config, EvictConfig, OverflowConfig, PruneConfig, SummarizeConfig,
    SummarizerConfig, TruncateConfig,
};
use crate::policy::{
    ArchivePolicy, Evict, ModelPolicy, OverflowPolicy, Policy, Prune, SummarizerPolicy, Truncate,
};

/// Sets a value that is given.
fn set<T>(place: &mut T, value: Option<T>) {
    if let Some(value) = value {
        *place = value;
    }
}

/// Sets an optional value if one is given.
fn set_some<T>(place: &mut Option<T>, value: Option<T>) {
    if value.is_some() {
        *place = value;
    }
}

impl Config {
    /// Sets what this configuration gives. The preset and the table of limits are the caller's.
    pub(in crate::settings) fn apply(self, policy: &mut Policy) {
        if let Some(model) = self.model {
            policy.model = Some(model).filter(|name| !name.is_empty());
        }
        set(&mut policy.strict_model, self.strict_model);
        set_some(
            &mut policy.max_input_tokens,
            self.max_input_tokens.map(Into::into),
        );
        set(&mut policy.counter, self.counter.map(|counter| counter.0));
        set_some(&mut policy.chars_per_token, self.chars_per_token);
        set(&mut policy.redact, self.redact);
        self.evict.apply(&mut policy.evict);
        self.truncate.apply(&mut policy.truncate);
        if let Some(prune) = self.prune {
            prune.apply(&mut policy.prune);
        }
        self.summarize.apply(policy);
        self.summarizer.apply(&mut policy.summarizer);
        self.archive.apply(&mut policy.archive);
        self.overflow.apply(&mut policy.overflow);
    }
}

impl EvictConfig {
    fn apply(self, policy: &mut Evict) {
        set(&mut policy.tokens, self.tokens);
        set(&mut policy.exclude, self.exclude);
    }
}

impl TruncateConfig {
    fn apply(self, policy: &mut Truncate) {
        set_some(&mut policy.trigger, self.trigger);
        set_some(&mut policy.keep, self.keep);
        set(&mut policy.max_length, self.max_length);
        set(&mut policy.text, self.text);
        set(&mut policy.tools, self.tools);
    }
}

impl PruneConfig {
    fn apply(self, policy: &mut Prune) {
        policy.enabled = self.enabled.unwrap_or(true);
        set(&mut policy.protect, self.protect);
        set(&mut policy.minimum, self.minimum);
        set(&mut policy.placeholder, self.placeholder);
        set(&mut policy.protect_tools, self.protect_tools);
        set(&mut policy.skip_turns, self.skip_turns);
        set(&mut policy.rescan, self.rescan);
        set(&mut policy.every_result, self.every_result);
        set(&mut policy.each_call, self.each_call);
    }
}

impl SummarizeConfig {
    fn apply(self, policy: &mut Policy) {
        set_some(&mut policy.summarize.trigger, self.trigger);
        set_some(&mut policy.summarize.keep, self.keep);
        set(&mut policy.summarize.trim_tokens, self.trim_tokens);
        set(&mut policy.summarize.frame, self.frame);
        set(&mut policy.summarize.replay, self.replay);
        set(&mut policy.on_growth, self.on_growth);
    }
}

impl SummarizerConfig {
    /// A template brings its prompts and headings along. A prompt of the user's own replaces both
    /// prompts, and demands no headings unless they are given, too.
    fn apply(mut self, policy: &mut SummarizerPolicy) {
        set(&mut policy.kind, self.kind.take());
        set(&mut policy.budget, self.budget);
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
        set(&mut policy.merge_prompt, self.merge_prompt.take());
        set(&mut policy.result_chars, self.result_chars);
        set(&mut policy.headings, self.headings.take());
        set(&mut policy.on_failure, self.on_failure);
        set(&mut policy.pass_env, self.pass_env.take());
        self.apply_model(&mut policy.model);
    }

    pub(in crate::settings) fn apply_model(self, policy: &mut ModelPolicy) {
        set_some(&mut policy.name, self.model);
        set_some(&mut policy.dialect, self.dialect);
        set_some(&mut policy.base_url, self.base_url);
        // The key is in one place only.
        if self.api_key_env.is_some() || self.api_key_file.is_some() {
            policy.key_env = self.api_key_env;
            policy.key_file = self.api_key_file;
        }
        set(&mut policy.allow_plain_http, self.allow_plain_http);
        set_some(&mut policy.ca_file, self.ca_file);
        if let Some(headers) = self.headers {
            headers.replace_in(&mut policy.headers);
        }
        set_some(&mut policy.temperature, self.temperature);
        set(&mut policy.max_output, self.max_output_tokens);
        set(&mut policy.timeout, self.timeout.map(Into::into));
        set(&mut policy.deadline, self.deadline.map(Into::into));
        set(&mut policy.retries, self.retries);
        set(&mut policy.concurrency, self.concurrency);
        set_some(&mut policy.price, self.price);
        set_some(&mut policy.max_calls, self.max_calls);
        set_some(&mut policy.max_cost, self.max_cost);
        set(&mut policy.cache, self.cache);
    }
}

impl ArchiveConfig {
    fn apply(self, policy: &mut ArchivePolicy) {
        set(&mut policy.prefix, self.prefix);
        set(&mut policy.results_prefix, self.results_prefix);
    }
}

impl OverflowConfig {
    fn apply(self, policy: &mut OverflowPolicy) {
        set(&mut policy.limit, self.limit);
        set(&mut policy.max_tokens, self.max_tokens);
        set(&mut policy.context, self.context);
        set(&mut policy.output, self.output);
        set_some(&mut policy.reserved, self.reserved);
        set(&mut policy.max_output, self.max_output.map(Into::into));
        set(&mut policy.strict, self.strict);
    }
}
