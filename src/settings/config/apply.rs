//! Lays a configuration over a policy. What it leaves out stays.

use super::config::{
    ArchiveConfig, Config, CountConfig, CutConfig, DedupConfig, EvictConfig, OverflowConfig,
    PinConfig, PruneConfig, SummarizeConfig, SummarizerConfig, SystemConfig, TruncateConfig,
};
use crate::policy::{
    ArchivePolicy, Cut, DedupPolicy, Evict, ModelPolicy, OverflowPolicy, Pin, Policy, Prune,
    SummarizerPolicy, SystemPolicy, TriggerCount, Truncate,
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
        set(&mut policy.profiles, self.profiles);
        set(&mut policy.strict_model, self.strict_model);
        set_some(
            &mut policy.max_input_tokens,
            self.max_input_tokens.map(Into::into),
        );
        set(&mut policy.counter, self.counter.map(|counter| counter.0));
        set_some(&mut policy.chars_per_token, self.chars_per_token);
        set(&mut policy.redact, self.redact);
        self.system.apply(&mut policy.system);
        self.count.apply(&mut policy.count);
        set(&mut policy.patch, self.patch.calls);
        self.evict.apply(&mut policy.evict);
        self.truncate.apply(&mut policy.truncate);
        self.cut.apply(&mut policy.cut);
        self.dedup.apply(&mut policy.dedup);
        self.pin.apply(&mut policy.pin);
        if let Some(prune) = self.prune {
            prune.apply(&mut policy.prune);
        }
        self.summarize.apply(policy);
        self.summarizer.apply(&mut policy.summarizer);
        self.archive.apply(&mut policy.archive);
        self.overflow.apply(&mut policy.overflow);
    }
}

impl SystemConfig {
    fn apply(self, policy: &mut SystemPolicy) {
        set_some(&mut policy.base, self.base);
        set(&mut policy.memory, self.memory);
        set(&mut policy.skills, self.skills);
        set_some(&mut policy.root, self.root);
        set(&mut policy.count, self.count);
        set(&mut policy.version, self.version);
    }
}

impl CountConfig {
    fn apply(self, policy: &mut TriggerCount) {
        set(&mut policy.system, self.system);
        set(&mut policy.tools, self.tools);
    }
}

impl EvictConfig {
    fn apply(self, policy: &mut Evict) {
        set(&mut policy.tokens, self.tokens);
        set(&mut policy.exclude, self.exclude);
        set(&mut policy.human_tokens, self.human_tokens);
        set(&mut policy.notice, self.notice);
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

impl CutConfig {
    fn apply(self, policy: &mut Cut) {
        set(&mut policy.tokens, self.tokens);
        set(&mut policy.keep, self.keep);
        set(&mut policy.exclude, self.exclude);
    }
}

impl DedupConfig {
    fn apply(self, policy: &mut DedupPolicy) {
        set(&mut policy.enabled, self.enabled);
        set(&mut policy.least, self.least);
        set(&mut policy.tools, self.tools);
    }
}

impl PinConfig {
    fn apply(self, policy: &mut Pin) {
        set(&mut policy.roles, self.roles);
        set(&mut policy.tools, self.tools);
        set(&mut policy.patterns, self.patterns);
        set(&mut policy.labels, self.labels);
    }
}

impl PruneConfig {
    fn apply(self, policy: &mut Prune) {
        policy.enabled = self.enabled.unwrap_or(true);
        set(&mut policy.protect, self.protect);
        set(&mut policy.minimum, self.minimum);
        set(&mut policy.least, self.least);
        set(&mut policy.placeholder, self.placeholder);
        set(&mut policy.protect_tools, self.protect_tools);
        set(&mut policy.skip_turns, self.skip_turns);
        set(&mut policy.skip_messages, self.skip_messages);
        set(&mut policy.rescan, self.rescan);
        set(&mut policy.every_result, self.every_result);
        set(&mut policy.each_call, self.each_call);
        set(&mut policy.stored_order, self.stored_order);
        set(&mut policy.rule, self.rule);
        set(&mut policy.trigger, self.trigger);
        set(&mut policy.results, self.results);
        set(&mut policy.measure, self.measure);
        set(&mut policy.keep, self.keep);
        set(&mut policy.clear_at_least, self.clear_at_least);
        set(&mut policy.at_least, self.at_least);
        set(&mut policy.clear_inputs, self.clear_inputs);
        set(&mut policy.keep_first, self.keep_first);
        set(&mut policy.polling, self.polling.map(Into::into));
        set(&mut policy.observations, self.observations);
    }
}

impl SummarizeConfig {
    fn apply(self, policy: &mut Policy) {
        set_some(&mut policy.summarize.trigger, self.trigger);
        set_some(&mut policy.summarize.keep, self.keep);
        set(&mut policy.summarize.keep_share, self.keep_share);
        set(&mut policy.summarize.trim_tokens, self.trim_tokens);
        set(&mut policy.summarize.frame, self.frame);
        set(&mut policy.summarize.replay, self.replay);
        set(&mut policy.summarize.after_step, self.after_step);
        set(&mut policy.summarize.measure, self.measure);
        set(&mut policy.summarize.keep_first, self.keep_first);
        set(&mut policy.summarize.keep_users, self.keep_users);
        set(&mut policy.summarize.bound_reasoning, self.bound_reasoning);
        set(&mut policy.summarize.asked_by, self.asked_by);
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
        set_some(&mut policy.weights, self.weights.take());
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
        set(&mut policy.form, self.form);
    }
}

impl OverflowConfig {
    fn apply(self, policy: &mut OverflowPolicy) {
        set(&mut policy.limit, self.limit);
        set(&mut policy.max_tokens, self.max_tokens);
        set(&mut policy.context, self.context);
        set(&mut policy.output, self.output);
        set_some(&mut policy.reserved, self.reserved);
        set(&mut policy.reserve_both, self.reserve_both);
        set(&mut policy.buffer, self.buffer);
        set(&mut policy.input_share, self.input_share);
        set(&mut policy.max_output, self.max_output.map(Into::into));
        set(&mut policy.strict, self.strict);
        set(&mut policy.budget, self.budget);
        set(&mut policy.answers_of, self.answers_of);
    }
}
