//! Numbers formatted for people.

/// Formats a number with a comma between groups of three digits: `12,345`.
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
pub(crate) fn group_count(count: impl TryInto<i64>) -> String {
    group_digits(count.try_into().unwrap_or(i64::MAX))
}

/// Formats a count with its noun: `1 transcript`, `1,200 transcripts`.
pub(crate) fn count_nouns(count: impl TryInto<i64>, noun: &str) -> String {
    let count = count.try_into().unwrap_or(i64::MAX);
    format!("{} {}", group_digits(count), self::noun(count, noun))
}

/// Returns a noun as it stands behind a count: `1 summary`, `2 summaries`.
pub(crate) fn noun(count: impl TryInto<i64>, noun: &str) -> String {
    let stem = noun.strip_suffix('y').filter(|stem| !stem.ends_with(['a', 'e', 'o', 'u']));
    match (count.try_into(), stem) {
        (Ok(1), _) => noun.to_owned(),
        (_, Some(stem)) => format!("{stem}ies"),
        _ => format!("{noun}s"),
    }
}

/// Formats a count in at most five characters: `950`, `7.8k`, `170k`, `1.5M`.
pub(crate) fn short_count(count: u64) -> String {
    const UNITS: [(u64, &str); 3] = [(1_000_000_000, "G"), (1_000_000, "M"), (1000, "k")];
    // Rounding must not lead to 1000k.
    let Some((unit, name)) = UNITS.iter().find(|(unit, _)| count + unit / 2000 >= *unit) else {
        return count.to_string();
    };
    let tenths = (count + unit / 20) / (unit / 10);
    if tenths < 100 {
        format!("{}.{}{name}", tenths / 10, tenths % 10)
    } else {
        format!("{}{name}", (count + unit / 2) / unit)
    }
}

/// Formats a change relative to the value before: `-75.3 %`.
pub(crate) fn percent_change(before: u64, after: u64) -> String {
    if before == 0 {
        return "0.0 %".to_owned();
    }
    #[expect(clippy::cast_precision_loss)]
    let percent = (after as f64 - before as f64) / before as f64 * 100.0;
    if percent == 0.0 { "0.0 %".to_owned() } else { format!("{percent:+.1} %") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_are_short() {
        let counts = [0, 999, 1000, 7761, 9949, 9950, 170_000, 999_499, 999_500, 1_500_000];
        assert_eq!(
            counts.map(short_count),
            ["0", "999", "1.0k", "7.8k", "9.9k", "10k", "170k", "999k", "1.0M", "1.5M"]
        );
        assert_eq!(short_count(u64::MAX / 2), "9223372037G");
    }

    #[test]
    fn numbers_are_formatted_for_people() {
        assert_eq!(
            [group_digits(0), group_digits(999), group_digits(-1000), group_digits(1_234_567)],
            ["0", "999", "-1,000", "1,234,567"]
        );
        assert_eq!(
            [percent_change(0, 5), percent_change(200, 50), percent_change(3, 3)],
            ["0.0 %", "-75.0 %", "0.0 %"]
        );
    }
}
