//! `epitome dataset`: samples for fine-tuning that a trainer takes.

mod results;

use crate::commands::prelude::*;
use crate::dataset::{ColumnUse, DataFileType, Duplicates, RowMaker};
use crate::deciding::tokens::{ChatTemplate, tokenizer_json};
use crate::settings::ModelTokenizer;
use crate::settings::cli::{Columns, DatasetArgs, Dedup, FileType, checked_values::parse_counter};
use anyhow::Error;
use results::{DatasetReceiver, render_dataset};

/// Runs the command. Fails if the options or the inputs are not valid, or if a file can't be
/// written.
pub(crate) fn run(arguments: &DatasetArgs) -> Result<Ending> {
    let tokenizer = ModelTokenizer::of_paths(&arguments.tokenizer)?;
    let policy = policy_arguments(arguments, tokenizer.as_ref())?;
    let mut settings = Settings::from_training_options(&policy)?;
    let output = arguments.output.as_deref();
    let Some(output) = output.filter(|_| !arguments.policy.print_config) else {
        return print_policy(&settings.policy);
    };
    print_section_notes(&settings);
    let run = settings::resolve_run(&arguments.run)?;
    print_found_configs(&settings, &run);
    warn_of_large_keep(&settings, &run);
    refuse_missing_program(&settings.policy.summarizer.kind)?;
    let facts = CardFacts {
        transcripts: 0,
        counter: tokenizer.as_ref().map_or_else(String::new, |files| {
            format!("{} with its chat template", files.tokenizer.display())
        }),
        policy: to_toml_without_prompts(&settings.policy),
        per_call: arguments.per_call,
        max_tokens: reserve_for_answers(&mut settings),
    };
    let now = archive_time()?;
    let template = tokenizer.map(|files| files.read(now)).transpose()?;
    let training = training_options(arguments, facts.max_tokens, template);
    let options = dataset_options(arguments)?;
    let reading = settings::resolve_reading(&arguments.input, &settings.policy.summarizer.kind);
    let inputs = collect_named_inputs(&arguments.input.named(), &[output])?;
    let outputs = [PolicyOutput {
        name: settings.policy.preset.to_owned(),
        tree: output_tree(arguments, output, &inputs)?,
    }];
    let progress = start_progress(&run, &inputs);
    let stop = Arc::new(StopFlag::default());
    let summarizer = build_summarizer(&settings, &stop)?;
    interrupt::listen(&stop)?;
    let policies = [ReplayPolicy { name: outputs[0].name.clone(), settings, summarizer }];
    let work = ReplayWork {
        policies: &policies,
        outputs: &outputs,
        training: Some(&training),
        prices: &Prices::default(),
        now,
        stop: &stop,
    };
    let run_log = RunLog::beside_report(progress, &run);
    let receiver = DatasetReceiver::create(&outputs[0].tree, &options, run_log)?;
    let source = InputSource::new(inputs, reading);
    let receiver = run_batch(source, run.jobs, &work, receiver)?;
    if let Some(cause) = stop.cause() {
        drop(receiver);
        let policy = &policies[0];
        let keeps_answers = keeps_answers(&policy.settings, policy.summarizer.as_deref());
        return explain_early_end(cause, "nothing is written", None, keeps_answers);
    }
    let totals = receiver.publish(facts).map_err(RunError::BrokeOff)?;
    if !run.quiet {
        // The files are there: this is no error of the options.
        print_result(&render_dataset(&totals, table_columns())).map_err(RunError::FinishStdout)?;
    }
    let is_empty = totals.dataset.is_empty() && totals.replay.transcripts > 0;
    if is_empty {
        print_message("no sample was written; dropped.jsonl and report.json say why");
    }
    let objects = is_empty || (arguments.check && totals.dataset.has_drops());
    Ok(Ending::new(totals.replay.failed, run.max_errors, objects))
}

/// Locks and checks the output directory. Without `--force` it must be new or empty, as loaders
/// read every file in it.
fn output_tree(
    arguments: &DatasetArgs,
    output: &Path,
    inputs: &[InputEntry],
) -> Result<OutputTree> {
    let terms = writing_terms("dataset", arguments.force, arguments.lock);
    if !arguments.force {
        let tree = OutputTree::for_new_directory(output, inputs, &terms);
        return tree.map_err(|error| match error.is_of_existing() {
            true => anyhow!("{error} (--force replaces an earlier data set)"),
            false => error.into(),
        });
    }
    let files = DatasetWriter::SIDE_FILES.into_iter().chain([REPORT_FILE]);
    let tree = OutputTree::for_results(output, files.map(PathBuf::from), inputs, &terms)?;
    Ok(tree)
}

/// One part in so many of the token limit is left to the answer of a call.
const ANSWER_SHARE: u64 = 8;

/// Returns the options of the policy. Unless the user names a counter, it counts with the trainer's
/// tokenizer.
fn policy_arguments(
    arguments: &DatasetArgs,
    tokenizer: Option<&ModelTokenizer>,
) -> Result<PolicyArgs> {
    let mut policy = arguments.policy.clone();
    if let (Some(files), None) = (tokenizer, policy.counting.counter) {
        let path = files.tokenizer.display();
        let counter = parse_counter(&format!("{}{path}", tokenizer_json::PREFIX));
        policy.counting.counter = Some(counter.map_err(Error::msg)?);
    }
    Ok(policy)
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
fn dataset_options(arguments: &DatasetArgs) -> Result<DatasetOptions> {
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

fn training_options(
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
fn reserve_for_answers(settings: &mut Settings) -> Option<usize> {
    let limit = settings.policy.overflow.max_tokens;
    if limit == 0 {
        return None;
    }
    settings.policy.overflow.max_tokens = (limit - limit / ANSWER_SHARE).max(1);
    usize::try_from(limit).ok()
}
