//! Arguments and configuration become one resolved policy, once. After this no
//! one looks at an option's text.

mod model;
mod paths;
mod print;
mod section;
mod stages;
mod values;

pub use self::model::{keyless, server, target};
use crate::cli::{CountingArgs, InputArgs, MaxErrors, PolicyArgs, RunArgs, When};
use crate::convert::{self, Conversion, TARGETS};
use crate::format::{self, FORMATS, Format};
use crate::input::ReadOptions;
use crate::model::Models;
use crate::policy::{PRESETS, Policy, Preset, SummarizerKind, Trigger};
use crate::tokens::bpe::encoding_of;
use crate::tokens::{AUTO, COUNTERS, TokenCounter, tokenizer_json};
use anyhow::{Context, Result, anyhow, bail};
pub use paths::absolute;
pub use print::{to_toml, to_toml_without_prompts};
use section::Section;
use std::path::Path;
use values::{clause, keep, set, summarizer, unknown};

/// So many threads only take memory.
const MOST_JOBS: usize = 1025;
/// Code points per token: of most models, and of Anthropic's (spec: deepagents, section 2).
const CHARS_PER_TOKEN: f64 = 4.0;
const ANTHROPIC_CHARS_PER_TOKEN: f64 = 3.3;

/// A policy and the things that it names, built.
pub struct Settings {
    /// What the user asked for.
    pub policy: Policy,
    counter: Box<dyn TokenCounter>,
    /// Where it may differ.
    anthropic_counter: Option<Box<dyn TokenCounter>>,
    /// For `auto`: the counters of single models.
    by_model: Vec<Box<dyn TokenCounter>>,
}

impl Settings {
    /// Builds the policy of a preset, as it is without options and configuration.
    ///
    /// # Errors
    /// If there is no such preset.
    pub fn from_preset(name: &str) -> Result<Self> {
        Self::new(preset_named("preset", name)?.policy())
    }

    /// Builds the policy that a configuration file describes.
    ///
    /// # Errors
    /// If the file can't be read, or a key or a value in it is wrong.
    pub fn from_config(path: &Path) -> Result<Self> {
        policy(&PolicyArgs {
            counting: CountingArgs {
                config: Some(path.to_owned()),
                ..CountingArgs::default()
            },
            ..PolicyArgs::default()
        })
    }

    /// The counter for a model of this provider.
    #[must_use]
    pub fn counter(&self, model: Option<&str>, provider: Option<&str>) -> &dyn TokenCounter {
        let own = || {
            let encoding = encoding_of(model?)?;
            self.by_model
                .iter()
                .find(|counter| counter.name() == encoding)
        };
        match (self.by_model.is_empty(), provider) {
            (false, _) if let Some(own) = own() => &**own,
            (_, Some("anthropic")) if self.policy.chars_per_token.is_none() => {
                self.anthropic_counter.as_deref().unwrap_or(&*self.counter)
            }
            _ => &*self.counter,
        }
    }

    /// The same with another counter; `option` names where it was asked for.
    ///
    /// # Errors
    /// If there is no such counter.
    pub fn with_counter(&self, option: &str, name: &str) -> Result<Self> {
        Self::new(Policy {
            counter: counter_named(option, name)?,
            ..self.policy.clone()
        })
    }

    /// Whether messages for one model count the same as `other` counts those for another; each is a model and its provider.
    #[must_use]
    pub fn counts_as(
        &self,
        ours: (Option<&str>, Option<&str>),
        other: &Self,
        theirs: (Option<&str>, Option<&str>),
    ) -> bool {
        let rate = |settings: &Self, provider: Option<&str>| {
            let default = if provider == Some("anthropic") {
                ANTHROPIC_CHARS_PER_TOKEN
            } else {
                CHARS_PER_TOKEN
            };
            settings.policy.chars_per_token.unwrap_or(default).to_bits()
        };
        self.counter(ours.0, ours.1).name() == other.counter(theirs.0, theirs.1).name()
            && rate(self, ours.1) == rate(other, theirs.1)
    }

    /// Settings with a counter that is in no table.
    #[cfg(test)]
    pub(crate) fn counted_by(policy: Policy, counter: Box<dyn TokenCounter>) -> Self {
        Self {
            counter,
            anthropic_counter: None,
            by_model: Vec::new(),
            policy,
        }
    }

    fn new(policy: Policy) -> Result<Self> {
        let auto = policy.counter == AUTO;
        if let Some(path) = policy.counter.strip_prefix(tokenizer_json::PREFIX) {
            let bytes = std::fs::read(path)
                .with_context(|| format!("counter {}: can't read it", policy.counter))?;
            let counter = tokenizer_json::build(policy.counter, &bytes)
                .map_err(|error| anyhow!("counter {}: {error}", policy.counter))?;
            return Ok(Self {
                counter,
                anthropic_counter: None,
                by_model: Vec::new(),
                policy,
            });
        }
        let kind = COUNTERS
            .iter()
            .find(|kind| kind.name == policy.counter || (auto && kind.name == "approx"))
            .context("no such counter")?;
        let by_model = COUNTERS
            .iter()
            .filter(|_| auto)
            .map(|kind| (kind.build)(CHARS_PER_TOKEN))
            .collect();
        Ok(Self {
            counter: (kind.build)(policy.chars_per_token.unwrap_or(CHARS_PER_TOKEN)),
            anthropic_counter: Some((kind.build)(ANTHROPIC_CHARS_PER_TOKEN)),
            by_model,
            policy,
        })
    }
}

/// How a run goes, apart from the policy.
pub struct RunSettings {
    /// Threads.
    pub jobs: usize,
    /// Failures that are tolerated.
    pub max_errors: MaxErrors,
    /// Whether to keep quiet.
    pub quiet: bool,
    /// Whether to show progress.
    pub progress: When,
}

/// Resolves the run options.
///
/// # Errors
/// If there are no threads.
pub fn run(arguments: &RunArgs) -> Result<RunSettings> {
    if arguments.jobs == Some(0) {
        bail!("--jobs 0: at least one thread is needed; leave the option out for one a core");
    }
    if let Some(jobs @ MOST_JOBS..) = arguments.jobs {
        bail!(
            "--jobs {jobs}: fewer than {MOST_JOBS} threads are possible; more than one a core gains nothing"
        );
    }
    let cores = || std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    Ok(RunSettings {
        jobs: arguments.jobs.unwrap_or_else(cores),
        max_errors: arguments.max_errors,
        quiet: arguments.quiet,
        progress: arguments.progress,
    })
}

/// Resolves how inputs are read.
///
/// # Errors
/// If the format is not known.
pub fn reading(arguments: &InputArgs, summarizer: &SummarizerKind) -> Result<ReadOptions> {
    reading_with(
        arguments.format.as_deref(),
        arguments.max_record_bytes,
        summarizer,
    )
}

/// Resolves how inputs are read: the format by its name (by the content if there is none), the longest record in
/// bytes, and the summarizer, which decides how many transcripts are handed out at once.
///
/// # Errors
/// If the format is not known, or a record may have no bytes.
pub fn reading_with(
    format: Option<&str>,
    max_record_bytes: usize,
    summarizer: &SummarizerKind,
) -> Result<ReadOptions> {
    let format: Option<&'static dyn Format> = match format {
        None => None,
        Some(name) => Some(format::format_by_name(name).with_context(|| {
            unknown("--format", name, FORMATS.iter().map(|format| format.name()))
        })?),
    };
    if max_record_bytes == 0 {
        bail!("--max-record-bytes 0: it must be greater than 0");
    }
    // A program or a server may take minutes for each summary: its transcripts are handed out one by one.
    let records_per_unit = if matches!(
        summarizer,
        SummarizerKind::Command(_) | SummarizerKind::Http
    ) {
        1
    } else {
        usize::MAX
    };
    Ok(ReadOptions {
        format,
        max_record_bytes,
        records_per_unit,
    })
}

/// Resolves what transcripts are converted to.
///
/// # Errors
/// If there is no such target.
pub fn conversion(name: &str, merge_users: bool) -> Result<Conversion> {
    let target = convert::target_by_name(name)
        .with_context(|| unknown("--to", name, TARGETS.iter().map(|target| target.name())))?;
    Ok(Conversion {
        target,
        merge_users,
    })
}

/// Resolves the policy: preset, then configuration file, then command line.
///
/// # Errors
/// What is wrong with which option, and what would be right.
pub fn policy(arguments: &PolicyArgs) -> Result<Settings> {
    let mut config = Section::file(arguments.counting.config.as_deref())?;
    let mut policy = preset(&mut config, arguments.preset.as_deref())?;
    counting(&mut config, &mut policy, &arguments.counting)?;
    stages::sections(&mut config, &mut policy)?;
    config.finish()?;
    if !arguments.trigger.is_empty() {
        let clauses: Result<Vec<_>> = arguments
            .trigger
            .iter()
            .map(|text| clause("--trigger", text))
            .collect();
        policy.summarize.trigger = Some(Trigger { clauses: clauses? });
    }
    if let Some(text) = &arguments.keep {
        policy.summarize.keep = Some(keep("--keep", text)?);
    }
    if let Some(name) = &arguments.summarizer {
        policy.summarizer.kind = summarizer("--summarizer", name)?;
    }
    if let Some(tokens) = arguments.summary_tokens {
        policy.summarizer.budget = tokens;
    }
    if let Some(path) = &arguments.prompt_file {
        let text = std::fs::read_to_string(path)
            .with_context(|| format!("can't read the prompt {}", path.display()))?;
        stages::set_prompt(
            &mut policy.summarizer,
            text,
            &format!("--prompt-file {}", path.display()),
        )?;
    }
    if let Some(name) = &arguments.on_failure {
        policy.summarizer.on_failure = model::on_failure("--on-failure", name)?;
    }
    policy.redact |= arguments.redact;
    model::from_arguments(&arguments.model, &mut policy.summarizer.model)?;
    if let Some(tokens) = arguments.max_tokens {
        if tokens == 0 {
            bail!("--max-tokens 0: nothing fits in no tokens");
        }
        policy.overflow.max_tokens = tokens;
    }
    if let Some(tokens) = arguments.max_input_tokens {
        if tokens == 0 {
            bail!("--max-input-tokens 0: a limit must be greater than 0");
        }
        policy.max_input_tokens = Some(tokens);
    }
    // Where the policy alone decides, a fraction without a limit is known now.
    let model = policy
        .model
        .as_deref()
        .and_then(|name| policy.models.lookup(name));
    known(&policy)?;
    if policy.max_input_tokens.is_some() || policy.model.is_some() {
        policy.thresholds(policy.room(model.as_ref()))?;
    }
    Settings::new(policy)
}

/// Resolves what counting alone needs.
///
/// # Errors
/// As [`policy`].
pub fn counting_only(arguments: &CountingArgs) -> Result<Settings> {
    let mut config = Section::file(arguments.config.as_deref())?;
    let mut policy = preset(&mut config, None)?;
    counting(&mut config, &mut policy, arguments)?;
    stages::sections(&mut config, &mut policy)?;
    config.finish()?;
    known(&policy)?;
    Settings::new(policy)
}

/// Refuses a model that the policy names and no table knows, where only known ones will do.
fn known(policy: &Policy) -> Result<()> {
    match &policy.model {
        Some(name)
            if policy.strict_model
                && policy.max_input_tokens.is_none()
                && policy.models.lookup(name).is_none() =>
        {
            bail!(
                "--strict-model: {}",
                policy.models.resolve(name).unknown(name)
            )
        }
        _ => Ok(()),
    }
}

/// The policy of the preset that the command line names, else the configuration; else of the first.
fn preset(config: &mut Section, argument: Option<&str>) -> Result<Policy> {
    let named = config.text("preset")?;
    let named = argument
        .map(|name| ("--preset", name))
        .or(named.as_deref().map(|name| ("preset", name)));
    named
        .map_or(Ok(&PRESETS[0]), |(option, name)| preset_named(option, name))
        .map(Preset::policy)
}

/// The preset of that name.
///
/// # Errors
/// If there is none; with the nearest one.
pub fn preset_named(option: &str, name: &str) -> Result<&'static Preset> {
    let preset = PRESETS.iter().find(|preset| preset.name == name);
    preset.with_context(|| unknown(option, name, PRESETS.iter().map(|preset| preset.name)))
}

fn counting(config: &mut Section, policy: &mut Policy, arguments: &CountingArgs) -> Result<()> {
    policy.model = arguments
        .model
        .clone()
        .or(config.text("model")?)
        .filter(|name| !name.is_empty());
    if let Some(tokens) = config.positive("max_input_tokens")? {
        policy.max_input_tokens = Some(tokens);
    }
    if let Some(path) = config.text("limits")? {
        limits(policy, "limits", Path::new(&path))?;
    }
    if let Some(path) = &arguments.limits {
        limits(policy, "--limits", path)?;
    }
    set(&mut policy.strict_model, config.flag("strict_model")?);
    policy.strict_model |= arguments.strict_model;
    let from_config = config.text("counter")?;
    if let Some((option, name)) = arguments
        .counter
        .as_ref()
        .map(|name| ("--counter", name))
        .or(from_config.as_ref().map(|name| ("counter", name)))
    {
        policy.counter = counter_named(option, name)?;
    }
    if let Some(chars) = config.number("chars_per_token")? {
        if !(chars.is_finite() && chars > 0.0) {
            bail!("chars_per_token = {chars}: it must be greater than 0");
        }
        policy.chars_per_token = Some(chars);
    }
    Ok(())
}

/// Takes a table of the user's own.
///
/// # Errors
/// If it can't be read, with the line.
pub fn limits(policy: &mut Policy, option: &str, path: &Path) -> Result<()> {
    let text = std::fs::read_to_string(path)
        .with_context(|| format!("{option}: can't read {}", path.display()))?;
    let rows = crate::model::parse(&text)
        .map_err(|error| anyhow!("{option}: {}: {error}", path.display()))?;
    (policy.limits, policy.models) = (Some(path.display().to_string()), Models::with(rows));
    Ok(())
}

fn counter_named(option: &str, name: &str) -> Result<&'static str> {
    let names = || COUNTERS.iter().map(|kind| kind.name).chain([AUTO]);
    if name.starts_with(tokenizer_json::PREFIX) {
        // Every number names its counter, to the end of the run; an option or two name one so.
        return Ok(Box::leak(name.to_owned().into_boxed_str()));
    }
    names()
        .find(|known| *known == name)
        .with_context(|| unknown(option, name, names().chain(["file:PATH"])))
}

/// The text of a file, with the file's name in the error.
///
/// # Errors
/// If it can't be read as UTF-8.
pub fn read(path: &Path) -> Result<String> {
    std::fs::read_to_string(path)
        .with_context(|| format!("can't read the configuration {}", path.display()))
}
