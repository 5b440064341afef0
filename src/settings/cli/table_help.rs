//! Help texts that list the rows of a table.

use crate::dataset::DATASET_TARGETS;
use crate::deciding::tokens::{AUTO, COUNTERS, tokenizer_json};
use crate::summary::SUMMARIZERS;

/// Returns the help of `--counter`.
pub(super) fn counter_help() -> String {
    let counters: Vec<String> =
        COUNTERS.iter().map(|counter| explain_name(counter.name, counter.help)).collect();
    format!(
        "The token counter: {}, {}PATH (a tokenizer.json), or {AUTO} (exact where the model's \
         encoding is known) [default: the preset's]",
        counters.join(", "),
        tokenizer_json::PREFIX
    )
}

/// Returns the help of `--summarizer`.
pub(super) fn summarizer_help() -> String {
    let summarizers: Vec<String> = SUMMARIZERS
        .iter()
        .map(|summarizer| explain_name(summarizer.name, summarizer.help))
        .collect();
    format!("The writer of summaries: {} [default: extract]", summarizers.join(", "))
}

/// Returns the help of `--to` of `dataset`.
pub(super) fn dataset_target_help() -> String {
    let targets: Vec<String> =
        DATASET_TARGETS.iter().map(|target| explain_name(target.name, target.about)).collect();
    format!("The trainer's format: {}", targets.join(", "))
}

fn explain_name(name: &str, help: &str) -> String {
    format!("{name} ({help})")
}
