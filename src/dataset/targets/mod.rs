//! All targets, a file for each trainer.

mod anthropic;
mod axolotl;
mod converted;
mod llamafactory;
mod openai;
mod sharegpt;
mod trl;

use crate::dataset::target::DatasetTarget;

/// All targets, in the order of the help text.
pub(crate) static DATASET_TARGETS: &[&DatasetTarget] = &[
    &openai::OPENAI,
    &trl::PROMPT_COMPLETION,
    &trl::MESSAGES,
    &axolotl::AXOLOTL,
    &llamafactory::LLAMA_FACTORY,
    &sharegpt::SHARE_GPT,
    &anthropic::ANTHROPIC,
];
