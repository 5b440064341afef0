//! The options of `epitome dataset`, resolved.

use crate::dataset::{ColumnUse, DataFileType, DatasetOptions, Duplicates, RowMaker};
use crate::deciding::tokens::{ChatTemplate, tokenizer_json};
use crate::measuring::replay::training::TrainingOptions;
use crate::settings::cli::checked_values::parse_counter;
use crate::settings::cli::{Columns, DatasetArgs, Dedup, FileType, PolicyArgs};
use crate::settings::{ModelTokenizer, Settings};
use anyhow::Result;

/// One part in so many of the token limit is left to the answer of a call.
const ANSWER_SHARE: u64 = 8;

/// Returns the options of the policy. Unless the user names a counter, it counts with the trainer's
/// tokenizer.
pub(super) fn policy_arguments(
    arguments: &DatasetArgs,
    tokenizer: Option<&ModelTokenizer>,
) -> Result<PolicyArgs> {
    let mut policy = arguments.policy.clone();
    if let (Some(files), None) = (tokenizer, policy.counting.counter) {
        let path = files.tokenizer.display();
        policy.counting.counter =
            Some(parse_counter(&format!("{}{path}", tokenizer_json::PREFIX))?);
    }
    Ok(policy)
}

/// Returns the name of what counts the samples, where it is not the policy's counter.
pub(super) fn counter_of_card(tokenizer: Option<&ModelTokenizer>) -> String {
    tokenizer.map_or_else(String::new, |files| {
        format!("{} with its chat template", files.tokenizer.display())
    })
}

/// Returns the type of the files, if this program writes it.
fn data_file_type(file_type: FileType) -> Result<DataFileType> {
    match file_type {
        FileType::Jsonl => Ok(DataFileType::JsonLines),
        #[cfg(feature = "parquet")]
        FileType::Parquet => Ok(DataFileType::Parquet),
        #[cfg(not(feature = "parquet"))]
        FileType::Parquet => Err(anyhow::anyhow!(
            "--file-type: this epitome was built without Parquet; the wheel and the archives of a release have it, as does: cargo install --locked --features full --path ."
        )),
    }
}

/// Returns the options of the data set.
pub(super) fn dataset_options(arguments: &DatasetArgs) -> Result<DatasetOptions> {
    Ok(DatasetOptions {
        target: arguments.to,
        splits: arguments.split.clone().unwrap_or_default(),
        shard_bytes: arguments.shard_size,
        shuffle: arguments.shuffle,
        duplicates: match arguments.dedup {
            None => Duplicates::Kept,
            Some(Dedup::Exact) => Duplicates::ExactDropped,
            Some(Dedup::Near) => Duplicates::NearDropped,
        },
        file_type: data_file_type(arguments.file_type)?,
    })
}

/// Returns the options of the samples.
pub(super) fn training_options(
    arguments: &DatasetArgs,
    max_tokens: Option<usize>,
    template: Option<ChatTemplate>,
) -> TrainingOptions {
    TrainingOptions {
        per_call: arguments.per_call,
        key: arguments.train_key.clone(),
        max_tokens: None,
        rows: Some(RowMaker {
            target: arguments.to,
            max_tokens,
            template,
            columns: match arguments.columns {
                Some(Columns::Keep) => ColumnUse::Kept,
                Some(Columns::Drop) => ColumnUse::Dropped,
                None if arguments.to.takes_columns => ColumnUse::Kept,
                None => ColumnUse::LeftOut,
            },
            sketches: arguments.dedup == Some(Dedup::Near),
        }),
    }
}

/// Returns the token limit of a sample, and lets each call shrink to a little less: a sample ends
/// with the answer to a call, which must fit, too.
pub(super) fn reserve_for_answers(settings: &mut Settings) -> Option<usize> {
    let limit = settings.policy.overflow.max_tokens;
    if limit == 0 {
        return None;
    }
    settings.policy.overflow.max_tokens = (limit - limit / ANSWER_SHARE).max(1);
    usize::try_from(limit).ok()
}
