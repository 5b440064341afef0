//! `epitome requests submit`: the request files of an export become batches of OpenAI or Anthropic.

use super::batches::{connect, print_line};
use crate::commands::Ending;
use crate::commands::writing_terms::writing_terms;
use crate::files::output::{OutputTree, print_message};
use crate::running::requests::manifest::{Manifest, export_access};
use crate::running::requests::submission::SubmittedBatch;
use crate::running::requests::submitter::{Adoption, Submitter};
use crate::settings::cli::SubmitArgs;
use anyhow::{Result, bail};
use serde_json::json;

pub(super) fn run(arguments: &SubmitArgs) -> Result<Ending> {
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
            format!("{}: {} requests submitted as {id}", file.name, file.requests)
        };
        print_line(&line)?;
    }
    Ok(Ending::success())
}
