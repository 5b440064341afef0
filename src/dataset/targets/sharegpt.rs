//! ShareGPT conversations, as LLaMA-Factory and others read them.

use crate::dataset::features::Feature;
use crate::dataset::target::{CHAT, DatasetTarget};
use crate::dataset::targets::converted::write_converted_row;

/// ShareGPT conversations.
pub(super) static SHARE_GPT: DatasetTarget = DatasetTarget {
    name: "sharegpt",
    about: "as LLaMA-Factory reads it, all answers trained on",
    advice: "For LLaMA-Factory; `dataset_info.json` describes each file. All answers are trained on, also those that are repeated as context; with `--per-call` and `mask_history: true` each is trained on once.",
    conversion: "sharegpt",
    in_dataset_info: true,
    features: || {
        let turn = vec![Feature::value("from", "string"), Feature::value("value", "string")];
        vec![
            Feature::value("id", "string"),
            Feature::list("conversations", turn),
            Feature::value("system", "string"),
            Feature::value("tools", "string"),
        ]
    },
    write_row: |chat, out| write_converted_row("sharegpt", chat, out),
    ..CHAT
};
