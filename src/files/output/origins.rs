//! The origins of outputs: which input each is made of, and where it goes. Two inputs of one name are
//! two origins, also where they share an archive.

use crate::base::sha256::Sha256;
use crate::files::input::InputEntry;
use std::collections::HashMap;
use std::io;
use std::path::{Component, Path, PathBuf};

/// The hexadecimal digits of an origin.
const ORIGIN_DIGITS: usize = 16;

/// The origins of a run's outputs, by their paths below the output directory.
#[derive(Debug, Default)]
pub(super) struct Origins(HashMap<PathBuf, String>);

impl Origins {
    /// Returns the origins of outputs below `output`. All places are taken from the archive
    /// directory on, so that a folder may be moved as a whole. Fails if there is no working
    /// directory.
    pub(super) fn of_inputs(
        inputs: &[InputEntry],
        output: &Path,
        archive: &Path,
    ) -> io::Result<Self> {
        let archive = normal_path(archive)?;
        let (mut origins, output) = (HashMap::new(), place_from(&archive, output)?);
        for input in inputs {
            let Some(path) = &input.path else {
                continue;
            };
            let mut hash = Sha256::default();
            for place in [&place_from(&archive, path)?, &output, &input.output] {
                let bytes = place.as_os_str().as_encoded_bytes();
                hash.update(&(bytes.len() as u64).to_le_bytes());
                hash.update(bytes);
            }
            origins.insert(input.output.clone(), hash.hex_prefix(ORIGIN_DIGITS));
        }
        Ok(Self(origins))
    }

    /// Returns the origin of an output; none where its input has no place.
    pub(super) fn of(&self, output: &Path) -> Option<&str> {
        self.0.get(output).map(String::as_str)
    }
}

/// Returns the way from a directory to a path.
fn place_from(directory: &Path, path: &Path) -> io::Result<PathBuf> {
    let path = normal_path(path)?;
    let shared = path
        .components()
        .zip(directory.components())
        .take_while(|(part, other)| part == other)
        .count();
    let up = directory.components().skip(shared).map(|_| Component::ParentDir);
    Ok(up.chain(path.components().skip(shared)).collect())
}

/// Returns an absolute path without `..`.
fn normal_path(path: &Path) -> io::Result<PathBuf> {
    let absolute = std::path::absolute(path)?;
    let mut normal = PathBuf::new();
    for part in absolute.components() {
        match part {
            Component::ParentDir => drop(normal.pop()),
            part => normal.push(part),
        }
    }
    Ok(normal)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_is_told_by_the_way_to_it() {
        for (directory, path, way) in [
            ("/a/out", "/a/in/x", "../in/x"),
            ("/a/out", "/a/b/../in/x", "../in/x"),
            ("/b/out", "/b/in/x", "../in/x"),
            ("/a/out", "/a/out", ""),
            ("/a/out", "/a/out/x", "x"),
        ] {
            assert_eq!(place_from(Path::new(directory), Path::new(path)).unwrap(), Path::new(way));
        }
    }
}
