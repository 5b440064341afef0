//! The names of messages and their fields in errors.

/// The place of a message in its record, as errors name it.
#[derive(Clone, Copy)]
pub(super) struct MessagePath {
    /// The key of the list.
    pub(super) list: &'static str,
    /// Index in the list; `None` if the message is the whole record.
    pub(super) index: Option<usize>,
}

impl MessagePath {
    pub(super) fn message_path(self) -> String {
        match self.index {
            Some(index) => format!("{}[{index}]", self.list),
            None => "the record".to_owned(),
        }
    }

    pub(super) fn field_path(self, name: &str) -> String {
        match self.index {
            Some(index) => format!("{}[{index}].{name}", self.list),
            None => name.to_owned(),
        }
    }
}
