//! Converts transcripts of any format to chat transcripts of another.
//!
//! A target is a file and a line in [`TARGETS`]. It gets turns, and knows no
//! source format. Values that a target can't express are listed in the report:
//! blocks that it refuses, and everything in a record that was not converted
//! (`unconverted`).

mod anthropic;
mod block;
mod call_ids;
pub(crate) mod chat;
mod conversion;
mod converted_values;
pub(crate) mod escaped_text;
pub(crate) mod json_output;
mod langchain;
pub(crate) mod masked_json;
pub(crate) mod notes;
mod open_calls;
pub(crate) mod openai;
mod pairs;
mod prelude;
mod record_fields;
mod shape;
mod sharegpt;
mod tags;
mod target;
pub(crate) mod tools;
mod turn_reader;
mod unconverted;

pub(crate) use conversion::Conversion;
pub(crate) use target::{ConversionSource, ConversionTarget, MergeRule};

/// All targets, in the order of the help text.
pub(crate) static TARGETS: &[&ConversionTarget] = &[
    &openai::OPENAI_TARGET,
    &anthropic::ANTHROPIC_TARGET,
    &sharegpt::SHAREGPT_TARGET,
    &langchain::LANGCHAIN_TARGET,
];

pub(crate) fn target_by_name(name: &str) -> Option<&'static ConversionTarget> {
    TARGETS.iter().copied().find(|target| target.name == name)
}
