//! All targets, a file for each kind of rows.

mod converted;
mod messages;

use crate::dataset::target::DatasetTarget;

/// All targets, in the order of the help text.
pub(crate) static DATASET_TARGETS: &[&DatasetTarget] = &[
    &messages::OPENAI,
    &messages::PROMPT_COMPLETION,
    &messages::MESSAGES,
    &messages::AXOLOTL,
    &messages::LLAMA_FACTORY,
    &converted::SHARE_GPT,
    &converted::ANTHROPIC,
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
