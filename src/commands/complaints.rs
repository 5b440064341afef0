//! The complaints of `--fail-under` at the end of a command.

use crate::files::output::print_message;

/// Prints complaints. Returns true if there are any.
pub(super) fn print_complaints(complaints: impl IntoIterator<Item = String>) -> bool {
    let mut objects = false;
    for complaint in complaints {
        print_message(&complaint);
        objects = true;
    }
    objects
}
