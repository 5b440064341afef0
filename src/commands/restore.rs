//! `epitome restore`: the inputs of an earlier `compact`, from what it left.

use crate::archive::originals::{OriginalsHeader, restore_input};
use crate::archive::originals_path;
use crate::cli::RestoreArgs;
use crate::commands::Ending;
use crate::input::{
    InputEntry, collect_outputs, open_decompressed, open_if_exists, outputs_with_originals,
};
use crate::output::{OutputTree, print_message};
use anyhow::{Context, Result, bail};
use std::collections::HashSet;
use std::path::{Path, PathBuf};

/// How one file came back.
enum Came {
    /// With what had been taken out of it.
    Restored,
    /// Nothing had been taken out.
    Copied,
}

/// Restores.
///
/// # Errors
/// What is wrong with the options, or that the results can't be written.
pub fn run(arguments: &RestoreArgs) -> Result<Ending> {
    let archive = arguments.archive.as_deref().unwrap_or(&arguments.directory);
    if !arguments.directory.is_dir() {
        bail!(
            "{} is no directory; name the output directory of an earlier `epitome compact`",
            arguments.directory.display()
        );
    }
    let inputs = collect_outputs(&arguments.directory, archive, &[&arguments.output, archive]);
    if inputs.is_empty() {
        bail!(
            "{} holds no output of an earlier `epitome compact`",
            arguments.directory.display()
        );
    }
    let names: Vec<Result<PathBuf>> = inputs.iter().map(|input| name(input, archive)).collect();
    let written: Vec<PathBuf> = names.iter().flatten().cloned().collect();
    let tree = OutputTree::for_results(&arguments.output, written, &inputs, arguments.force)?;
    let (mut restored, mut copied, mut failed) = (0, 0, 0);
    for (input, name) in inputs.iter().zip(names) {
        match name.and_then(|name| one(input, &name, archive, &tree)) {
            Ok(Came::Restored) => restored += 1,
            Ok(Came::Copied) => copied += 1,
            Err(error) => {
                failed += 1;
                print_message(&format!("{}: {error:#}; it is not written", input.name));
            }
        }
    }
    let there: HashSet<&Path> = inputs.iter().map(|input| input.output.as_path()).collect();
    for missing in outputs_with_originals(archive)
        .iter()
        .filter(|output| !there.contains(output.as_path()))
    {
        failed += 1;
        print_message(&format!(
            "{}: it is not there, but its originals are",
            arguments.directory.join(missing).display()
        ));
    }
    if restored == 0 && failed == 0 {
        print_message(&format!(
            "warning: no originals in {}: all files are copied as they are (--archive names another directory)",
            archive.display()
        ));
    } else if !arguments.quiet {
        print_message(&format!(
            "{restored} restored, {copied} had lost nothing, {failed} failed"
        ));
    }
    Ok(Ending {
        failed,
        tolerated: failed == 0,
        ..Ending::default()
    })
}

/// The name that a file goes back under: it may have left under another.
fn name(input: &InputEntry, archive: &Path) -> Result<PathBuf> {
    let originals = archive.join(originals_path(&input.output));
    let Some(mut lines) = open_if_exists(&originals)? else {
        return Ok(input.output.clone());
    };
    let header =
        OriginalsHeader::read_from(&mut lines).with_context(|| originals.display().to_string())?;
    // A name that is no UTF-8 stands there as far as JSON can spell it.
    if header.output != input.output.to_string_lossy() {
        bail!(
            "{}: they are those of {}",
            originals.display(),
            header.output
        );
    }
    Ok(header
        .restored_path(&input.output)
        .with_context(|| originals.display().to_string())?
        .to_path_buf())
}

fn one(input: &InputEntry, name: &Path, archive: &Path, tree: &OutputTree) -> Result<Came> {
    let (mut output, compression) = open_decompressed(input)?;
    let originals = archive.join(originals_path(&input.output));
    let mut sink = tree.create_output(name, compression)?;
    let came = match open_if_exists(&originals)? {
        Some(lines) => {
            restore_input(&mut output, lines, &mut sink)
                .with_context(|| originals.display().to_string())?;
            Came::Restored
        }
        None => {
            std::io::copy(&mut output, &mut sink)?;
            Came::Copied
        }
    };
    sink.publish()?;
    Ok(came)
}
