//! Restores the inputs of an earlier compaction from its outputs and originals.

use crate::archive::originals::{OriginalsHeader, restore_input};
use crate::archive::originals_path;
use crate::input::{
    InputEntry, collect_outputs, open_decompressed, open_if_exists, outputs_with_originals,
};
use crate::output::OutputTree;
use anyhow::{Context, Result, bail};
use std::collections::HashSet;
use std::path::{Path, PathBuf};

/// The directories of a restoration.
pub(crate) struct RestorationPaths<'p> {
    /// The output directory of the earlier compaction.
    pub(crate) directory: &'p Path,
    /// Its archive directory.
    pub(crate) archive: &'p Path,
    /// The directory that the inputs are restored into.
    pub(crate) output: &'p Path,
}

/// The result of a restoration.
#[derive(Debug, Default)]
pub(crate) struct Restoration {
    /// Files with their removed bytes put back.
    pub(crate) restored: u64,
    /// Files without originals: nothing was removed from them, so they are copied.
    pub(crate) copied: u64,
    /// Files that could not be restored, as `file: error`.
    pub(crate) failures: Vec<String>,
}

/// The way in which a file was restored.
enum RestoredAs {
    /// The removed bytes were put back.
    Restored,
    /// Nothing had been removed, so it was copied.
    Copied,
}

impl RestorationPaths<'_> {
    /// Restores all inputs. Existing files are replaced only with `force`.
    pub(crate) fn restore(&self, force: bool) -> Result<Restoration> {
        let directory = self.directory.display();
        if !self.directory.is_dir() {
            bail!(
                "{directory} is no directory; name the output directory of an earlier `epitome compact`"
            );
        }
        let written = [self.output, self.archive];
        let outputs = collect_outputs(self.directory, self.archive, &written);
        if outputs.is_empty() {
            bail!("{directory} holds no output of an earlier `epitome compact`");
        }
        let names: Vec<Result<PathBuf>> = outputs
            .iter()
            .map(|output| self.restored_name(output))
            .collect();
        let written: Vec<PathBuf> = names.iter().flatten().cloned().collect();
        let tree = OutputTree::for_results(self.output, written, &outputs, force)?;
        let mut restoration = Restoration::default();
        for (output, name) in outputs.iter().zip(names) {
            match name.and_then(|name| self.restore_file(output, &name, &tree)) {
                Ok(RestoredAs::Restored) => restoration.restored += 1,
                Ok(RestoredAs::Copied) => restoration.copied += 1,
                Err(error) => {
                    let failure = format!("{}: {error:#}; it is not written", output.name);
                    restoration.failures.push(failure);
                }
            }
        }
        let found: HashSet<&Path> = outputs.iter().map(|entry| entry.output.as_path()).collect();
        for output in outputs_with_originals(self.archive) {
            if !found.contains(output.as_path()) {
                let missing = self.directory.join(output);
                restoration.failures.push(format!(
                    "{}: the file is missing, but the archive holds its originals",
                    missing.display()
                ));
            }
        }
        Ok(restoration)
    }

    /// Returns the name to restore a file under. The header of its originals holds the name of the
    /// input, which may differ from that of the output.
    fn restored_name(&self, output: &InputEntry) -> Result<PathBuf> {
        let originals = self.archive.join(originals_path(&output.output));
        let originals_name = || originals.display().to_string();
        let Some(mut lines) = open_if_exists(&originals)? else {
            return Ok(output.output.clone());
        };
        let header = OriginalsHeader::read_from(&mut lines).with_context(originals_name)?;
        // The header is JSON: in a name that is not UTF-8 it replaces the bytes that are wrong.
        if header.output != output.output.to_string_lossy() {
            bail!(
                "{}: these originals belong to {}",
                originals_name(),
                header.output
            );
        }
        let restored = header
            .restored_path(&output.output)
            .with_context(originals_name)?;
        Ok(restored.to_path_buf())
    }

    fn restore_file(
        &self,
        output: &InputEntry,
        name: &Path,
        tree: &OutputTree,
    ) -> Result<RestoredAs> {
        let (mut compacted, compression) = open_decompressed(output)?;
        let originals = self.archive.join(originals_path(&output.output));
        let mut sink = tree.create_output(name, compression)?;
        let restored_as = match open_if_exists(&originals)? {
            Some(lines) => {
                restore_input(&mut compacted, lines, &mut sink)
                    .with_context(|| originals.display().to_string())?;
                RestoredAs::Restored
            }
            None => {
                std::io::copy(&mut compacted, &mut sink)?;
                RestoredAs::Copied
            }
        };
        sink.publish()?;
        Ok(restored_as)
    }
}
