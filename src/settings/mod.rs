//! Arguments and configuration become one resolved policy, once. After this no
//! one looks at an option's text.

mod model;
mod print;
mod section;

pub use self::model::{keyless, server, target};
use crate::cli::{CountingArgs, InputArgs, MaxErrors, PolicyArgs, RunArgs, When};
use crate::format::{self, FORMATS, Format};
use crate::input::Reading;
use crate::policy::{Amount, Clause, Keep, OnGrowth, PRESETS, Policy, SummarizerKind, Trigger};
use crate::summary::{self, SUMMARIZERS};
use crate::tokens::bpe::encoding_of;
use crate::tokens::{AUTO, COUNTERS, Counter};
use anyhow::{Context, Result, bail};
pub use print::to_toml;
use section::Section;
use std::path::Path;

/// So many threads only take memory.
const MOST_JOBS: usize = 1025;
/// Code points per token: of most models, and of Anthropic's (spec: deepagents, section 2).
const CHARS_PER_TOKEN: f64 = 4.0;
const ANTHROPIC_CHARS_PER_TOKEN: f64 = 3.3;

/// A policy and the things that it names, built.
pub struct Settings {
    /// What the user asked for.
    pub policy: Policy,
    counter: Box<dyn Counter>,
    anthropic_counter: Box<dyn Counter>,
    /// For `auto`: the counters of single models.
    by_model: Vec<Box<dyn Counter>>,
}

impl Settings {
    /// The counter for a model of this provider.
    #[must_use]
    pub fn counter(&self, model: Option<&str>, provider: Option<&str>) -> &dyn Counter {
        let own = || {
            let encoding = encoding_of(model?)?;
            self.by_model.iter().find(|counter| counter.name() == encoding)
        };
        match (self.by_model.is_empty(), provider) {
            (false, _) if let Some(own) = own() => &**own,
            (_, Some("anthropic")) if self.policy.chars_per_token.is_none() => &*self.anthropic_counter,
            _ => &*self.counter,
        }
    }

    fn new(policy: Policy) -> Result<Self> {
        let auto = policy.counter == AUTO;
        let kind = COUNTERS.iter().find(|kind| kind.name == policy.counter || (auto && kind.name == "approx")).context("no such counter")?;
        let by_model = COUNTERS.iter().filter(|_| auto).map(|kind| (kind.build)(CHARS_PER_TOKEN)).collect();
        Ok(Self {
            counter: (kind.build)(policy.chars_per_token.unwrap_or(CHARS_PER_TOKEN)),
            anthropic_counter: (kind.build)(ANTHROPIC_CHARS_PER_TOKEN),
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
        bail!("--jobs {jobs}: fewer than {MOST_JOBS} threads are possible; more than one a core gains nothing");
    }
    let cores = || std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    Ok(RunSettings { jobs: arguments.jobs.unwrap_or_else(cores), max_errors: arguments.max_errors, quiet: arguments.quiet, progress: arguments.progress })
}

/// Resolves how inputs are read.
///
/// # Errors
/// If the format is not known.
pub fn reading(arguments: &InputArgs, summarizer: &SummarizerKind) -> Result<Reading> {
    let format: Option<&'static dyn Format> = match &arguments.format {
        None => None,
        Some(name) => Some(format::by_name(name).with_context(|| unknown("--format", name, FORMATS.iter().map(|format| format.name())))?),
    };
    // A program or a server may take minutes for each summary: its transcripts are handed out one by one.
    let records_per_unit = if matches!(summarizer, SummarizerKind::Command(_) | SummarizerKind::Http) { 1 } else { usize::MAX };
    Ok(Reading { format, max_record_bytes: arguments.max_record_bytes.max(1), records_per_unit })
}

/// Resolves the policy: preset, then configuration file, then command line.
///
/// # Errors
/// What is wrong with which option, and what would be right.
pub fn policy(arguments: &PolicyArgs) -> Result<Settings> {
    let mut config = Section::file(arguments.counting.config.as_deref())?;
    let mut policy = preset(&mut config, arguments.preset.as_deref())?;
    counting(&mut config, &mut policy, &arguments.counting)?;
    sections(&mut config, &mut policy)?;
    config.finish()?;
    if !arguments.trigger.is_empty() {
        let clauses: Result<Vec<_>> = arguments.trigger.iter().map(|text| clause("--trigger", text)).collect();
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
        let text = std::fs::read_to_string(path).with_context(|| format!("can't read the prompt {}", path.display()))?;
        set_prompt(&mut policy, text, &format!("--prompt-file {}", path.display()))?;
    }
    if let Some(name) = &arguments.on_failure {
        policy.summarizer.on_failure = model::on_failure("--on-failure", name)?;
    }
    policy.redact |= arguments.redact;
    model::from_arguments(&arguments.model, &mut policy.summarizer.model)?;
    if let Some(tokens) = arguments.max_input_tokens {
        if tokens == 0 {
            bail!("--max-input-tokens 0: a limit must be greater than 0");
        }
        policy.max_input_tokens = Some(tokens);
    }
    // Where the policy alone decides, a fraction without a limit is known now.
    let limit = policy.max_input_tokens.or_else(|| crate::model::lookup(policy.model.as_ref()?).map(|model| model.max_input_tokens));
    if limit.is_some() || policy.model.is_some() {
        policy.thresholds(limit)?;
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
    sections(&mut config, &mut policy)?;
    config.finish()?;
    Settings::new(policy)
}

/// The policy of the preset that the command line names, else the configuration; else of the first.
fn preset(config: &mut Section, argument: Option<&str>) -> Result<Policy> {
    let named = config.text("preset")?;
    let named = argument.map(|name| ("--preset", name)).or(named.as_deref().map(|name| ("preset", name)));
    let Some((option, name)) = named else { return Ok(PRESETS[0].policy()) };
    let preset = PRESETS.iter().find(|preset| preset.name == name);
    Ok(preset.with_context(|| unknown(option, name, PRESETS.iter().map(|preset| preset.name)))?.policy())
}

fn counting(config: &mut Section, policy: &mut Policy, arguments: &CountingArgs) -> Result<()> {
    policy.model = arguments.model.clone().or(config.text("model")?).filter(|name| !name.is_empty());
    if let Some(tokens) = config.positive("max_input_tokens")? {
        policy.max_input_tokens = Some(tokens);
    }
    let from_config = config.text("counter")?;
    if let Some((option, name)) = arguments.counter.as_ref().map(|name| ("--counter", name)).or(from_config.as_ref().map(|name| ("counter", name))) {
        let names = || COUNTERS.iter().map(|kind| kind.name).chain([AUTO]);
        policy.counter = names().find(|known| known == name).with_context(|| unknown(option, name, names()))?;
    }
    if let Some(chars) = config.number("chars_per_token")? {
        if !(chars.is_finite() && chars > 0.0) {
            bail!("chars_per_token = {chars}: it must be greater than 0");
        }
        policy.chars_per_token = Some(chars);
    }
    Ok(())
}

fn sections(config: &mut Section, policy: &mut Policy) -> Result<()> {
    let mut evict = config.section("evict")?;
    set(&mut policy.evict.tokens, evict.count("tokens")?);
    set(&mut policy.evict.exclude, evict.texts("exclude")?);
    evict.finish()?;

    let mut truncate = config.section("truncate")?;
    policy.truncate.trigger = truncate.trigger("trigger")?.or(policy.truncate.trigger.take());
    policy.truncate.keep = truncate.keep("keep")?.or(policy.truncate.keep);
    set(&mut policy.truncate.max_length, truncate.count("max_length")?.map(to_usize));
    set(&mut policy.truncate.text, truncate.text("text")?);
    set(&mut policy.truncate.tools, truncate.texts("tools")?);
    truncate.finish()?;

    let mut summarize = config.section("summarize")?;
    policy.summarize.trigger = summarize.trigger("trigger")?.or(policy.summarize.trigger.take());
    policy.summarize.keep = summarize.keep("keep")?.or(policy.summarize.keep);
    set(&mut policy.summarize.trim_tokens, summarize.count("trim_tokens")?);
    if let Some(name) = summarize.text("on_growth")? {
        policy.on_growth = match name.as_str() {
            "skip" => OnGrowth::Skip,
            "allow" => OnGrowth::Allow,
            _ => bail!(unknown("[summarize] on_growth", &name, ["skip", "allow"])),
        };
    }
    summarize.finish()?;

    let mut section = config.section("summarizer")?;
    if let Some(name) = section.text("kind")? {
        policy.summarizer.kind = summarizer("[summarizer] kind", &name)?;
    }
    set(&mut policy.summarizer.budget, section.count("budget")?.map(to_usize));
    if let Some(prompt) = section.text("prompt")? {
        set_prompt(policy, prompt, "[summarizer] prompt")?;
    }
    set(&mut policy.summarizer.headings, section.texts("headings")?);
    if let Some(name) = section.text("on_failure")? {
        policy.summarizer.on_failure = model::on_failure("[summarizer] on_failure", &name)?;
    }
    model::from_config(&mut section, &mut policy.summarizer.model)?;
    section.finish()?;

    if let Some(redact) = config.flag("redact")? {
        policy.redact = redact;
    }

    let mut archive = config.section("archive")?;
    set(&mut policy.archive.prefix, archive.text("prefix")?);
    set(&mut policy.archive.results_prefix, archive.text("results_prefix")?);
    archive.finish()?;

    let mut overflow = config.section("overflow")?;
    set(&mut policy.overflow, overflow.count("limit")?);
    overflow.finish()
}

/// Another prompt demands no headings, unless they are named.
fn set_prompt(policy: &mut Policy, prompt: String, option: &str) -> Result<()> {
    if !prompt.contains(summary::prompt::PLACE) {
        bail!("{option} must hold {{messages}}: that is where the conversation goes");
    }
    if policy.summarizer.prompt != prompt {
        policy.summarizer.headings = Vec::new();
    }
    policy.summarizer.prompt = prompt;
    Ok(())
}

fn set<T>(place: &mut T, value: Option<T>) {
    if let Some(value) = value {
        *place = value;
    }
}

fn to_usize(number: u64) -> usize {
    usize::try_from(number).unwrap_or(usize::MAX)
}

fn summarizer(option: &str, name: &str) -> Result<SummarizerKind> {
    summary::by_name(name).with_context(|| unknown(option, name, SUMMARIZERS.iter().map(|entry| entry.name)))
}

/// `tokens=4000,messages=10`: all of them.
fn clause(option: &str, text: &str) -> Result<Clause<Amount>> {
    text.split(',').map(|part| amount(option, part)).collect::<Result<_>>().map(Clause)
}

fn keep(option: &str, text: &str) -> Result<Keep> {
    if text.contains(',') {
        bail!("{option} {text}: only one of tokens=N, messages=N, fraction=F");
    }
    amount(option, text).map(Keep)
}

fn amount(option: &str, text: &str) -> Result<Amount> {
    let example = "for example tokens=4000, messages=20 or fraction=0.85";
    let Some((kind, number)) = text.split_once('=') else { bail!("{option} {text:?}: expected KIND=NUMBER, {example}") };
    let (kind, number) = (kind.trim(), number.trim());
    let value = number.replace('_', "").parse::<toml::Value>().ok();
    let Some(value) = value.filter(|value| value.is_integer() || value.is_float()) else {
        bail!("{option} {text:?}: {number:?} is not a number, {example}");
    };
    section::amount(option, kind, &value)
}

/// The message about a name that is in no table, with the nearest one.
fn unknown<'n>(option: &str, name: &str, known: impl IntoIterator<Item = &'n str>) -> String {
    let known: Vec<&str> = known.into_iter().collect();
    let nearest = nearest(name, &known).map(|name| format!("; did you mean {name:?}?")).unwrap_or_default();
    format!("{option}: {name:?} is not known{nearest} (known: {})", known.join(", "))
}

fn nearest<'n>(name: &str, known: &[&'n str]) -> Option<&'n str> {
    let score = |known: &&&str| strsim::jaro_winkler(name, known);
    known.iter().max_by(|a, b| score(a).total_cmp(&score(b))).filter(|best| score(best) > 0.7).copied()
}

/// The text of a file, with the file's name in the error.
fn read(path: &Path) -> Result<String> {
    std::fs::read_to_string(path).with_context(|| format!("can't read the configuration {}", path.display()))
}
