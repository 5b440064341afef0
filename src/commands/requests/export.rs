//! `epitome requests export`: the requests for all summaries, in files that the
//! providers take.

use crate::batch::run_log::Talk;
use crate::batch::{Receive, Turn, Work, run as run_batch};
use crate::cli::ExportArgs;
use crate::commands::{Ending, inputs};
use crate::compaction::question::with_request;
use crate::conversation::{Conversation, Found, place, read_unit};
use crate::input::{InputSource, InputUnit};
use crate::output::{AtomicFile, STDOUT, create_empty_directory};
use crate::planner;
use crate::policy::{Dialect, SummarizerKind};
use crate::progress::Progress;
use crate::report::{ExpectedUsage, ExpectedUsageTotals, RedactionCounts};
use crate::requests::manifest::{INDEX, IndexLine, Manifest, POLICY, RequestFile};
use crate::settings::{self, Settings, to_toml};
use crate::summary::cache::AnswerCache;
use crate::summary::model::{ModelEndpoint, SummaryTask, batch_request_line};
use anyhow::{Context, Result, bail};
use std::collections::HashSet;
use std::io::Write;
use std::path::{Path, PathBuf};

/// What the providers take in one file: requests and bytes. OpenAI's older clients stop at 100 MB (spec: services).
const fn limits(dialect: Dialect) -> (u64, u64) {
    match dialect {
        Dialect::OpenAi => (50_000, 100_000_000),
        Dialect::Anthropic => (100_000, 256_000_000),
    }
}

pub(super) fn run(arguments: &ExportArgs) -> Result<Ending> {
    let mut settings = settings::policy(&arguments.policy)?;
    if let SummarizerKind::Command(_) = settings.policy.summarizer.kind {
        bail!("--summarizer command: only requests to a model can be exported; leave it out");
    }
    settings.policy.summarizer.kind = SummarizerKind::Http;
    let target = settings::keyless(&settings.policy)?;
    let run = settings::run(&arguments.run)?;
    let reading = settings::reading(&arguments.input, &SummarizerKind::Http)?;
    if arguments
        .input
        .inputs
        .iter()
        .any(|input| input.as_os_str() == STDOUT)
    {
        bail!("stdin can't be exported: `requests apply` must read the input again");
    }
    let (most_requests, most_bytes) = limits(target.dialect);
    let (most_requests, most_bytes) = (
        arguments.max_requests.unwrap_or(most_requests),
        arguments.max_bytes.unwrap_or(most_bytes),
    );
    if most_requests == 0 || most_bytes == 0 {
        bail!("--max-requests and --max-bytes must be greater than 0");
    }
    let inputs = inputs(&arguments.input.inputs, &[&arguments.output])?;
    settings::absolute(&mut settings.policy)?;
    let absolute: std::io::Result<Vec<PathBuf>> = arguments
        .input
        .inputs
        .iter()
        .map(std::path::absolute)
        .collect();
    create_empty_directory(&arguments.output)?;
    let manifest = Manifest::new(
        target.dialect,
        &target.model,
        absolute?,
        arguments
            .input
            .format
            .map(|format| format.name().to_owned()),
        arguments.input.max_record_bytes,
    );
    let progress = Progress::new(
        run.progress,
        run.quiet,
        inputs.iter().map(|input| input.bytes).sum(),
    );
    let work = Exporting {
        settings: &settings,
        cache: target.cache.as_deref().map(AnswerCache::existing),
        target: &target,
    };
    let shards = Shards::new(
        &arguments.output,
        manifest,
        most_requests,
        most_bytes,
        Talk::of_all(progress, run.quiet),
    )?;
    let shards = run_batch(InputSource::new(inputs, reading), run.jobs, &work, shards)?;
    let told = shards.finish(&to_toml(&settings.policy), &target)?;
    if !run.quiet {
        crate::output::print_message(&told.0);
    }
    Ok(Ending::new(told.1, run.max_errors, false))
}

struct Exporting<'s> {
    settings: &'s Settings,
    target: &'s ModelEndpoint,
    cache: Option<AnswerCache>,
}

/// What one unit asks.
#[derive(Default)]
struct Asks {
    requests: Vec<Ask>,
    errors: Vec<String>,
    transcripts: u64,
}

struct Ask {
    expected: ExpectedUsage,
    line: String,
    redacted: u64,
    place: (String, String, u64),
}

impl Work for Exporting<'_> {
    type Done = Asks;

    fn read<'u>(&self, unit: &'u InputUnit) -> Vec<Found<'u>> {
        read_unit(unit, self.settings)
    }

    fn finish(&self, unit: &InputUnit, found: Vec<Found<'_>>, _: &mut Turn<'_>) -> Asks {
        let mut asks = Asks::default();
        let file = &unit.file.name;
        for one in found {
            match one {
                Found::Bad {
                    line,
                    column,
                    error,
                } => asks
                    .errors
                    .push(format!("{}: {error}", place(file, line, column))),
                Found::Conversation(one) => {
                    asks.transcripts += 1;
                    match one.guarded(|| self.ask(file, &one)) {
                        Ok(ask) => asks.requests.extend(ask),
                        Err(error) => asks.errors.push(format!("{file}:{}: {error}", one.line())),
                    }
                }
            }
        }
        asks
    }
}

impl Exporting<'_> {
    fn ask(&self, file: &str, one: &Conversation<'_>) -> Result<Option<Ask>, String> {
        let ledger = one.ledger(
            self.settings
                .counter(one.model.as_deref(), one.provider.as_deref()),
        );
        let input = one.planning(self.settings, &ledger)?;
        let plan = planner::plan(&input);
        if plan.summary().is_none() {
            return Ok(None);
        }
        let mut redacted: Option<RedactionCounts> = None;
        let task = with_request(
            one,
            &input,
            &plan,
            self.settings,
            &mut redacted,
            |request| SummaryTask::new(self.target, request),
        );
        let expected = task.expected(self.target, self.cache.as_ref());
        let line = batch_request_line(
            &expected.id,
            &task.question,
            self.target.dialect,
            self.target.spelling(),
        );
        let place = (one.thread_id.clone(), file.to_owned(), one.line());
        Ok(Some(Ask {
            expected,
            line,
            redacted: redacted.unwrap_or_default().request,
            place,
        }))
    }
}

/// Takes requests in input order and deals them out to files.
struct Shards {
    directory: PathBuf,
    manifest: Manifest,
    most_requests: u64,
    most_bytes: u64,
    open: Option<(AtomicFile, RequestFile)>,
    index: AtomicFile,
    /// Requests that are in a file: the same one is asked once.
    written: HashSet<String>,
    expected: ExpectedUsageTotals,
    redacted: u64,
    talk: Talk,
}

impl Shards {
    fn new(
        directory: &Path,
        manifest: Manifest,
        most_requests: u64,
        most_bytes: u64,
        talk: Talk,
    ) -> Result<Self> {
        Ok(Self {
            directory: directory.to_path_buf(),
            manifest,
            most_requests,
            most_bytes,
            open: None,
            index: AtomicFile::create(&directory.join(INDEX))?,
            written: HashSet::new(),
            expected: ExpectedUsageTotals::default(),
            redacted: 0,
            talk,
        })
    }

    /// What stands before the first request, between two, and behind the last.
    fn frame(&self) -> [&'static str; 3] {
        match self.manifest.dialect {
            Dialect::OpenAi => ["", "\n", "\n"],
            Dialect::Anthropic => ["{\"requests\": [\n", ",\n", "\n]}\n"],
        }
    }

    fn add(&mut self, ask: &Ask) -> Result<()> {
        self.expected.summaries += 1;
        if ask.expected.cache_hit || self.written.contains(&ask.expected.id) {
            return Ok(());
        }
        let [first, between, last] = self.frame();
        let alone = (first.len() + ask.line.len() + last.len()) as u64;
        let (thread_id, file, line) = ask.place.clone();
        if alone > self.most_bytes {
            self.talk.error(&format!("{file}:{line}: its request has {alone} bytes, more than one file may have (--max-bytes {})", self.most_bytes));
            return Ok(());
        }
        let more = (between.len() + ask.line.len()) as u64;
        let full = |file: &RequestFile| {
            file.requests >= self.most_requests
                || file.bytes + more + last.len() as u64 > self.most_bytes
        };
        if self.open.as_ref().is_some_and(|(_, file)| full(file)) {
            self.close()?;
        }
        let (writer, shard) = match &mut self.open {
            Some(open) => {
                open.0.write_all(between.as_bytes())?;
                open.1.bytes += between.len() as u64;
                open
            }
            empty => {
                let ending = if self.manifest.dialect == Dialect::OpenAi {
                    "jsonl"
                } else {
                    "json"
                };
                let name = format!("requests-{:04}.{ending}", self.manifest.files.len() + 1);
                let mut writer = AtomicFile::create(&self.directory.join(&name))?;
                writer.write_all(first.as_bytes())?;
                empty.insert((
                    writer,
                    RequestFile {
                        name,
                        requests: 0,
                        bytes: first.len() as u64,
                    },
                ))
            }
        };
        writer.write_all(ask.line.as_bytes())?;
        shard.requests += 1;
        shard.bytes += ask.line.len() as u64;
        let custom_id = ask.expected.id.clone();
        let request_file = shard.name.clone();
        let index = IndexLine {
            custom_id: custom_id.clone(),
            request_file,
            thread_id,
            file,
            line,
            input_tokens: ask.expected.input_tokens,
        };
        writeln!(self.index, "{}", serde_json::to_string(&index)?)?;
        self.written.insert(custom_id);
        self.redacted += ask.redacted;
        self.expected.calls += 1;
        self.expected.input_tokens += ask.expected.input_tokens;
        self.expected.output_tokens += ask.expected.output_tokens;
        Ok(())
    }

    fn close(&mut self) -> Result<()> {
        let [_, _, last] = self.frame();
        if let Some((mut writer, mut file)) = self.open.take() {
            writer.write_all(last.as_bytes())?;
            file.bytes += last.len() as u64;
            writer.publish()?;
            self.manifest.files.push(file);
        }
        Ok(())
    }

    /// Ends the files; what to tell, and how many inputs failed. The manifest comes last: without it the directory is no export.
    fn finish(mut self, policy: &str, target: &ModelEndpoint) -> Result<(String, u64)> {
        self.talk.finish();
        self.close()?;
        self.index.publish()?;
        let mut file = AtomicFile::create(&self.directory.join(POLICY))?;
        file.write_all(policy.as_bytes())?;
        file.publish()?;
        self.manifest.write(&self.directory)?;
        // Both providers ask half the price for batches.
        self.expected.cost = target
            .price
            .map(|price| price.of(self.expected.input_tokens, self.expected.output_tokens) / 2.0);
        let files = self.manifest.files.len();
        let mut told = format!(
            "{files} files in {}\n{}",
            self.directory.display(),
            self.expected.summary_line(&target.model, None, None)
        );
        if self.redacted > 0 {
            told.push_str(&format!("\nsecrets masked in requests: {}", self.redacted));
        }
        Ok((told, self.talk.errors))
    }
}

impl Receive<Asks> for Shards {
    fn receive(&mut self, _: &InputUnit, done: Asks) -> Result<()> {
        self.talk.done(done.transcripts);
        done.errors.iter().for_each(|error| self.talk.error(error));
        done.requests
            .iter()
            .try_for_each(|ask| self.add(ask))
            .with_context(|| format!("can't write to {}", self.directory.display()))
    }

    fn failed(&mut self, _: usize, name: &str, error: &anyhow::Error) -> Result<()> {
        self.talk.failed(name, error);
        Ok(())
    }

    fn progress(&mut self, bytes: u64) {
        self.talk.read(bytes);
    }
}
