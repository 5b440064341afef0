//! The data set card, whose YAML head tells loaders the splits and columns, and LLaMA-Factory's
//! description of the files.

use crate::dataset::columns::ColumnTypes;
use crate::dataset::drops::DROPPED_FILE;
use crate::dataset::options::DatasetOptions;
use crate::dataset::sums::{DATA_FOLDER, DatasetSums};
use crate::dataset::target::write_yaml;
use crate::reporting::report::numbers::{count_nouns, group_count};
use serde_json::{Map, json};
use std::fmt::Write;

/// The facts of the run that the card tells.
pub(crate) struct CardFacts {
    /// The number of transcripts read.
    pub(crate) transcripts: u64,
    pub(crate) counter: String,
    /// The token limit of a sample.
    pub(crate) max_tokens: Option<usize>,
    /// The resolved policy as TOML.
    pub(crate) policy: String,
    /// True if each model call is a sample.
    pub(crate) per_call: bool,
}

/// Returns the data set card.
pub(super) fn render_card(
    options: &DatasetOptions,
    sums: &DatasetSums,
    columns: &ColumnTypes,
    facts: &CardFacts,
) -> String {
    let mut card = render_head(options, sums, columns);
    let target = options.target;
    let kind = if facts.per_call {
        "model call"
    } else {
        "stretch of model calls between two compactions"
    };
    let limit = facts.max_tokens.map_or_else(String::new, |limit| {
        format!(" No sample has more than {} tokens.", group_count(limit as u64))
    });
    let _ = write!(
        card,
        "\n# Samples of {}\n\nMade by [epitome](https://crates.io/crates/epitome) {} for the target `{}`: a sample for each {kind}. \
         Tokens are counted by `{}`.{limit}\n\n{}\n\n",
        count_nouns(facts.transcripts, "transcript"),
        env!("CARGO_PKG_VERSION"),
        target.name,
        facts.counter,
        target.advice
    );
    card.push_str("| split | samples | answers trained on | messages | tokens | longest |\n|---|--:|--:|--:|--:|--:|\n");
    for split in &sums.splits {
        let _ = writeln!(
            card,
            "| {} | {} | {} | {} | {} | {} |",
            split.split,
            group_count(split.samples),
            group_count(split.answers),
            group_count(split.messages),
            group_count(split.tokens),
            group_count(split.longest as u64)
        );
    }
    if sums.has_drops() {
        let _ = write!(
            card,
            "\n## What is not in the data\n\n`{DROPPED_FILE}` has a line for each.\n\n"
        );
        for (reason, times) in &sums.dropped {
            let _ = writeln!(
                card,
                "- {}, `{}`: {}.",
                count_nouns(*times, reason.noun()),
                reason,
                reason.explanation()
            );
        }
        if sums.shortened > 0 {
            let _ = writeln!(
                card,
                "- The last answers of {}, which did not fit.",
                count_nouns(sums.shortened, "sample")
            );
        }
    }
    let _ = write!(card, "\n## Policy\n\n```toml\n{}```\n", facts.policy);
    card
}

fn render_head(options: &DatasetOptions, sums: &DatasetSums, columns: &ColumnTypes) -> String {
    let mut head = String::from("---\n# The license of the logs: fill it in.\nlicense: unknown\n");
    let filled = || sums.splits.iter().filter(|split| split.samples > 0);
    if filled().next().is_none() {
        // There is nothing to load.
        head.push_str("---\n");
        return head;
    }
    head.push_str("configs:\n- config_name: default\n  data_files:\n");
    for split in filled() {
        let name = &split.split;
        let _ = writeln!(
            head,
            "  - split: {name}\n    path: {DATA_FOLDER}/{name}-*.{}",
            options.file_type.extension()
        );
    }
    head.push_str("dataset_info:\n- config_name: default\n  features:\n");
    write_yaml(&(options.target.features)(), 2, &mut head);
    write_yaml(&columns.features(), 2, &mut head);
    head.push_str("  splits:\n");
    for split in filled() {
        let _ = writeln!(
            head,
            "  - name: {}\n    num_bytes: {}\n    num_examples: {}",
            split.split, split.bytes, split.samples
        );
    }
    head.push_str("---\n");
    head
}

/// Returns LLaMA-Factory's description: an entry for each file.
pub(super) fn render_dataset_info(sums: &DatasetSums) -> String {
    let mut entries = Map::new();
    for split in &sums.splits {
        for (number, file) in split.files.iter().enumerate() {
            let name = match split.files.len() {
                1 => split.split.clone(),
                _ => format!("{}_{number:05}", split.split),
            };
            let entry = json!({
                "file_name": file,
                "formatting": "sharegpt",
                "columns": {"messages": "conversations", "system": "system", "tools": "tools"},
            });
            entries.insert(name, entry);
        }
    }
    let text = serde_json::to_string_pretty(&entries).unwrap_or_default();
    text + "\n"
}
