//! The origins of outputs: which input each is made of, and where it goes. Two inputs of one name are
//! two origins, also where they share an archive.

use crate::base::sha256::Sha256;
use crate::files::input::InputEntry;
use crate::files::output::directories::resolve_path;
use std::collections::HashMap;
use std::path::{Component, Path, PathBuf};

/// The hexadecimal digits of an origin.
const ORIGIN_DIGITS: usize = 16;

/// The origins of a run's outputs, by their paths below the output directory.
#[derive(Debug, Default)]
pub(super) struct Origins(HashMap<PathBuf, String>);

impl Origins {
    /// Returns the origins of outputs below `output`. All places are where links lead, and are taken
    /// from the archive directory on, so that a folder may be moved as a whole.
    pub(super) fn of_inputs(inputs: &[InputEntry], output: &Path, archive: &Path) -> Self {
        let archive = resolve_path(archive);
        let (mut origins, output) = (HashMap::new(), place_from(&archive, &resolve_path(output)));
        let mut folders = RealFolders::default();
        for input in inputs {
            let Some(path) = &input.path else {
                continue;
            };
            let mut hash = Sha256::default();
            let path = folders.real_path(path);
            for place in [&place_from(&archive, &path), &output, &input.output] {
                let bytes = place.as_os_str().as_encoded_bytes();
                hash.update(&(bytes.len() as u64).to_le_bytes());
                hash.update(bytes);
            }
            origins.insert(input.output.clone(), hash.hex_prefix(ORIGIN_DIGITS));
        }
        Self(origins)
    }

    /// Returns the origin of an output; none where its input has no place.
    pub(super) fn of(&self, output: &Path) -> Option<&str> {
        self.0.get(output).map(String::as_str)
    }
}

/// Where the folders of inputs are, each looked up once.
#[derive(Default)]
struct RealFolders(HashMap<PathBuf, PathBuf>);

impl RealFolders {
    fn real_path(&mut self, path: &Path) -> PathBuf {
        let is_link = path.symlink_metadata().is_ok_and(|metadata| metadata.is_symlink());
        let (Some(folder), Some(name), false) = (path.parent(), path.file_name(), is_link) else {
            return resolve_path(path);
        };
        if let Some(folder) = self.0.get(folder) {
            return folder.join(name);
        }
        let real = resolve_path(folder);
        let path = real.join(name);
        self.0.insert(folder.to_path_buf(), real);
        path
    }
}

/// Returns the way from a directory to a path, both absolute.
fn place_from(directory: &Path, path: &Path) -> PathBuf {
    let shared = path
        .components()
        .zip(directory.components())
        .take_while(|(part, other)| part == other)
        .count();
    let up = directory.components().skip(shared).map(|_| Component::ParentDir);
    up.chain(path.components().skip(shared)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_is_told_by_the_way_to_it() {
        for (directory, path, way) in [
            ("/a/out", "/a/in/x", "../in/x"),
            ("/b/out", "/b/in/x", "../in/x"),
            ("/a/out", "/a/out", ""),
            ("/a/out", "/a/out/x", "x"),
        ] {
            assert_eq!(place_from(Path::new(directory), Path::new(path)), Path::new(way));
        }
    }
}
