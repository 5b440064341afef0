//! The resolved policy of a run together with its token counters.

use super::config::Config;
use super::found_config::{FoundConfig, find_configs, read_config_below};
use super::named_files::read_tokenizer;
use super::policy_layers::{PolicyLayers, counting_options, policy_options, resolve_policy};
use super::system_prompt::PromptSections;
use crate::deciding::policy::{NoticeForm, Policy};
use crate::deciding::tokens::{AUTO, COUNTERS, TokenCounter, bpe::encoding_of, tokenizer_json};
use crate::reading::transcript::summary_frame::SummaryFrame;
use crate::settings::cli::{CountingArgs, PolicyArgs, checked_values::parse_preset};
use anyhow::{Context, Result, anyhow};
use std::path::Path;

/// Code points per token of most models, for the approximate counter.
const CHARS_PER_TOKEN: f64 = 4.0;
/// Code points per token of Anthropic's models.
const ANTHROPIC_CHARS_PER_TOKEN: f64 = 3.3;

/// A policy with its token counters.
pub(crate) struct Settings {
    /// The resolved policy.
    pub policy: Policy,
    /// Configuration files that the user did not name.
    pub found_configs: Vec<FoundConfig>,
    counter: Box<dyn TokenCounter>,
    /// The counter for Anthropic's models, if it may differ.
    anthropic_counter: Option<Box<dyn TokenCounter>>,
    /// The counters to choose from by model, if the counter is `auto`.
    by_model: Vec<Box<dyn TokenCounter>>,
    /// The sections that the live agent would add to the system prompt.
    pub sections: Option<PromptSections>,
}

impl Settings {
    /// Resolves the policy of a preset, without options and configuration. Fails if there is no
    /// such preset.
    pub(crate) fn from_preset(name: &str) -> Result<Self> {
        let preset = parse_preset(name).map_err(|error| anyhow!("preset: {error}"))?;
        Self::from_policy(preset.policy())
    }

    /// Resolves the policy that a configuration file describes. Fails if the file can't be read, or
    /// a key or a value in it is wrong.
    pub(crate) fn from_config(path: &Path) -> Result<Self> {
        let layers =
            PolicyLayers { files: vec![Config::read_file(path)?], ..PolicyLayers::default() };
        Self::resolve(layers, |_| ())
    }

    /// Resolves the policy of an export, which somebody else may have made: unless `is_own` knows
    /// its text, it chooses no server, key or file. Keys that the command line sets win, and may
    /// name the server. Fails as [`Settings::from_config`] does, and if it is not a regular file, or
    /// reaches out.
    pub(crate) fn from_export(
        directory: &Path,
        name: &str,
        is_own: impl FnOnce(&str) -> bool,
        assignments: &[String],
    ) -> Result<Self> {
        let assigned = Config::from_assignments(assignments)?;
        let names_server = assigned.summarizer.base_url.is_some();
        let layers = PolicyLayers {
            files: vec![read_config_below(directory, name, is_own, names_server)?],
            options: Config::default(),
            assigned,
        };
        Self::resolve(layers, |_| ())
    }

    /// Resolves a policy: the preset, over it the configuration file, over it the command line.
    /// Fails if the configuration or an option is wrong, or a file that one of them names can't be
    /// read.
    pub(crate) fn from_options(arguments: &PolicyArgs) -> Result<Self> {
        Self::from_adjusted_options(arguments, |_| ())
    }

    /// Resolves a policy as [`Settings::from_options`] does, but presents what is removed so that a
    /// model can be trained on it: without paths, and without advice to read files.
    /// Fails as [`Settings::from_options`] does.
    pub(crate) fn from_training_options(arguments: &PolicyArgs) -> Result<Self> {
        Self::from_adjusted_options(arguments, |policy| {
            policy.summarize.frame = SummaryFrame::Plain;
            policy.evict.notice = NoticeForm::Plain;
        })
    }

    fn from_adjusted_options(
        arguments: &PolicyArgs,
        adjust_preset: fn(&mut Policy),
    ) -> Result<Self> {
        let mut found_configs = Vec::new();
        let options = policy_options(arguments);
        let layers = read_layers(&arguments.counting, options, &mut found_configs)?;
        Ok(Self { found_configs, ..Self::resolve(layers, adjust_preset)? })
    }

    /// Resolves what counting needs. The triggers are not checked. Fails as
    /// [`Settings::from_options`] does.
    pub(crate) fn from_counting_options(arguments: &CountingArgs) -> Result<Self> {
        let mut found_configs = Vec::new();
        let layers = read_layers(arguments, counting_options(arguments), &mut found_configs)?;
        Ok(Self { found_configs, ..Self::from_policy(resolve_policy(layers, |_| ())?)? })
    }

    fn resolve(layers: PolicyLayers, adjust_preset: fn(&mut Policy)) -> Result<Self> {
        let policy = resolve_policy(layers, adjust_preset)?;
        // If the policy alone decides on the limit, a fraction of an unknown limit is an error of
        // the policy.
        if policy.max_input_tokens.is_some() || policy.model.is_some() {
            let model = policy.model.as_deref().and_then(|name| policy.models.lookup(name));
            policy.thresholds(policy.room(model.as_ref()))?;
        }
        Self::from_policy(policy)
    }

    /// Builds the counters of a policy. Fails if the counter is a file that can't be read or is no
    /// tokenizer.
    pub(crate) fn from_policy(policy: Policy) -> Result<Self> {
        let sections = PromptSections::load(&policy.system)?;
        if let Some(path) = policy.counter.strip_prefix(tokenizer_json::PREFIX) {
            let counter = read_tokenizer(policy.counter, Path::new(path))?;
            return Ok(Self { sections, ..Self::counted_by(policy, counter) });
        }
        let is_auto = policy.counter == AUTO;
        let name = if is_auto { "approx" } else { policy.counter };
        let kind = COUNTERS.iter().find(|kind| kind.name == name);
        let kind = kind.with_context(|| format!("counter: {name:?} is not known"))?;
        let by_model =
            COUNTERS.iter().filter(|_| is_auto).map(|kind| (kind.build)(CHARS_PER_TOKEN)).collect();
        let counter = (kind.build)(policy.chars_per_token.unwrap_or(CHARS_PER_TOKEN));
        Ok(Self {
            anthropic_counter: Some((kind.build)(ANTHROPIC_CHARS_PER_TOKEN)),
            by_model,
            sections,
            ..Self::counted_by(policy, counter)
        })
    }

    /// Returns the same settings with another counter. Fails if the counter is a file that can't be
    /// read or is no tokenizer.
    pub(crate) fn with_counter(&self, name: &'static str) -> Result<Self> {
        Self::from_policy(Policy { counter: name, ..self.policy.clone() })
    }

    /// Returns the counter for a model of this provider.
    pub(crate) fn counter(&self, model: Option<&str>, provider: Option<&str>) -> &dyn TokenCounter {
        if let Some(counter) = self.counter_of_model(model) {
            return counter;
        }
        match (provider, &self.anthropic_counter) {
            (Some("anthropic"), Some(counter)) if self.policy.chars_per_token.is_none() => {
                &**counter
            }
            _ => &*self.counter,
        }
    }

    fn counter_of_model(&self, model: Option<&str>) -> Option<&dyn TokenCounter> {
        if self.by_model.is_empty() {
            return None;
        }
        let encoding = encoding_of(model?)?;
        self.by_model.iter().find(|counter| counter.name() == encoding).map(|counter| &**counter)
    }

    /// Returns true if messages for one model count the same as `other` counts them for another.
    /// Each of the two is a model and its provider.
    pub(crate) fn counts_as(
        &self,
        (model, provider): (Option<&str>, Option<&str>),
        other: &Self,
        (other_model, other_provider): (Option<&str>, Option<&str>),
    ) -> bool {
        let counter = self.counter(model, provider);
        let other_counter = other.counter(other_model, other_provider);
        counter.name() == other_counter.name()
            && self.chars_per_token(provider).to_bits()
                == other.chars_per_token(other_provider).to_bits()
    }

    /// Returns code points per token of the approximate counter for models of this provider.
    fn chars_per_token(&self, provider: Option<&str>) -> f64 {
        let default =
            if provider == Some("anthropic") { ANTHROPIC_CHARS_PER_TOKEN } else { CHARS_PER_TOKEN };
        self.policy.chars_per_token.unwrap_or(default)
    }

    /// Returns settings that count with this counter whatever the model is.
    pub(crate) fn counted_by(policy: Policy, counter: Box<dyn TokenCounter>) -> Self {
        Self {
            counter,
            found_configs: Vec::new(),
            anthropic_counter: None,
            by_model: Vec::new(),
            sections: None,
            policy,
        }
    }
}

/// Reads the configuration file that the user names, else those that are found, and the keys that the
/// command line sets.
fn read_layers(
    arguments: &CountingArgs,
    options: Config,
    found: &mut Vec<FoundConfig>,
) -> Result<PolicyLayers> {
    let files = match &arguments.config {
        Some(path) => vec![Config::read_file(path)?],
        None if arguments.no_config => Vec::new(),
        None => find_configs(found)?,
    };
    Ok(PolicyLayers { files, options, assigned: Config::from_assignments(&arguments.set)? })
}
