//! The run of `epitome replay`: from its arguments to the result files and the table.

use crate::base::stop_flag::StopFlag;
use crate::commands::ending::explain_early_end;
use crate::commands::replay::options::{read_policies, read_prices, read_training_options};
use crate::commands::reports::archive_time;
use crate::commands::summarizers::{build_summarizer, keeps_answers, refuse_missing_program};
use crate::commands::terminal_width::table_columns;
use crate::commands::writing_terms::writing_terms;
use crate::commands::{
    Ending, collect_named_inputs, interrupt, print_found_configs, start_progress,
};
use crate::deciding::policy::SummarizerKind;
use crate::files::archive::REPORT_FILE;
use crate::files::input::{InputEntry, InputSource};
use crate::files::output::{OutputTree, WritingTerms, print_result, resolve_path};
use crate::measuring::replay::receiver::{
    CALLS_FILE, LONG_SAMPLES_FILE, PolicyOutput, ReplayReceiver, SAMPLES_FILE,
};
use crate::measuring::replay::table::render_policies;
use crate::measuring::replay::thread_report::ReplayTotals;
use crate::measuring::replay::work::{ReplayPolicy, ReplayWork};
use crate::running::batch::run_log::RunLog;
use crate::running::batch::{RunError, run_batch};
use crate::settings::cli::ReplayArgs;
use crate::settings::{self, to_toml};
use crate::summary::summarizer_entry;
use anyhow::Result;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Runs the command. Fails if the options or the inputs are not valid, or if a file can't be
/// written.
pub(crate) fn run(arguments: &ReplayArgs) -> Result<Ending> {
    let mut policies = read_policies(arguments)?;
    let output = arguments.output.as_deref();
    let Some(output) = output.filter(|_| !arguments.policy.print_config) else {
        print_policies(&policies, !arguments.policies.is_empty())?;
        return Ok(Ending::success());
    };
    let run = settings::resolve_run(&arguments.run)?;
    if let [policy] = &policies[..] {
        print_found_configs(&policy.settings, &run);
    }
    for policy in &policies {
        refuse_missing_program(&policy.settings.policy.summarizer.kind)?;
    }
    let reading = settings::resolve_reading(&arguments.input, slowest_summarizer(&policies));
    let training = read_training_options(arguments)?;
    let prices = read_prices(arguments.prices.as_deref())?;
    let now = archive_time()?;
    let inputs = collect_named_inputs(&arguments.input.named(), &[output])?;
    let outputs = policy_outputs(
        &policies,
        output,
        &inputs,
        training.is_some(),
        &writing_terms("replay", arguments.force, arguments.lock),
    )?;
    let progress = start_progress(&run, &inputs);
    let stop = Arc::new(StopFlag::default());
    for policy in &mut policies {
        policy.summarizer = build_summarizer(&policy.settings, &stop)?;
    }
    interrupt::listen(&stop)?;
    let run_log = RunLog::beside_report(progress, &run);
    let receiver = ReplayReceiver::create(&outputs, training.is_some(), run_log)?;
    let work = ReplayWork {
        policies: &policies,
        outputs: &outputs,
        training: training.as_ref(),
        prices: &prices,
        now,
        stop: &stop,
    };
    let source = InputSource::new(inputs, reading);
    let receiver = run_batch(source, run.jobs, &work, receiver)?;
    if let Some(cause) = stop.cause() {
        drop(receiver);
        let keeps_answers = policies
            .iter()
            .any(|policy| keeps_answers(&policy.settings, policy.summarizer.as_deref()));
        let (written, option) = ("nothing is written", Some("--force"));
        let signal = explain_early_end(cause, written, option, keeps_answers)?;
        return Ok(Ending::signalled(signal));
    }
    let totals = receiver.publish().map_err(RunError::BrokeOff)?;
    if !run.quiet {
        // The files are written: this is not an error of the options.
        print_result(&render_policies(&totals, table_columns())).map_err(RunError::FinishStdout)?;
    }
    let failed = totals.iter().map(|(_, totals)| totals.failed).sum();
    let objects = exceeds_a_limit(&totals, arguments.check);
    Ok(Ending::new(failed, run.max_errors, objects))
}

/// Prints the resolved policies as TOML, each below its name if `named`.
fn print_policies(policies: &[ReplayPolicy], named: bool) -> Result<()> {
    for (place, policy) in policies.iter().enumerate() {
        let title = if named {
            format!("{}# {}\n", if place > 0 { "\n" } else { "" }, policy.name)
        } else {
            String::new()
        };
        print_result(&(title + &to_toml(&policy.settings.policy)))?;
    }
    Ok(())
}

/// Returns the summarizer of the first policy that uses a program or a server: then conversations
/// are read one at a time.
fn slowest_summarizer(policies: &[ReplayPolicy]) -> &SummarizerKind {
    policies
        .iter()
        .map(|policy| &policy.settings.policy.summarizer.kind)
        .find(|kind| summarizer_entry(kind).is_external)
        .unwrap_or(&SummarizerKind::None)
}

/// Locks and checks the output directories: `output` itself for a single policy, or a directory in
/// it for each.
fn policy_outputs(
    policies: &[ReplayPolicy],
    output: &Path,
    inputs: &[InputEntry],
    has_samples: bool,
    terms: &WritingTerms,
) -> Result<Vec<PolicyOutput>> {
    let mut files = vec![CALLS_FILE];
    if has_samples {
        files.extend([SAMPLES_FILE, LONG_SAMPLES_FILE]);
    }
    files.push(REPORT_FILE);
    let directory = |policy: &ReplayPolicy| match policies {
        [_] => output.to_owned(),
        _ => output.join(&policy.name),
    };
    let mut in_lock_order: Vec<(usize, PathBuf)> =
        policies.iter().map(directory).enumerate().collect();
    // Two runs that lock several directories in the same order never wait for each other.
    in_lock_order.sort_by_cached_key(|(_, directory)| resolve_path(directory));
    let mut outputs = BTreeMap::new();
    for (place, directory) in in_lock_order {
        let files = files.iter().map(PathBuf::from);
        let policy_output = PolicyOutput {
            name: policies[place].name.clone(),
            tree: OutputTree::for_results(&directory, files, inputs, terms)?,
        };
        outputs.insert(place, policy_output);
    }
    Ok(outputs.into_values().collect())
}

/// Returns true if a sample is too long or, with `--check`, a call was refused.
fn exceeds_a_limit(totals: &[(String, ReplayTotals)], check: bool) -> bool {
    totals
        .iter()
        .any(|(_, totals)| totals.samples_too_long > 0 || (check && totals.refused_calls > 0))
}
