//! The resolved policy as the TOML that would give it again.

use crate::policy::{
    Amount, CachePlace, Clause, Keep, KeepCount, ModelPolicy, Policy, SummarizerKind, Threshold,
    Trigger,
};
use crate::summary::model::url_without_credentials;
use std::fmt::Write;
use std::path::Path;
use toml::Value;

/// The whole policy. What is left to each transcript's model is a comment.
#[must_use]
pub fn to_toml(policy: &Policy) -> String {
    print(policy, true)
}

/// The policy but for its prompts, which are long.
#[must_use]
pub fn to_toml_without_prompts(policy: &Policy) -> String {
    print(policy, false)
}

fn print(policy: &Policy, prompts: bool) -> String {
    let mut out = String::new();
    let text = |text: &str| Value::String(text.to_owned()).to_string();
    let texts = |texts: &[String]| {
        Value::Array(texts.iter().map(|one| Value::String(one.clone())).collect()).to_string()
    };
    let room = policy.room(
        policy
            .model
            .as_deref()
            .and_then(|name| policy.models.lookup(name))
            .as_ref(),
    );
    let (limit, defaults) = (room.limit, policy.thresholds(room).ok());
    // Writing to a String can't fail.
    let mut line = |row: String| {
        let _ = writeln!(out, "{row}");
    };
    line(format!("preset = {}", text(policy.preset)));
    match &policy.model {
        Some(model) => line(format!("model = {}", text(model))),
        None => line("# model: each record's own".to_owned()),
    }
    match &policy.limits {
        Some(path) => line(format!("limits = {}", text(path))),
        None => line("# limits: the embedded table alone".to_owned()),
    }
    line(format!("strict_model = {}", policy.strict_model));
    match (policy.max_input_tokens, limit) {
        (Some(tokens), _) => line(format!("max_input_tokens = {tokens}")),
        (None, Some(tokens)) => line(format!("# max_input_tokens = {tokens}, the model's")),
        (None, None) => line("# max_input_tokens: each model's own, where it is known".to_owned()),
    }
    line(format!("counter = {}", text(policy.counter)));
    match policy.chars_per_token {
        Some(chars) => line(format!("chars_per_token = {}", Value::Float(chars))),
        None => line("# chars_per_token = 4.0, 3.3 for Anthropic models".to_owned()),
    }
    line(format!("redact = {}", policy.redact));
    line("\n[evict]".to_owned());
    line(format!("tokens = {}", policy.evict.tokens));
    line(format!("exclude = {}", texts(&policy.evict.exclude)));
    line("\n[truncate]".to_owned());
    line(trigger(
        policy.truncate.trigger.as_ref(),
        defaults
            .as_ref()
            .map(|defaults| defaults.truncate_trigger.as_slice()),
    ));
    line(keep(
        policy.truncate.keep,
        defaults.as_ref().map(|defaults| defaults.truncate_keep),
    ));
    line(format!("max_length = {}", policy.truncate.max_length));
    line(format!("text = {}", text(&policy.truncate.text)));
    line(format!("tools = {}", texts(&policy.truncate.tools)));
    line("\n[prune]".to_owned());
    line(format!("enabled = {}", policy.prune.enabled));
    line(format!("protect = {}", policy.prune.protect));
    line(format!("minimum = {}", policy.prune.minimum));
    line(format!("placeholder = {}", text(&policy.prune.placeholder)));
    line(format!(
        "protect_tools = {}",
        texts(&policy.prune.protect_tools)
    ));
    line(format!("skip_turns = {}", policy.prune.skip_turns));
    line(format!("rescan = {}", policy.prune.rescan));
    line(format!("every_result = {}", policy.prune.every_result));
    line(format!("each_call = {}", policy.prune.each_call));
    line("\n[summarize]".to_owned());
    line(trigger(
        policy.summarize.trigger.as_ref(),
        defaults
            .as_ref()
            .map(|defaults| defaults.summarize_trigger.as_slice()),
    ));
    line(keep(
        policy.summarize.keep,
        defaults.as_ref().map(|defaults| defaults.summarize_keep),
    ));
    line(format!("trim_tokens = {}", policy.summarize.trim_tokens));
    line(format!("frame = {}", text(policy.summarize.frame.name())));
    line(format!("replay = {}", policy.summarize.replay));
    line(format!(
        "on_growth = \"{}\"",
        if policy.on_growth == crate::policy::OnGrowth::Skip {
            "skip"
        } else {
            "allow"
        }
    ));
    line("\n[summarizer]".to_owned());
    let kind = match &policy.summarizer.kind {
        SummarizerKind::Extract => "extract".to_owned(),
        SummarizerKind::Command(program) => format!("command:{program}"),
        SummarizerKind::Http => "http".to_owned(),
        SummarizerKind::None => "none".to_owned(),
    };
    line(format!("kind = {}", text(&kind)));
    line(format!("budget = {}", policy.summarizer.budget));
    line(format!(
        "template = {}",
        text(policy.summarizer.template.name())
    ));
    if prompts {
        line(format!("prompt = {}", text(&policy.summarizer.prompt)));
        line(format!(
            "merge_prompt = {}",
            text(&policy.summarizer.merge_prompt)
        ));
    } else {
        let count = |text: &str| text.chars().count();
        line(format!(
            "# prompt: {} characters; merge_prompt: {}",
            count(&policy.summarizer.prompt),
            count(&policy.summarizer.merge_prompt)
        ));
    }
    line(format!("result_chars = {}", policy.summarizer.result_chars));
    line(format!("headings = {}", texts(&policy.summarizer.headings)));
    line(format!(
        "on_failure = \"{}\"",
        policy.summarizer.on_failure.name()
    ));
    if policy.summarizer.kind == SummarizerKind::Http {
        model_lines(&policy.summarizer.model, &mut line);
    }
    line("\n[archive]".to_owned());
    line(format!("prefix = {}", text(&policy.archive.prefix)));
    line(format!(
        "results_prefix = {}",
        text(&policy.archive.results_prefix)
    ));
    line("\n[overflow]".to_owned());
    line(format!("limit = {}", policy.overflow.limit));
    line(format!("max_tokens = {}", policy.overflow.max_tokens));
    line(format!("context = {}", policy.overflow.context));
    line(format!("output = {}", policy.overflow.output));
    match policy.overflow.reserved {
        Some(tokens) => line(format!("reserved = {tokens}")),
        None => line("# reserved = 20000, or max_output where that is less".to_owned()),
    }
    line(format!("max_output = {}", policy.overflow.max_output));
    line(format!("strict = {}", policy.overflow.strict));
    if let Some(tokens) = room.overflow {
        line(format!(
            "# so the trigger `overflow` fires from {tokens} tokens on"
        ));
    }
    out
}

/// How the model is asked. Keys are named, never shown; what is not set is left out.
fn model_lines(model: &ModelPolicy, line: &mut impl FnMut(String)) {
    let text = |text: &str| Value::String(text.to_owned()).to_string();
    let path = |path: &Path| text(&path.to_string_lossy());
    let number = |number: f64| Value::Float(number).to_string();
    let cache = match &model.cache {
        CachePlace::User => None,
        CachePlace::At(directory) => Some(path(directory)),
        CachePlace::Off => Some(text("")),
    };
    let rows = [
        ("model", model.name.as_deref().map(text)),
        ("dialect", model.dialect.map(|dialect| text(dialect.name()))),
        (
            "base_url",
            model
                .base_url
                .as_deref()
                .map(|url| text(&url_without_credentials(url))),
        ),
        ("api_key_env", model.key_env.as_deref().map(text)),
        ("api_key_file", model.key_file.as_deref().map(path)),
        ("ca_file", model.ca_file.as_deref().map(path)),
        ("temperature", model.temperature.map(number)),
        ("max_output_tokens", Some(model.max_output.to_string())),
        ("timeout", Some(model.timeout.to_string())),
        ("deadline", Some(model.deadline.to_string())),
        ("retries", Some(model.retries.to_string())),
        ("concurrency", Some(model.concurrency.to_string())),
        (
            "price",
            model
                .price
                .map(|price| text(&format!("{},{}", price.input, price.output))),
        ),
        ("max_calls", model.max_calls.map(|calls| calls.to_string())),
        ("max_cost", model.max_cost.map(number)),
        ("cache", cache),
    ];
    for (key, value) in rows {
        if let Some(value) = value {
            line(format!("{key} = {value}"));
        }
    }
    let header = |(name, value): &(String, String)| {
        (
            name.clone(),
            Value::String(if value.starts_with('$') {
                value.clone()
            } else {
                super::model::MASKED.to_owned()
            }),
        )
    };
    if !model.headers.is_empty() {
        line(format!(
            "headers = {}",
            Value::Table(model.headers.iter().map(header).collect())
        ));
    }
}

fn trigger(asked: Option<&Trigger>, default: Option<&[Clause<Threshold>]>) -> String {
    let list = |clauses: Vec<String>| format!("[{}]", clauses.join(", "));
    match (asked, default) {
        (Some(trigger), _) => format!(
            "trigger = {}",
            list(
                trigger
                    .clauses
                    .iter()
                    .map(|clause| table(clause.0.iter().copied()))
                    .collect()
            )
        ),
        (None, Some(clauses)) => {
            let clauses = clauses
                .iter()
                .map(|clause| table(clause.0.iter().map(|part| part.amount)));
            format!(
                "# trigger = {}, the preset's for this model",
                list(clauses.collect())
            )
        }
        (None, None) => "# trigger: the preset's".to_owned(),
    }
}

fn keep(asked: Option<Keep>, default: Option<KeepCount>) -> String {
    match (asked, default) {
        (Some(Keep::Last(amount)), _) => format!("keep = {}", table([amount].into_iter())),
        (Some(Keep::Turns { most, tokens }), _) => format!("keep = {}", turns(most, tokens)),
        (None, Some(KeepCount::Turns { most, tokens })) => {
            let most = Some(most as u64).filter(|_| most != usize::MAX);
            format!(
                "# keep = {}, the preset's for this model",
                turns(most, Some(tokens))
            )
        }
        (None, Some(KeepCount::Messages(count))) => {
            format!("# keep = {{ messages = {count} }}, the preset's for this model")
        }
        (None, Some(KeepCount::Tokens(count))) => {
            format!("# keep = {{ tokens = {count} }}, the preset's for this model")
        }
        (None, None) => "# keep: the preset's".to_owned(),
    }
}

fn turns(most: Option<u64>, tokens: Option<u64>) -> String {
    let most = most.map_or("\"all\"".to_owned(), |most| most.to_string());
    let tokens = tokens
        .map(|tokens| format!(", tokens = {tokens}"))
        .unwrap_or_default();
    format!("{{ turns = {most}{tokens} }}")
}

fn table(amounts: impl Iterator<Item = Amount>) -> String {
    let parts = amounts.map(|amount| match amount {
        Amount::Tokens(number) => format!("tokens = {number}"),
        Amount::Messages(number) => format!("messages = {number}"),
        Amount::Fraction(number) => format!("fraction = {}", Value::Float(number)),
        Amount::Overflow => "overflow = true".to_owned(),
    });
    format!("{{ {} }}", parts.collect::<Vec<_>>().join(", "))
}
