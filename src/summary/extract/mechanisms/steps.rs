//! The newest list of todos: what is open, and what is done.

use super::outcomes::brief;
use crate::summary::extract::choose::{Candidate, Kind, Signs};
use crate::summary::extract::session::Reading;
use std::borrow::Cow;

/// The longest step in bytes.
const LONGEST: usize = 140;

/// Offers the steps of the newest list.
pub(crate) fn offer<'s>(reading: &'s Reading<'s>, _: &[i64], lines: &mut Vec<Candidate<'s>>) {
    let calls = &reading.session.calls;
    let Some(call) = calls.iter().rev().find(|call| !call.steps.is_empty()) else {
        return;
    };
    for (number, step) in call.steps.iter().enumerate() {
        let kind = if step.is_done { Kind::Done } else { Kind::Open };
        let signs = Signs {
            number,
            of: call.steps.len(),
            ..Signs::default()
        };
        lines.push(Candidate::new(
            kind,
            (call.message, number),
            Cow::Owned(brief(&step.text, LONGEST).into_owned()),
            signs,
            reading,
        ));
    }
}
