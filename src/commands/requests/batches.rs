//! `epitome requests submit`, `status` and `fetch`: request files become batches of OpenAI or
//! Anthropic, and what became of them.

use super::apply::{ERRORS, RESULTS};
use super::export_settings;
use crate::commands::prelude::*;
use crate::running::requests::manifest::{OpenSubmission, SubmittedBatch, export_access};
use crate::running::requests::submitter::{Adoption, Submitter};
use crate::settings::cli::{BatchArgs, SubmitArgs};
use crate::summary::http::{BatchClient, BatchStatus, DownloadError};

pub(super) fn submit(arguments: &SubmitArgs) -> Result<Ending> {
    let directory = &arguments.batches.directory;
    let manifest = Manifest::read(directory)?;
    let server = connect(&arguments.batches, &manifest)?;
    let terms = writing_terms("requests submit", true, arguments.batches.lock);
    let started = terms.identity.started.clone();
    let tree = OutputTree::for_existing_directory(directory, export_access(directory), &terms)?;
    let adopt = arguments.adopt.as_deref().map(|id| match id {
        "none" => Adoption::None,
        id => Adoption::Batch(id),
    });
    let mut submitter = Submitter {
        adopt,
        directory,
        batches: SubmittedBatch::read_all(directory)?,
        server,
        tree,
        started,
        max_line_bytes: manifest.max_record_bytes,
    };
    let mut open = submitter.read_open()?;
    if matches!(adopt, Some(Adoption::Batch(_))) && open.is_none() {
        bail!("--adopt: there is no interrupted submission");
    }
    for file in &manifest.files {
        if let Some(batch) = submitter.batches.iter().find(|batch| batch.file == file.name) {
            print_message(&format!("{}: was submitted before, as {}", file.name, batch.id));
            continue;
        }
        let begun = open.take_if(|open| open.file == file.name);
        let id = submitter.submit(file, begun)?;
        let line = if arguments.batches.json {
            json!({"file": file.name, "batch": id, "requests": file.requests}).to_string()
        } else {
            let requests = count_nouns(file.requests, "request");
            format!("{}: {requests} submitted as {id}", file.name)
        };
        print_line(&line)?;
    }
    Ok(Ending::success())
}

/// Connects to the server that the export's policy names; keys that the command line sets win.
fn connect(arguments: &BatchArgs, manifest: &Manifest) -> Result<BatchClient> {
    let mut settings = export_settings(&arguments.directory, manifest, &arguments.set)?.settings;
    // Nothing is looked up here, and no answer is kept.
    settings.policy.summarizer.model.cache = crate::deciding::policy::CachePlace::Off;
    BatchClient::new(settings::resolve_endpoint(&settings.policy)?)
}

pub(super) fn status(arguments: &BatchArgs) -> Result<Ending> {
    let manifest = Manifest::read(&arguments.directory)?;
    let batches = SubmittedBatch::read_all(&arguments.directory)?;
    let open = OpenSubmission::read(&arguments.directory)?;
    let server = connect(arguments, &manifest)?;
    for file in &manifest.files {
        let Some(batch) = batches.iter().find(|batch| batch.file == file.name) else {
            let status = match &open {
                Some(open) if open.file == file.name => "in doubt",
                _ => "not submitted",
            };
            print_line(&if arguments.json {
                json!({"file": file.name, "batch": null, "status": status}).to_string()
            } else {
                format!("{}: {status}", file.name)
            })?;
            continue;
        };
        let status = server.status(&batch.id).map_err(|error| anyhow!("{}: {error}", batch.id))?;
        print_line(&render_status(batch, &status, arguments.json))?;
    }
    Ok(Ending::success())
}

pub(super) fn fetch(arguments: &BatchArgs) -> Result<Ending> {
    let directory = &arguments.directory;
    let manifest = Manifest::read(directory)?;
    let server = connect(arguments, &manifest)?;
    let terms = writing_terms("requests fetch", true, arguments.lock);
    let tree = OutputTree::for_existing_directory(directory, export_access(directory), &terms)?;
    let mut batches = SubmittedBatch::read_all(directory)?;
    let (mut pending, mut unanswered) = (0, 0);
    for batch in batches.clone() {
        if batch.fetched {
            continue;
        }
        let status = server.status(&batch.id).map_err(|error| anyhow!("{}: {error}", batch.id))?;
        print_line(&render_status(&batch, &status, arguments.json))?;
        if !status.ended {
            pending += 1;
            continue;
        }
        if status.results.iter().all(Option::is_none) {
            // No request of it was answered: it may be submitted again.
            unanswered += 1;
            batches.retain(|other| other.id != batch.id);
            SubmittedBatch::write_all(&batches, &tree).map_err(RunError::BrokeOff)?;
            continue;
        }
        let stem = Path::new(batch.file.as_str())
            .file_stem()
            .map(|stem| stem.to_string_lossy().replace("requests-", ""))
            .unwrap_or_default();
        for (kind, path) in [RESULTS, ERRORS].into_iter().zip(&status.results) {
            let Some(path) = path else { continue };
            let name = format!("{kind}{stem}.jsonl");
            let mut file = tree.create_result(&name).map_err(RunError::BrokeOff)?;
            match server.download(path, &mut file) {
                Ok(_) => {}
                Err(DownloadError::Receive(error)) => return Err(anyhow!("{}: {error}", batch.id)),
                Err(DownloadError::Write(error)) => {
                    let path = directory.join(name);
                    return Err(RunError::BrokeOff(WriteError::of_file(&path)(error)).into());
                }
            }
            tree.publish_result(file).map_err(RunError::BrokeOff)?;
        }
        batches
            .iter_mut()
            .filter(|other| other.id == batch.id)
            .for_each(|other| other.fetched = true);
        SubmittedBatch::write_all(&batches, &tree).map_err(RunError::BrokeOff)?;
    }
    if unanswered > 0 {
        print_message(&format!(
            "{unanswered} batches ended without results; `epitome requests submit {}` submits them again",
            directory.display()
        ));
    }
    match pending {
        0 if unanswered > 0 => {}
        0 if batches.is_empty() => print_message(&format!(
            "nothing has been submitted; `epitome requests submit {}` does it",
            directory.display()
        )),
        0 => print_message(&format!(
            "all results have arrived; `epitome requests apply {} -o DIR` finishes the compaction",
            directory.display()
        )),
        _ => print_message(&format!(
            "{pending} batches are not done yet; fetch again later (the finished results can be applied already)"
        )),
    }
    Ok(Ending::success())
}

fn render_status(batch: &SubmittedBatch, batch_status: &BatchStatus, json: bool) -> String {
    if json {
        let BatchStatus { status, ended, succeeded, failed, total, error, .. } = batch_status;
        let value = json!({"file": batch.file, "batch": batch.id, "status": status, "ended": ended, "succeeded": succeeded, "failed": failed, "total": total, "error": error});
        return harmless_json(value.to_string());
    }
    let error = batch_status.error.as_ref().map(|error| format!(": {error}")).unwrap_or_default();
    format!(
        "{}: {} is {}, {} of {} answered, {} failed{error}",
        batch.file,
        batch.id,
        batch_status.status,
        batch_status.succeeded,
        batch_status.total,
        batch_status.failed
    )
}

fn print_line(line: &str) -> Result<()> {
    // What was submitted or fetched before is noted: this is no error of the options.
    Ok(print_result(&format!("{line}\n")).map_err(RunError::FinishStdout)?)
}
