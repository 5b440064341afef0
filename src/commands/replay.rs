//! `epitome replay`: the model calls that the live agent would have made under one
//! or more policies, and training data made of them.

use crate::commands::prelude::*;
use crate::files::output::resolve_path;
use crate::measuring::replay::receiver::{
    CALLS_FILE, LONG_SAMPLES_FILE, ReplayReceiver, SAMPLES_FILE,
};
use crate::measuring::replay::table::render_policies;
use crate::settings::cli::ReplayArgs;

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
        return explain_early_end(cause, written, option, keeps_answers);
    }
    let totals = receiver.publish().map_err(RunError::BrokeOff)?;
    if !run.quiet {
        // The files are written: this is not an error of the options.
        print_result(&render_policies(&totals, table_columns())).map_err(RunError::FinishStdout)?;
    }
    let failed = totals.iter().map(|(_, totals)| totals.failed).sum();
    let objects = totals.iter().any(|(_, totals)| {
        totals.samples_too_long > 0 || (arguments.check && totals.refused_calls > 0)
    });
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

/// The name of a single policy that comes from a file.
const UNNAMED: &str = "policy";

/// The keys of chat messages, which `--train-key` can't use.
const MESSAGE_KEYS: [&str; 6] =
    ["role", "content", "tool_calls", "tool_call_id", "name", "function_call"];

/// Returns the policies to replay under, in the order of the command line.
fn read_policies(arguments: &ReplayArgs) -> Result<Vec<ReplayPolicy>> {
    if arguments.policies.is_empty() {
        return Ok(vec![read_policy(None, &arguments.policy)?]);
    }
    let mut policies: Vec<ReplayPolicy> = Vec::new();
    for text in &arguments.policies {
        let mut policy_arguments = arguments.policy.clone();
        // Policies that are named are compared as they are.
        policy_arguments.counting.no_config = true;
        let name = match text.split_once('=') {
            Some((name, file)) => {
                policy_arguments.counting.config = Some(PathBuf::from(file));
                name
            }
            None => {
                let preset = PRESETS.iter().find(|preset| preset.name == text);
                policy_arguments.preset = Some(preset.with_context(|| {
                    let presets: Vec<&str> = PRESETS.iter().map(|preset| preset.name).collect();
                    format!(
                        "--policy {text}: neither NAME=FILE nor a preset ({})",
                        presets.join(", ")
                    )
                })?);
                text
            }
        };
        let is_safe = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-');
        if name.is_empty() || name.starts_with('.') || !name.chars().all(is_safe) {
            bail!(
                "--policy {text}: the name becomes a directory; use letters, digits, '.', '_' and '-'"
            );
        }
        if policies.iter().any(|policy| policy.name.eq_ignore_ascii_case(name)) {
            bail!(
                "--policy {text}: there is another policy {name}; give one of them another name, NAME=FILE"
            );
        }
        policies.push(read_policy(Some(name), &policy_arguments)?);
    }
    Ok(policies)
}

/// Resolves a policy. Without a name it is named after its preset.
fn read_policy(name: Option<&str>, arguments: &PolicyArgs) -> Result<ReplayPolicy> {
    let settings = Settings::from_options(arguments);
    let settings = match name {
        Some(name) => settings.with_context(|| format!("--policy {name}"))?,
        None => settings?,
    };
    if !arguments.print_config {
        print_section_notes(&settings);
    }
    let name = name
        .or(arguments.preset.map(|preset| preset.name))
        .or(arguments.counting.config.as_ref().map(|_| UNNAMED))
        .unwrap_or(settings.policy.preset)
        .to_owned();
    Ok(ReplayPolicy { name, settings, summarizer: None })
}

/// Returns the options of training samples, or None if no samples are asked for.
fn read_training_options(arguments: &ReplayArgs) -> Result<Option<TrainingOptions>> {
    if !(arguments.segments || arguments.per_call) {
        if arguments.train_key.is_some() {
            bail!("--train-key is about training data: give --segments or --per-call, too");
        }
        return Ok(None);
    }
    if let Some(key) = arguments.train_key.as_deref()
        && (key.is_empty() || MESSAGE_KEYS.contains(&key))
    {
        bail!("--train-key {key:?}: messages use that key for something else");
    }
    Ok(Some(TrainingOptions {
        per_call: arguments.per_call,
        key: arguments.train_key.clone(),
        max_tokens: arguments.policy.max_tokens.and_then(|tokens| usize::try_from(tokens).ok()),
        rows: None,
    }))
}

/// Reads a file of prices, or returns the known prices without one.
fn read_prices(path: Option<&Path>) -> Result<Prices> {
    let Some(path) = path else {
        return Ok(Prices::default());
    };
    let text = settings::read_text(path)?;
    Prices::parse(&text).map_err(|error| anyhow::anyhow!("--prices {}: {error}", path.display()))
}
