//! `epitome requests export`: the requests for all summaries, in files that the
//! providers take.

use crate::commands::prelude::*;
use crate::running::requests::manifest::VERSION;
use crate::running::requests::shards::{ExportedRequest, FileLimits, RequestShards};
use crate::settings::cli::ExportArgs;
use crate::summary::model::batch_request_line;

pub(super) fn run(arguments: &ExportArgs) -> Result<Ending> {
    let mut settings = Settings::from_options(&arguments.policy)?;
    if let SummarizerKind::Command(_) = settings.policy.summarizer.kind {
        bail!("--summarizer command: only requests to a model can be exported; leave it out");
    }
    settings.policy.summarizer.kind = SummarizerKind::Http;
    let endpoint = settings::keyless_endpoint(&settings.policy)?;
    let run = settings::resolve_run(&arguments.run)?;
    print_found_configs(&settings, &run);
    let reading = settings::resolve_reading(&arguments.input, &SummarizerKind::Http);
    let named = &arguments.input.inputs;
    if named.iter().any(|input| input.as_os_str() == STDOUT) {
        bail!("stdin can't be exported: `requests apply` must read the input again");
    }
    let limits = file_limits(arguments, &endpoint)?;
    let inputs = collect_named_inputs(&arguments.input.named(), &[&arguments.output])?;
    settings::make_paths_absolute(&mut settings.policy)?;
    let absolute: io::Result<Vec<PathBuf>> = named.iter().map(std::path::absolute).collect();
    let terms = writing_terms("requests export", false, arguments.lock);
    let tree = OutputTree::for_new_directory(&arguments.output, &inputs, &terms)?;
    let manifest = Manifest {
        version: VERSION,
        tool: concat!("epitome ", env!("CARGO_PKG_VERSION")).to_owned(),
        dialect: endpoint.dialect,
        model: endpoint.model.clone(),
        inputs: absolute?,
        format: arguments.input.format.map(|format| format.name().to_owned()),
        max_record_bytes: reading.limits.max_record_bytes,
        paths: arguments.input.path_rules(),
        files: Vec::new(),
        seal: None,
    };
    let work = Exporting {
        settings: &settings,
        cache: endpoint.cache.as_deref().map(AnswerCache::existing),
        endpoint: &endpoint,
    };
    let mut shards = RequestShards::create(&arguments.output, tree, manifest, limits)?;
    let receiver = FindingsReceiver {
        log: RunLog::complete(start_progress(&run, &inputs), &run),
        take: |log: &mut RunLog, _: &InputUnit, requests: Vec<ExportedRequest>| {
            for request in requests {
                let pushed = shards.push(request);
                let refusal = pushed.map_err(|source| WriteError::Requests {
                    directory: arguments.output.clone(),
                    source: Box::new(source),
                })?;
                if let Some(too_long) = refusal {
                    log.error(&too_long);
                }
            }
            Ok(())
        },
    };
    let source = InputSource::new(inputs, reading);
    let log = run_batch(source, run.jobs, &work, receiver)?.log;
    log.finish();
    let result =
        shards.finish(&to_toml(&settings.policy), &endpoint).map_err(RunError::BrokeOff)?;
    if !run.quiet {
        print_lines(&result);
    }
    Ok(Ending::new(log.errors, run.max_errors, false))
}

fn file_limits(arguments: &ExportArgs, endpoint: &ModelEndpoint) -> Result<FileLimits> {
    let provider = FileLimits::of_provider(endpoint.dialect);
    let limits = FileLimits {
        requests: arguments.max_requests.unwrap_or(provider.requests),
        bytes: arguments.shard_size.unwrap_or(provider.bytes),
    };
    if limits.requests == 0 {
        bail!("--max-requests must be greater than 0");
    }
    Ok(limits)
}

struct Exporting<'s> {
    settings: &'s Settings,
    endpoint: &'s ModelEndpoint,
    cache: Option<AnswerCache>,
}

impl UnitWork for Exporting<'_> {
    type Output = UnitFindings<ExportedRequest>;

    fn read_records<'u>(&self, unit: &'u InputUnit) -> Vec<UnitRecord<'u>> {
        read_unit(unit, self.settings)
    }

    fn finish_unit(
        &self,
        unit: &InputUnit,
        records: Vec<UnitRecord<'_>>,
        _: &mut WorkerSlot<'_>,
    ) -> Self::Output {
        UnitFindings::collect(records, |conversation| self.request(&unit.file.name, conversation))
    }
}

impl Exporting<'_> {
    /// Returns the request for a conversation's summary, if its plan has a hole.
    fn request(
        &self,
        file: &str,
        conversation: &Conversation<'_>,
    ) -> Result<Option<ExportedRequest>, CompactionError> {
        let planned = Planned::decide(conversation, self.settings)?;
        let Some(summary) = planned.plan.summary() else {
            return Ok(None);
        };
        let questioned =
            planned.question(summary, |request| SummaryTask::new(self.endpoint, request));
        let task = questioned.answer;
        let expected = task.expected_usage(self.endpoint, self.cache.as_ref());
        let (dialect, spelling) = (self.endpoint.dialect, self.endpoint.output_limit_field());
        Ok(Some(ExportedRequest {
            json: batch_request_line(&expected.id, &task.question, dialect, spelling),
            expected,
            masked_secrets: questioned.masked.unwrap_or_default(),
            thread_id: conversation.thread_id.clone(),
            file: file.to_owned(),
            line: conversation.line(),
        }))
    }
}
