//! The resolved policy as the TOML that describes it. A key whose value depends
//! on each transcript's model is a comment.

use super::config::{
    ArchiveConfig, Config, CountConfig, CutConfig, DedupConfig, EvictConfig, OverflowConfig,
    PatchConfig, PinConfig, PruneConfig, SummarizeConfig, SummarizerConfig, SystemConfig,
    TruncateConfig,
};
use super::keys::keys_of;
use super::spelling::{CounterName, HeaderList};
use crate::cli::MAX_NUMBER;
use crate::policy::{
    Amount, CachePlace, Clause, Keep, KeepCount, ModelPolicy, PRESETS, Policy, SummarizerKind,
    SummarizerPolicy, Threshold, Trigger,
};
use crate::summary::model::url_without_credentials;
use serde::{Deserialize, Serialize};
use std::fmt::{Arguments, Write};
use std::num::NonZeroU64;
use std::path::{Path, PathBuf};
use toml::{Table, Value};

/// The value of a header that a printed configuration does not show.
pub(in crate::settings) const MASKED: &str = "***";

/// Returns the policy as TOML.
#[must_use]
pub(crate) fn to_toml(policy: &Policy) -> String {
    write_config(&Config::from_policy(policy), &PolicyComments::of(policy))
}

/// Returns the policy as TOML, without its prompts, which are long.
#[must_use]
pub(crate) fn to_toml_without_prompts(policy: &Policy) -> String {
    let mut config = Config::from_policy(policy);
    let characters = |prompt: Option<String>| prompt.map_or(0, |prompt| prompt.chars().count());
    let prompts = format!(
        "prompt: {} characters; merge_prompt: {}",
        characters(config.summarizer.prompt.take()),
        characters(config.summarizer.merge_prompt.take())
    );
    let mut comments = PolicyComments::of(policy);
    comments.add("summarizer", "prompt", prompts);
    write_config(&config, &comments)
}

/// Comments that stand in place of keys that are left out.
struct PolicyComments {
    lines: Vec<PolicyComment>,
}

struct PolicyComment {
    /// The table, which has no name at the top of the document.
    table: &'static str,
    /// The key that is left out. A comment on none ends its table.
    key: &'static str,
    text: String,
}

impl PolicyComments {
    fn of(policy: &Policy) -> Self {
        let model = policy
            .model
            .as_deref()
            .and_then(|name| policy.models.lookup(name));
        let room = policy.room(model.as_ref());
        let limit = match room.limit {
            Some(tokens) => format!("max_input_tokens = {tokens}, the model's"),
            None => "max_input_tokens: each model's own, where it is known".to_owned(),
        };
        let mut comments = Self { lines: Vec::new() };
        comments.add("", "model", "model: each record's own");
        comments.add("", "limits", "limits: the embedded table alone");
        comments.add("", "max_input_tokens", limit);
        comments.add(
            "",
            "chars_per_token",
            "chars_per_token = 4.0, 3.3 for Anthropic models",
        );
        comments.add("system", "base", "base: the log's own system prompt");
        comments.add(
            "system",
            "root",
            "root: the paths are those of this machine",
        );
        comments.add(
            "overflow",
            "reserved",
            "reserved = 20000, or max_output where that is less",
        );
        let fires = room
            .overflow
            .map(|tokens| format!("so the trigger `overflow` fires from {tokens} tokens on"));
        let budget = room
            .budget
            .map(|tokens| format!("so the budget of a call is {tokens} tokens"));
        let notes: Vec<String> = fires.into_iter().chain(budget).collect();
        if !notes.is_empty() {
            comments.add("overflow", "", notes.join("\n# "));
        }
        let Ok(thresholds) = policy.thresholds(room) else {
            for table in ["truncate", "summarize"] {
                comments.add(table, "trigger", "trigger: the preset's");
                comments.add(table, "keep", "keep: the preset's");
            }
            return comments;
        };
        comments.add_trigger("truncate", &thresholds.truncate_trigger);
        comments.add_keep("truncate", thresholds.truncate_keep);
        comments.add_trigger("summarize", &thresholds.summarize_trigger);
        comments.add_keep("summarize", thresholds.summarize_keep);
        comments
    }

    fn add(&mut self, table: &'static str, key: &'static str, text: impl Into<String>) {
        self.lines.push(PolicyComment {
            table,
            key,
            text: text.into(),
        });
    }

    fn add_trigger(&mut self, table: &'static str, clauses: &[Clause<Threshold>]) {
        let amounts = |clause: &Clause<Threshold>| {
            Clause(clause.0.iter().map(|threshold| threshold.amount).collect())
        };
        let trigger = Trigger {
            clauses: clauses.iter().map(amounts).collect(),
        };
        self.add_default(table, "trigger", &trigger);
    }

    fn add_keep(&mut self, table: &'static str, keep: KeepCount) {
        let keep = match keep {
            KeepCount::Messages(count) => Keep::Last(Amount::Messages(count as u64)),
            KeepCount::Tokens(count) => Keep::Last(Amount::Tokens(count.min(MAX_NUMBER))),
            KeepCount::Turns { most, tokens } => Keep::Turns {
                most: (most != usize::MAX).then_some(most as u64),
                tokens: Some(tokens),
            },
            KeepCount::Events(count) => Keep::Last(Amount::Events(count as u64)),
            KeepCount::Recent(count) => Keep::Recent(count),
            KeepCount::Characters(share) => Keep::Characters(share),
            KeepCount::Back(count) => Keep::Back(count),
            KeepCount::Whole(count) => Keep::Whole(count),
            KeepCount::Answers(count) => Keep::Answers(count as u64),
        };
        self.add_default(table, "keep", &keep);
    }

    fn add_default(&mut self, table: &'static str, key: &'static str, value: &impl Serialize) {
        if let Ok(value) = Value::try_from(value) {
            self.add(
                table,
                key,
                format!("{key} = {value}, the preset's for this model"),
            );
        }
    }

    fn text(&self, table: &str, key: &str) -> Option<&str> {
        self.lines
            .iter()
            .find(|line| line.table == table && line.key == key)
            .map(|line| line.text.as_str())
    }
}

fn write_config(config: &Config, comments: &PolicyComments) -> String {
    let mut out = String::new();
    write_table(&mut out, "", config, comments);
    write_table(&mut out, "system", &config.system, comments);
    write_table(&mut out, "count", &config.count, comments);
    write_table(&mut out, "patch", &config.patch, comments);
    write_table(&mut out, "evict", &config.evict, comments);
    write_table(&mut out, "truncate", &config.truncate, comments);
    write_table(&mut out, "prune", &config.prune, comments);
    write_table(&mut out, "dedup", &config.dedup, comments);
    write_table(&mut out, "cut", &config.cut, comments);
    write_table(&mut out, "pin", &config.pin, comments);
    write_table(&mut out, "summarize", &config.summarize, comments);
    write_table(&mut out, "summarizer", &config.summarizer, comments);
    write_table(&mut out, "archive", &config.archive, comments);
    write_table(&mut out, "overflow", &config.overflow, comments);
    out
}

/// Writes the keys of a table in the order of its struct, a key a line. toml itself would write
/// triggers and keeps as tables of their own, and has no comments.
fn write_table<T: Serialize + for<'de> Deserialize<'de>>(
    out: &mut String,
    name: &str,
    table: &T,
    comments: &PolicyComments,
) {
    // Only numbers and paths that TOML can't hold would fail: `from_policy` makes none.
    let values = Table::try_from(table).unwrap_or_default();
    let is_top = name.is_empty();
    if !is_top {
        write_line(out, format_args!("\n[{name}]"));
    }
    for key in keys_of::<T>() {
        match values.get(*key) {
            Some(Value::Table(_)) if is_top => {}
            Some(value) => write_line(out, format_args!("{key} = {value}")),
            None => {
                if let Some(text) = comments.text(name, key) {
                    write_line(out, format_args!("# {text}"));
                }
            }
        }
    }
    if let Some(text) = comments.text(name, "") {
        write_line(out, format_args!("# {text}"));
    }
}

fn write_line(out: &mut String, line: Arguments<'_>) {
    // Writing to a String can't fail.
    let _ = writeln!(out, "{line}");
}

impl Config {
    /// Returns the configuration that gives this policy. Values of secret headers are masked.
    fn from_policy(policy: &Policy) -> Self {
        let Policy {
            system,
            count,
            evict,
            truncate,
            prune,
            summarize,
            archive,
            overflow,
            ..
        } = policy;
        Self {
            preset: PRESETS.iter().find(|preset| preset.name == policy.preset),
            model: policy.model.clone(),
            limits: policy.limits.as_ref().map(PathBuf::from),
            profiles: Some(policy.profiles),
            strict_model: Some(policy.strict_model),
            max_input_tokens: policy.max_input_tokens.and_then(NonZeroU64::new),
            counter: Some(CounterName(policy.counter)),
            chars_per_token: policy.chars_per_token,
            redact: Some(policy.redact),
            system: SystemConfig {
                base: system.base.clone(),
                memory: Some(system.memory.clone()),
                skills: Some(system.skills.clone()),
                root: system.root.as_deref().map(printable_path),
                count: Some(system.count),
                version: Some(system.version),
            },
            count: CountConfig {
                system: Some(count.system),
                tools: Some(count.tools),
            },
            patch: PatchConfig {
                calls: Some(policy.patch),
            },
            evict: EvictConfig {
                tokens: Some(evict.tokens),
                exclude: Some(evict.exclude.clone()),
                human_tokens: Some(evict.human_tokens),
                notice: Some(evict.notice),
            },
            truncate: TruncateConfig {
                trigger: truncate.trigger.clone(),
                keep: truncate.keep,
                max_length: Some(truncate.max_length),
                text: Some(truncate.text.clone()),
                tools: Some(truncate.tools.clone()),
            },
            cut: CutConfig {
                tokens: Some(policy.cut.tokens),
                keep: Some(policy.cut.keep),
                exclude: Some(policy.cut.exclude.clone()),
            },
            dedup: DedupConfig {
                enabled: Some(policy.dedup.enabled),
                least: Some(policy.dedup.least),
                tools: Some(policy.dedup.tools.clone()),
            },
            pin: PinConfig {
                roles: Some(policy.pin.roles.clone()),
                tools: Some(policy.pin.tools.clone()),
                patterns: Some(policy.pin.patterns.clone()),
                labels: Some(policy.pin.labels.clone()),
            },
            prune: Some(PruneConfig {
                enabled: Some(prune.enabled),
                protect: Some(prune.protect),
                minimum: Some(prune.minimum),
                least: Some(prune.least),
                placeholder: Some(prune.placeholder.clone()),
                protect_tools: Some(prune.protect_tools.clone()),
                skip_turns: Some(prune.skip_turns),
                skip_messages: Some(prune.skip_messages),
                rescan: Some(prune.rescan),
                every_result: Some(prune.every_result),
                each_call: Some(prune.each_call),
                stored_order: Some(prune.stored_order),
                rule: Some(prune.rule),
                trigger: Some(prune.trigger),
                results: Some(prune.results),
                measure: Some(prune.measure),
                keep: Some(prune.keep),
                clear_at_least: Some(prune.clear_at_least),
                at_least: Some(prune.at_least),
                clear_inputs: Some(prune.clear_inputs),
                keep_first: Some(prune.keep_first),
                polling: NonZeroU64::new(prune.polling),
                observations: Some(prune.observations),
            }),
            summarize: SummarizeConfig {
                trigger: summarize.trigger.clone(),
                keep: summarize.keep,
                keep_share: Some(summarize.keep_share),
                trim_tokens: Some(summarize.trim_tokens),
                frame: Some(summarize.frame),
                replay: Some(summarize.replay),
                after_step: Some(summarize.after_step),
                measure: Some(summarize.measure),
                keep_first: Some(summarize.keep_first),
                keep_users: Some(summarize.keep_users),
                bound_reasoning: Some(summarize.bound_reasoning),
                asked_by: Some(summarize.asked_by.clone()),
                on_growth: Some(policy.on_growth),
            },
            summarizer: SummarizerConfig::from_policy(&policy.summarizer),
            archive: ArchiveConfig {
                prefix: Some(archive.prefix.clone()),
                results_prefix: Some(archive.results_prefix.clone()),
                form: Some(archive.form),
            },
            overflow: OverflowConfig {
                limit: Some(overflow.limit),
                max_tokens: Some(overflow.max_tokens),
                context: Some(overflow.context),
                output: Some(overflow.output),
                reserved: overflow.reserved,
                reserve_both: Some(overflow.reserve_both),
                buffer: Some(overflow.buffer),
                input_share: Some(overflow.input_share),
                max_output: NonZeroU64::new(overflow.max_output),
                strict: Some(overflow.strict),
                budget: Some(overflow.budget),
                answers_of: Some(overflow.answers_of.clone()),
            },
        }
    }
}

impl SummarizerConfig {
    /// Says how a model is asked only if a model is.
    fn from_policy(policy: &SummarizerPolicy) -> Self {
        let model = if policy.kind == SummarizerKind::Http {
            Self::from_model_policy(&policy.model)
        } else {
            Self::default()
        };
        Self {
            kind: Some(policy.kind.clone()),
            budget: Some(policy.budget),
            template: Some(policy.template),
            prompt: Some(policy.prompt.clone()),
            merge_prompt: Some(policy.merge_prompt.clone()),
            result_chars: Some(policy.result_chars),
            headings: Some(policy.headings.clone()),
            on_failure: Some(policy.on_failure),
            pass_env: (!policy.pass_env.is_empty()).then(|| policy.pass_env.clone()),
            weights: policy.weights.as_deref().map(printable_path),
            ..model
        }
    }

    fn from_model_policy(policy: &ModelPolicy) -> Self {
        Self {
            model: policy.name.clone(),
            dialect: policy.dialect,
            base_url: policy.base_url.as_deref().map(url_without_credentials),
            api_key_env: policy.key_env.clone(),
            api_key_file: policy.key_file.as_deref().map(printable_path),
            allow_plain_http: policy.allow_plain_http.then_some(true),
            ca_file: policy.ca_file.as_deref().map(printable_path),
            temperature: policy.temperature,
            max_output_tokens: Some(policy.max_output),
            timeout: NonZeroU64::new(policy.timeout),
            deadline: NonZeroU64::new(policy.deadline),
            retries: Some(policy.retries),
            concurrency: Some(policy.concurrency),
            price: policy.price,
            max_calls: policy.max_calls,
            max_cost: policy.max_cost,
            cache: (policy.cache != CachePlace::User).then(|| policy.cache.clone()),
            headers: (!policy.headers.is_empty()).then(|| HeaderList::masked(&policy.headers)),
            ..Self::default()
        }
    }
}

impl HeaderList {
    /// Returns the headers with every value masked that does not name a variable.
    fn masked(headers: &[(String, String)]) -> Self {
        let masked = |(name, value): &(String, String)| {
            let is_variable = value.starts_with('$');
            let shown = if is_variable { value } else { MASKED };
            (name.clone(), shown.to_owned())
        };
        Self(headers.iter().map(masked).collect())
    }
}

/// Returns a path as TOML can hold it.
fn printable_path(path: &Path) -> PathBuf {
    path.to_string_lossy().into_owned().into()
}
