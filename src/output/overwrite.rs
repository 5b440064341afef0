//! What may not be written over: inputs never, anything else that exists only
//! where the user says so, and what is no file not even then.

use crate::input::InputEntry;
use anyhow::{Result, bail};
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// Keeps what exists.
pub struct OverwriteGuard {
    /// The inputs, as they really are.
    sources: BTreeSet<PathBuf>,
    /// Whether what exists may be replaced.
    pub(super) force: bool,
}

impl OverwriteGuard {
    /// Over these inputs.
    #[must_use]
    pub fn new(inputs: &[InputEntry], force: bool) -> Self {
        Self {
            sources: inputs
                .iter()
                .filter_map(|input| input.path.as_ref()?.canonicalize().ok())
                .collect(),
            force,
        }
    }

    /// Checks that nothing is lost where `path` is written.
    ///
    /// # Errors
    /// If something would be.
    pub fn check_path(&self, path: &Path) -> Result<()> {
        self.refuse_input(path)?;
        refuse_special(path)?;
        match fs::symlink_metadata(path) {
            Ok(metadata) if metadata.is_dir() => bail!("{} is a directory", path.display()),
            Ok(_) if !self.force => bail!(
                "{} exists; --force replaces it, or choose another output",
                path.display()
            ),
            _ => Ok(()),
        }
    }

    /// Whether the path leads to an input.
    pub(super) fn is_input(&self, path: &Path) -> bool {
        path.canonicalize()
            .is_ok_and(|path| self.sources.contains(&path))
    }

    pub(super) fn refuse_input(&self, path: &Path) -> Result<()> {
        if self.is_input(path) {
            bail!(
                "{} is an input; the input is never written over",
                path.display()
            );
        }
        Ok(())
    }
}

/// A file gets its name by a rename: that would put it in the place of a device or a pipe, and nothing would arrive there.
pub(super) fn refuse_special(path: &Path) -> Result<()> {
    if fs::metadata(path).is_ok_and(|metadata| !metadata.is_file() && !metadata.is_dir()) {
        bail!(
            "{} is no regular file, and only such a one is ever replaced; name another",
            path.display()
        );
    }
    Ok(())
}
