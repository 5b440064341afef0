//! The values of a record that its reader asks for, by the bytes of each. Those that hold something
//! and that nobody asks for are unread, which the cases in `fixtures/told` show for every log.

use std::cell::RefCell;
use std::collections::HashSet;

/// Values by the addresses and lengths of their bytes.
type Values = HashSet<(usize, usize)>;

#[derive(Default)]
pub(super) struct AskedValues {
    asked: Values,
    /// Those whose bytes were taken, with all that they hold.
    whole: Values,
}

thread_local! {
    /// The values, while they are watched.
    static ASKED: RefCell<Option<AskedValues>> = const { RefCell::new(None) };
}

fn address_of(value: &[u8]) -> (usize, usize) {
    (value.as_ptr() as usize, value.len())
}

pub(super) fn note_asked(value: &[u8]) {
    note(|values| &mut values.asked, value);
}

/// Notes that the bytes of a value were taken.
pub(super) fn note_whole(value: &[u8]) {
    note(|values| &mut values.whole, value);
}

fn note(set: impl Fn(&mut AskedValues) -> &mut Values, value: &[u8]) {
    ASKED.with_borrow_mut(|values| {
        if let Some(values) = values {
            set(values).insert(address_of(value));
        }
    });
}

impl AskedValues {
    /// Returns the values that are asked for while something runs.
    pub(super) fn of(run: impl FnOnce()) -> Self {
        ASKED.set(Some(Self::default()));
        run();
        ASKED.take().unwrap_or_default()
    }

    pub(super) fn has_asked(&self, value: &[u8]) -> bool {
        self.asked.contains(&address_of(value))
    }

    pub(super) fn has_whole(&self, value: &[u8]) -> bool {
        self.whole.contains(&address_of(value))
    }
}
