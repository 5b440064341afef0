//! The causes of an error.

use std::error::Error;
use std::io;

/// Returns the causes of an error, the nearest first. An error that an I/O error wraps counts as
/// its cause.
pub(super) fn error_causes(error: &dyn Error) -> impl Iterator<Item = &(dyn Error + 'static)> {
    std::iter::successors(error.source(), |cause| next_cause(*cause))
}

fn next_cause<'e>(error: &'e (dyn Error + 'static)) -> Option<&'e (dyn Error + 'static)> {
    match error.downcast_ref::<io::Error>().and_then(io::Error::get_ref) {
        Some(wrapped) => Some(wrapped),
        None => error.source(),
    }
}
