//! The run of `epitome dataset`: from its arguments to the files and the table.

use super::options::{
    counter_of_card, dataset_options, policy_arguments, reserve_for_answers, training_options,
};
use super::receiver::DatasetReceiver;
use super::table::render_dataset;
use crate::base::stop_flag::StopFlag;
use crate::commands::ending::explain_early_end;
use crate::commands::reports::archive_time;
use crate::commands::summarizers::{build_summarizer, keeps_answers, refuse_missing_program};
use crate::commands::terminal_width::table_columns;
use crate::commands::writing_terms::writing_terms;
use crate::commands::{
    Ending, collect_named_inputs, interrupt, print_found_configs, print_policy,
    print_section_notes, start_progress, warn_of_large_keep,
};
use crate::dataset::{CardFacts, DatasetWriter};
use crate::deciding::model::Prices;
use crate::files::archive::REPORT_FILE;
use crate::files::input::{InputEntry, InputSource};
use crate::files::output::{OutputTree, print_message, print_result};
use crate::measuring::replay::receiver::PolicyOutput;
use crate::measuring::replay::work::{ReplayPolicy, ReplayWork};
use crate::running::batch::run_log::RunLog;
use crate::running::batch::{RunError, run_batch};
use crate::settings::cli::DatasetArgs;
use crate::settings::{self, ModelTokenizer, Settings, to_toml_without_prompts};
use anyhow::{Context, Result};
use std::path::{Path, PathBuf};
use std::sync::Arc;

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
        counter: counter_of_card(tokenizer.as_ref()),
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
        let signal = explain_early_end(cause, "nothing is written", None, keeps_answers)?;
        return Ok(Ending::signalled(signal));
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
        return tree.context("can't write the data set (--force replaces an earlier one)");
    }
    let files = DatasetWriter::side_files().into_iter().chain([REPORT_FILE]);
    let tree = OutputTree::for_results(output, files.map(PathBuf::from), inputs, &terms)?;
    Ok(tree)
}
