//! The proof that a journal was written by a run of this user in this place.
//!
//! What a dead run left is carried out by the next: files are replaced and removed. A directory that
//! came from somebody else may hold such a journal, too. So each is sealed (HMAC-SHA256) with a
//! random key that only the user can read, kept outside of all directories that runs write into, and
//! over the directory's place: neither a journal from elsewhere nor one that was moved or changed has
//! a seal that fits.

use ring::hmac;
use std::fs::{self, DirBuilder, File};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

/// The name of the file with the key.
const KEY_FILE: &str = "journal-key";
/// The length of a key in bytes.
const KEY_BYTES: usize = 32;
/// What is sealed begins with its purpose: no seal fits a text of another.
const JOURNAL: &[u8] = b"epitome journal 1\n";
const EXPORT: &[u8] = b"epitome export 1\n";
/// The bytes that are read at a time.
const READ_BYTES: usize = 64 << 10;

/// A key of the user.
pub(super) struct SealKey(hmac::Key);

/// A seal that is being computed.
pub(super) struct Sealing(hmac::Context);

impl SealKey {
    /// Returns the keys in these directories: those that can seal and prove.
    pub(super) fn read_all(directories: &[PathBuf]) -> Vec<Self> {
        directories.iter().filter_map(|place| Self::read(place)).collect()
    }

    /// Returns the first key in these directories, or a new one in the first that can hold it. None
    /// where none can: a run does not fail for that.
    pub(super) fn read_or_create(directories: &[PathBuf]) -> Option<Self> {
        let found = directories.iter().find_map(|place| Self::read(place));
        found.or_else(|| {
            directories.iter().find_map(|place| {
                // Another run may have made it meanwhile.
                let _ = create_key(place);
                Self::read(place)
            })
        })
    }

    /// Reads a key. One that others can read or write proves nothing.
    fn read(directory: &Path) -> Option<Self> {
        let path = directory.join(KEY_FILE);
        if !is_private(&fs::symlink_metadata(directory).ok()?, true)
            || !is_private(&fs::symlink_metadata(&path).ok()?, false)
        {
            return None;
        }
        let mut key = Vec::new();
        let file = File::open(path).ok()?;
        file.take(KEY_BYTES as u64 + 1).read_to_end(&mut key).ok()?;
        (key.len() == KEY_BYTES).then(|| Self(hmac::Key::new(hmac::HMAC_SHA256, &key)))
    }

    /// Begins the seal of a journal. The place is the real path of the directory that it is about.
    pub(super) fn begin(&self, place: &Path) -> Sealing {
        let mut context = hmac::Context::with_key(&self.0);
        context.update(JOURNAL);
        context.update(place.as_os_str().as_encoded_bytes());
        // No path holds it.
        context.update(&[0]);
        Sealing(context)
    }

    /// Returns the seal of a text that may be moved.
    fn seal_export(&self, text: &str) -> String {
        let mut context = hmac::Context::with_key(&self.0);
        context.update(EXPORT);
        context.update(text.as_bytes());
        Sealing(context).finish()
    }

    /// Returns the seal of all bytes of a journal.
    pub(super) fn seal(&self, place: &Path, journal: &mut impl Read) -> io::Result<String> {
        let mut sealing = self.begin(place);
        let mut bytes = vec![0; READ_BYTES];
        loop {
            match journal.read(&mut bytes)? {
                0 => return Ok(sealing.finish()),
                count => sealing.update(&bytes[..count]),
            }
        }
    }
}

impl Sealing {
    /// Adds the next bytes.
    pub(super) fn update(&mut self, bytes: &[u8]) {
        self.0.update(bytes);
    }

    /// Returns the seal in hexadecimal.
    pub(super) fn finish(self) -> String {
        let seal = self.0.sign();
        seal.as_ref().iter().map(|byte| format!("{byte:02x}")).collect()
    }
}

/// Returns the seal of a text that an export holds; none where there is no key.
pub(super) fn seal_export(directories: &[PathBuf], text: &str) -> Option<String> {
    SealKey::read_or_create(directories).map(|key| key.seal_export(text))
}

/// Returns true if a run of this user wrote a text that has this seal.
pub(crate) fn is_own_export(directories: &[PathBuf], text: &str, seal: Option<&str>) -> bool {
    let keys = SealKey::read_all(directories);
    seal.is_some_and(|seal| keys.iter().any(|key| key.seal_export(text) == seal))
}

/// Returns true if only the user can change what has this metadata, and, of a file, read it.
#[cfg(unix)]
fn is_private(metadata: &fs::Metadata, is_directory: bool) -> bool {
    use std::os::unix::fs::MetadataExt;
    let others = if is_directory { 0o022 } else { 0o077 };
    metadata.is_dir() == is_directory
        && (is_directory || metadata.is_file())
        && metadata.uid() == rustix::process::geteuid().as_raw()
        && metadata.mode() & others == 0
}

#[cfg(not(unix))]
fn is_private(metadata: &fs::Metadata, is_directory: bool) -> bool {
    metadata.is_dir() == is_directory && (is_directory || metadata.is_file())
}

/// Makes a new key, unless there is one.
fn create_key(directory: &Path) -> io::Result<()> {
    let mut builder = DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(directory)?;
    let mut key = [0; KEY_BYTES];
    ring::rand::SecureRandom::fill(&ring::rand::SystemRandom::new(), &mut key)
        .map_err(|_| io::Error::other("no random numbers are available"))?;
    // It appears whole, and for its owner only.
    let mut file = tempfile::Builder::new().prefix(".journal-key-").tempfile_in(directory)?;
    file.write_all(&key)?;
    file.persist_noclobber(directory.join(KEY_FILE)).map_err(|error| error.error)?;
    Ok(())
}
