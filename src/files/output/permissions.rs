//! Who may use the files that a run makes: no group and no stranger who may not use its inputs.
//!
//! The owner may always read and write them. Only regular files limit anybody else: where a run
//! reads stdin or a pipe, the umask alone decides. Systems without modes ignore all of this.

use crate::files::input::InputEntry;
use crate::files::output::absence::is_absence;
use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io;
use std::path::Path;

/// The mode of a new file, before the umask.
const OPEN_MODE: u32 = 0o666;
/// The bits of a mode by which the owner reads and writes.
const OWNER: u32 = 0o600;

/// The widest permissions that a new file may have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct AccessLimit {
    mode: u32,
    /// The group that the bits of the group are meant for. None if that is any group.
    group: Option<u32>,
}

impl AccessLimit {
    /// No limit but the umask.
    pub(crate) const UMASK: Self = Self { mode: OPEN_MODE, group: None };

    /// Only the owner.
    pub(crate) const OWNER: Self = Self { mode: OWNER, group: None };

    /// Returns the limit of what must keep this one and another.
    pub(super) fn and(self, other: Self) -> Self {
        Self { mode: self.mode & other.mode, ..self }
    }

    /// Returns the limit of what is made from these files: that of the strictest of them.
    pub(crate) fn of_files<'p>(paths: impl IntoIterator<Item = &'p Path>) -> Self {
        let paths = paths.into_iter();
        paths.fold(Self::UMASK, Self::and_file)
    }

    /// Returns the limit of what is made from all of these inputs.
    pub(crate) fn of_inputs(inputs: &[InputEntry]) -> Self {
        Self::of_files(inputs.iter().filter_map(|input| input.path.as_deref()))
    }

    /// Returns the limit of what is made from an input.
    pub(crate) fn of_input(input: &InputEntry) -> Self {
        Self::of_files(input.path.as_deref())
    }

    /// Returns the limit that also respects a file. A path that is no regular file changes nothing;
    /// one that can't be looked at may be a file for its owner alone.
    pub(crate) fn and_file(self, path: &Path) -> Self {
        match fs::metadata(path) {
            Ok(metadata) if metadata.is_file() => self.and_metadata(&metadata),
            Err(error) if !is_absence(&error) => Self { mode: self.mode & OWNER, ..self },
            _ => self,
        }
    }

    /// Returns the options to create a file with.
    pub(super) fn file_options(self) -> OpenOptions {
        let mut options = OpenOptions::new();
        options.write(true).create_new(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, self.mode);
        options
    }

    /// Creates a directory, with its parents if `parents`. Those who may read the files may list
    /// it. A directory that exists is left as it is.
    pub(super) fn create_directory(self, path: &Path, parents: bool) -> io::Result<()> {
        let mut builder = DirBuilder::new();
        builder.recursive(parents);
        #[cfg(unix)]
        std::os::unix::fs::DirBuilderExt::mode(&mut builder, self.directory_mode());
        builder.create(path)
    }
}

#[cfg(unix)]
impl AccessLimit {
    fn and_metadata(self, metadata: &fs::Metadata) -> Self {
        use std::os::unix::fs::MetadataExt;
        let file =
            Self { mode: (metadata.mode() | OWNER) & OPEN_MODE, group: Some(metadata.gid()) };
        let mode = self.mode & file.mode;
        let is_same_group = self.group.is_none_or(|group| Some(group) == file.group);
        Self {
            // Two groups: nobody is known to be in both.
            mode: if is_same_group { mode } else { without_group(mode) },
            group: self.group.or(file.group),
        }
    }

    fn directory_mode(self) -> u32 {
        // Who may read may enter.
        self.mode | (self.mode & 0o444) >> 2
    }

    /// Returns the permissions to create a temporary file with.
    pub(super) fn file_permissions(self) -> fs::Permissions {
        std::os::unix::fs::PermissionsExt::from_mode(self.mode)
    }

    /// Takes from the group of a new file what only the group of the inputs may do, where that is
    /// another group. Fails if the permissions can't be read or changed.
    pub(super) fn limit_group(self, file: &File) -> io::Result<()> {
        use std::os::unix::fs::MetadataExt;
        // The group of the inputs may do no more than others.
        if without_group(self.mode) == self.mode {
            return Ok(());
        }
        let metadata = file.metadata()?;
        if self.group.is_none_or(|group| group == metadata.gid()) {
            return Ok(());
        }
        let mode = without_group(metadata.mode() & 0o777);
        file.set_permissions(std::os::unix::fs::PermissionsExt::from_mode(mode))
    }
}

/// Returns a mode that gives the group no more than others.
#[cfg(unix)]
fn without_group(mode: u32) -> u32 {
    mode & !(0o070 & !((mode & 0o007) << 3))
}

#[cfg(not(unix))]
impl AccessLimit {
    fn and_metadata(self, _: &fs::Metadata) -> Self {
        self
    }

    pub(super) fn limit_group(self, _: &File) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt;

    #[test]
    fn a_group_that_is_not_that_of_the_inputs_gets_what_others_get() {
        let modes = [0o640, 0o664, 0o666, 0o604, 0o600].map(without_group);
        assert_eq!(modes, [0o600, 0o644, 0o666, 0o604, 0o600]);
    }

    #[test]
    fn the_strictest_file_is_the_limit_and_the_owner_keeps_all() {
        let directory = tempfile::tempdir().unwrap();
        let file_of_mode = |mode| {
            let path = directory.path().join(format!("{mode:o}"));
            fs::write(&path, "").unwrap();
            fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
            path
        };
        let files = [0o640, 0o604, 0o444].map(file_of_mode);
        let modes = [1, 2, 3].map(|count| {
            let limit = AccessLimit::of_files(files[..count].iter().map(AsRef::as_ref));
            (limit.mode, limit.directory_mode())
        });
        assert_eq!(modes, [(0o640, 0o750), (0o600, 0o700), (0o600, 0o700)]);
        let limit = AccessLimit::of_files([files[2].as_path()]);
        assert_eq!(limit.mode, 0o644, "a run must be able to write its files");
        let limit = AccessLimit::of_files([directory.path(), Path::new("/dev/null")]);
        assert_eq!(limit, AccessLimit::UMASK);
    }
}
