//! The files that messages show or write, so that a reference can be named together with the file
//! that it stands in.

use super::path_ends::file_name;
use crate::summary::extract::lex::fold::fold_line;
use crate::summary::extract::lex::frame::has_frame_tag;
use hashbrown::HashMap;

/// Maximum length in bytes of the name of a file that stands before its references.
const LONGEST_NAME: usize = 40;

/// The files of messages, by the messages' indices.
#[derive(Debug, Default)]
pub(crate) struct HomeFiles {
    /// The names of the files, without their folders.
    names: Vec<String>,
    /// Indices into `names`, by name.
    numbers: HashMap<String, usize>,
    /// The file of each message. `None` for a message about several files.
    by_message: HashMap<usize, Option<usize>>,
}

impl HomeFiles {
    /// Records that a message shows or writes a file.
    pub(crate) fn observe(&mut self, message: usize, path: &str) {
        let name = file_name(path.trim_end_matches(['/', '\\']));
        let is_name = !name.is_empty()
            && name.len() <= LONGEST_NAME
            && name.contains('.')
            && name.contains(char::is_alphanumeric)
            && !has_frame_tag(name)
            && !name.contains([' ', ':'])
            && fold_line(name, LONGEST_NAME) == name;
        let number = is_name.then(|| match self.numbers.get(name) {
            Some(&number) => number,
            None => {
                self.names.push(name.to_owned());
                self.numbers.insert(name.to_owned(), self.names.len() - 1);
                self.names.len() - 1
            }
        });
        let home = self.by_message.entry(message).or_insert(number);
        if *home != number {
            *home = None;
        }
    }

    /// Returns the number of the file that a message is about.
    pub(crate) fn home_of(&self, message: usize) -> Option<usize> {
        self.by_message.get(&message).copied().flatten()
    }

    /// Returns the name of a file by its number.
    pub(crate) fn name(&self, number: usize) -> &str {
        &self.names[number]
    }

    /// Returns how many files there are.
    pub(crate) fn len(&self) -> usize {
        self.names.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_about_several_files_has_no_home() {
        let mut homes = HomeFiles::default();
        for (message, path) in [
            (3, "/srv/a.rs"),
            (5, "C:\\b.py"),
            (5, "b.py"),
            (7, "a.rs"),
            (7, "b.py"),
            (9, "/srv/folder"),
            (11, "."),
        ] {
            homes.observe(message, path);
        }
        let name_of = |message| homes.home_of(message).map(|number| homes.name(number));
        assert_eq!(name_of(3), Some("a.rs"));
        assert_eq!(name_of(5), Some("b.py"));
        assert!(
            [4, 7, 9, 11]
                .into_iter()
                .all(|message| name_of(message).is_none())
        );
        assert_eq!(homes.len(), 2);
    }
}
