//! The options of the command line as a configuration, which is laid over that
//! of the file.

use super::config::{Config, CounterName, SummarizerConfig};
use crate::deciding::policy::Trigger;
use crate::settings::cli::{CountingArgs, PolicyArgs};
use std::num::NonZeroU64;

/// Returns the options on counting.
pub(super) fn counting_options(arguments: &CountingArgs) -> Config {
    Config {
        model: arguments.model.clone(),
        limits: arguments.limits.clone(),
        counter: arguments.counter.map(CounterName),
        ..Config::default()
    }
}

/// Returns the options on the policy.
pub(super) fn policy_options(arguments: &PolicyArgs) -> Config {
    let mut config = counting_options(&arguments.counting);
    config.preset = arguments.preset;
    config.max_input_tokens = arguments.max_input_tokens.and_then(NonZeroU64::new);
    config.redact = arguments.redact.redact;
    config.overflow.max_tokens = arguments.max_tokens;
    if !arguments.trigger.is_empty() {
        let clauses = arguments.trigger.clone();
        config.summarize.trigger = Some(Trigger { clauses });
    }
    config.summarize.keep = arguments.keep;
    config.summarizer = SummarizerConfig {
        kind: arguments.summarizer.clone(),
        budget: arguments.summary_tokens,
        ..SummarizerConfig::default()
    };
    config
}
