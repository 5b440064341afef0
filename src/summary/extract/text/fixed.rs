//! Logarithms and exponentials of whole numbers, in thousandths: the same on every machine.

/// Returns the natural logarithm of `value` thousandths, in thousandths. 0 for values below one
/// thousandth.
pub(crate) fn ln(value: i64) -> i64 {
    if value <= 0 {
        return 0;
    }
    // The logarithm to base 2 of the whole part by the highest bit, and linear in between with a
    // parabola that mends most of the error.
    let bits = 63 - i64::from(value.leading_zeros());
    let fraction = if bits >= 16 {
        (value >> (bits - 16)) - (1 << 16)
    } else {
        (value << (16 - bits)) - (1 << 16)
    };
    let mend = (fraction * ((1 << 16) - fraction)) >> 16;
    let log2 = (bits << 16) + fraction + mend * 343 / 1000;
    ((log2 * 693_147) >> 16) / 1000 - 6908
}

/// Returns `ln(1 + value)` of a count, in thousandths.
pub(crate) fn ln_count(value: usize) -> i32 {
    let value = i64::try_from(value).unwrap_or(i64::MAX / 2000);
    ln((value.min(1 << 40) + 1) * 1000).max(0) as i32
}

/// Returns `exp(value)` in millionths, of thousandths. Large values end at `exp(8)`.
pub(crate) fn exp_millionths(value: i64) -> i64 {
    let value = value.clamp(-14_000, 8_000);
    // exp(x) = 2^(x / ln 2)
    let exponent = value * 65_536 * 1000 / 693_147;
    let whole = exponent >> 16;
    let fraction = exponent & 0xffff;
    // 2^f on 0..1 by a polynomial of third degree.
    let square = (fraction * fraction) >> 16;
    let cube = (square * fraction) >> 16;
    let power = 65_536 + (fraction * 45_428 + square * 14_863 + cube * 5_245) / 65_536;
    let scaled = power * 1_000_000;
    if whole >= 0 {
        (scaled << whole) >> 16
    } else {
        scaled >> (16 - whole)
    }
}

/// Returns the probability of log odds in thousandths, in millionths.
pub(crate) fn probability(log_odds: i64) -> i64 {
    let odds = exp_millionths(log_odds.min(7_900));
    odds * 1_000_000 / (1_000_000 + odds)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_close_to_exact_ones() {
        for (value, expected) in [
            (1000, 0),
            (2718, 1000),
            (10_000, 2303),
            (500, -693),
            (123_456, 4816),
        ] {
            assert!(
                (ln(value) - expected).abs() <= 8,
                "ln {value}: {}",
                ln(value)
            );
        }
        for (value, expected) in [
            (0, 1_000_000),
            (1000, 2_718_282),
            (-2000, 135_335),
            (3500, 33_115_452),
        ] {
            let exp = exp_millionths(value);
            assert!(
                (exp - expected).abs() * 500 <= expected,
                "exp {value}: {exp}"
            );
        }
        assert_eq!(probability(0), 500_000);
        assert!(probability(-5000) < 7_000 && probability(5000) > 990_000);
    }

    #[test]
    fn values_rise() {
        assert!((1..3000).all(|value| ln(value) <= ln(value + 1)));
        assert!((-14_000..8_000).all(|value| exp_millionths(value) <= exp_millionths(value + 1)));
    }
}
