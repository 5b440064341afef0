//! The options of the command line as a configuration, which is laid over that
//! of the file.

use super::config::{Config, CounterName, HeaderList, PinConfig, PruneConfig, SummarizerConfig};
use super::error::SettingsError;
use crate::cli::checked_values::check_prompt;
use crate::cli::{CountingArgs, PolicyArgs, ServerArgs, StageArgs};
use crate::policy::{PinRule, Policy, SkillSource, Trigger};
use std::num::NonZeroU64;
use std::path::Path;

/// Returns the options on counting.
pub(super) fn counting_options(arguments: &CountingArgs) -> Config {
    Config {
        model: arguments.model.clone(),
        limits: arguments.limits.clone(),
        profiles: arguments.profiles,
        strict_model: arguments.strict_model.then_some(true),
        counter: arguments.counter.map(CounterName),
        ..Config::default()
    }
}

/// Returns the options on the policy.
pub(super) fn policy_options(arguments: &PolicyArgs) -> Result<Config, SettingsError> {
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
    if !arguments.memory.is_empty() {
        config.system.memory = Some(arguments.memory.clone());
    }
    if !arguments.skills.is_empty() {
        let sources = arguments.skills.iter().cloned();
        config.system.skills = Some(sources.map(SkillSource::from_path).collect());
    }
    set_stages(&arguments.stages, &mut config);
    let prompt = arguments.prompt_file.as_deref().map(read_prompt);
    config.summarizer = SummarizerConfig {
        kind: arguments.summarizer.clone(),
        budget: arguments.summary_tokens,
        prompt: prompt.transpose()?,
        on_failure: arguments.on_failure,
        pass_env: (!arguments.pass_env.is_empty()).then(|| arguments.pass_env.clone()),
        model: arguments.model.summary_model.clone(),
        base_url: arguments.model.base_url.clone(),
        max_cost: arguments.model.max_cost,
        ..SummarizerConfig::default()
    };
    Ok(config)
}

/// Sets the options on the stages before the summary.
fn set_stages(arguments: &StageArgs, config: &mut Config) {
    config.prune = arguments.prune.then(|| PruneConfig {
        enabled: Some(true),
        ..PruneConfig::default()
    });
    config.dedup.enabled = arguments.dedup_results.then_some(true);
    set_pins(&arguments.pin, &mut config.pin);
    config.summarize.frame = arguments.frame;
}

/// Sets the rules of which messages are pinned. Kinds that no rule names stay as they are.
fn set_pins(rules: &[PinRule], pin: &mut PinConfig) {
    for rule in rules.iter().cloned() {
        match rule {
            PinRule::Role(role) => pin.roles.get_or_insert_default().push(role),
            PinRule::Tool(tool) => pin.tools.get_or_insert_default().push(tool),
            PinRule::Pattern(pattern) => pin.patterns.get_or_insert_default().push(pattern),
            PinRule::Label(label) => pin.labels.get_or_insert_default().push(label),
        }
    }
}

fn read_prompt(path: &Path) -> Result<String, SettingsError> {
    let text = std::fs::read_to_string(path).map_err(|source| SettingsError::UnreadablePrompt {
        path: path.to_owned(),
        source,
    })?;
    check_prompt(text).map_err(|problem| SettingsError::WrongPrompt {
        path: path.to_owned(),
        problem,
    })
}

/// Returns the options on the server.
fn server_options(arguments: &ServerArgs) -> Result<SummarizerConfig, SettingsError> {
    Ok(SummarizerConfig {
        base_url: arguments.base_url.clone(),
        api_key_env: arguments.api_key_env.clone(),
        api_key_file: arguments.api_key_file.clone(),
        allow_plain_http: arguments.allow_plain_http.then_some(true),
        ca_file: arguments.ca_file.clone(),
        headers: header_options(&arguments.header)?,
        ..SummarizerConfig::default()
    })
}

/// Splits headers. Their texts may hold secrets, so the error does not quote them.
fn header_options(texts: &[String]) -> Result<Option<HeaderList>, SettingsError> {
    if texts.is_empty() {
        return Ok(None);
    }
    let mut headers = Vec::new();
    for text in texts {
        let (name, value) = text.split_once(':').ok_or(SettingsError::NoHeader)?;
        let header = (name.trim().to_owned(), value.trim().to_owned());
        HeaderList(vec![header]).replace_in(&mut headers);
    }
    Ok(Some(HeaderList(headers)))
}

/// Lays options on the server over a policy.
///
/// # Errors
/// If a header is not written as `Name: value`.
pub(crate) fn override_server(
    arguments: &ServerArgs,
    policy: &mut Policy,
) -> Result<(), SettingsError> {
    let summarizer = server_options(arguments)?;
    let config = Config {
        summarizer,
        ..Config::default()
    };
    config.apply(policy);
    Ok(())
}
