//! Logs of a made-up program, Quay, one record a line: `{"boat", "asked"}` and
//! `{"boat", "told", "by"}`.

use crate::reading::format::row::prelude::*;

/// Logs of Quay.
#[rustfmt::skip]
pub(crate) const QUAY: LogRow = LogRow {
    name: "quay",
    help: "logs of Quay: {\"boat\", \"asked\"} and {\"boat\", \"told\", \"by\"}, one a line",
    evidence: &[event("a boat beside what was asked or told", &[has("boat"), has("asked|told")])],
    reads: Reads::Lines(&LinesRow {
        id: at("boat"),
        lines: &[
            Line { when: &[has("asked")], becomes: Becomes::Message(&template(ASKED)), ..Line::NOTE },
            Line { when: &[has("told")], model: at("by"), becomes: Becomes::Message(&template(TOLD)), ..Line::NOTE },
        ],
        ..LinesRow::PLAIN
    }),
};
const ASKED: &str = r#"{"role": "user", "content": $asked}"#;
const TOLD: &str = r#"{"role": "assistant", "content": $told}"#;
