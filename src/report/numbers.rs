//! Numbers formatted for people.

/// Formats a number with a comma between groups of three digits: `12,345`.
#[must_use]
pub(crate) fn group_digits(number: i64) -> String {
    let digits = number.unsigned_abs().to_string();
    let mut out = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    if number < 0 { format!("-{out}") } else { out }
}

/// Formats a count as [`group_digits`] does. A count above `i64::MAX` is shown as that.
#[must_use]
pub(crate) fn group_count(count: impl TryInto<i64>) -> String {
    group_digits(count.try_into().unwrap_or(i64::MAX))
}

/// Formats a change relative to the value before: `-75.3 %`.
#[must_use]
pub(crate) fn percent_change(before: u64, after: u64) -> String {
    if before == 0 {
        return "0.0 %".to_owned();
    }
    #[expect(clippy::cast_precision_loss)]
    let percent = (after as f64 - before as f64) / before as f64 * 100.0;
    if percent == 0.0 {
        "0.0 %".to_owned()
    } else {
        format!("{percent:+.1} %")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_formatted_for_people() {
        assert_eq!(
            [
                group_digits(0),
                group_digits(999),
                group_digits(-1000),
                group_digits(1_234_567)
            ],
            ["0", "999", "-1,000", "1,234,567"]
        );
        assert_eq!(
            [
                percent_change(0, 5),
                percent_change(200, 50),
                percent_change(3, 3)
            ],
            ["0.0 %", "-75.0 %", "0.0 %"]
        );
    }
}
