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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_target_says_what_the_base_of_the_rows_leaves_open() {
        for target in DATASET_TARGETS {
            let texts = [target.name, target.about, target.advice];
            assert!(texts.iter().all(|text| !text.is_empty()), "{texts:?}");
            assert!(!(target.features)().is_empty(), "{}", target.name);
        }
    }
}
