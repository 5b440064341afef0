//! Reads how many records and calls an earlier summary left out: `Records (5 of 6) …`.

use super::earlier_facts::EarlierHeading;

/// Reads a heading of records, with or without a count of those that are shown: `(5 of 6) get_order: id|total`.
pub(super) fn records_heading(heading: &str) -> EarlierHeading<'_> {
    let counted = (heading.strip_prefix('(')).and_then(|rest| rest.split_once(") "));
    let counted = counted.and_then(|(count, text)| {
        let (_, count) = parse_count(count)?;
        Some(EarlierHeading { text, count })
    });
    counted.unwrap_or(EarlierHeading {
        text: heading,
        count: 0,
    })
}

/// Returns the numbers of a count: `5 of 6`, `22 of 61+`.
fn parse_count(count: &str) -> Option<(usize, usize)> {
    let (shown, known) = count.split_once(" of ")?;
    let known = known.strip_suffix('+').unwrap_or(known);
    Some((shown.parse().ok()?, known.parse().ok()?))
}

/// Returns the number of calls that a heading says are not listed: `Calls, oldest first (14 of 60):`.
pub(super) fn hidden_calls(heading: &str) -> usize {
    let count = heading
        .split_once('(')
        .and_then(|(_, rest)| rest.split_once(')'));
    let count = count.and_then(|(count, _)| parse_count(count));
    count.map_or(0, |(shown, known)| known.saturating_sub(shown))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_are_told_from_names() {
        let read = |heading| {
            let EarlierHeading { text, count } = records_heading(heading);
            (text, count)
        };
        assert_eq!(
            read("(5 of 6) get_order: id|total"),
            ("get_order: id|total", 6)
        );
        assert_eq!(read("(22 of 61+) get_order:"), ("get_order:", 61));
        for name in ["get_order:", "(7) get_order:", "(some of 6) get_order:"] {
            assert_eq!(read(name), (name, 0));
        }
        assert_eq!(hidden_calls("Calls, oldest first (14 of 60):"), 46);
        assert_eq!(hidden_calls("Calls, oldest first:"), 0);
    }
}
