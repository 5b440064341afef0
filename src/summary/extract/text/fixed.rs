//! Numbers that are the same on every machine: logarithms and exponentials of whole numbers, in
//! thousandths, and symbols of texts.

use super::shape::ends_run;

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
    if whole >= 0 { (scaled << whole) >> 16 } else { scaled >> (16 - whole) }
}

/// Returns the probability of log odds in thousandths, in millionths.
pub(crate) fn probability(log_odds: i64) -> i64 {
    let odds = exp_millionths(log_odds.min(7_900));
    odds * 1_000_000 / (1_000_000 + odds)
}

/// A word or name, whatever its case. Two different texts have the same symbol only by chance.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Symbol(pub u64);

const LENGTH_FACTOR: u64 = 0xa5a3_564e_27f8_9d25;
const ONES: u64 = 0x0101_0101_0101_0101;

pub(crate) fn symbol_of(text: &str) -> Symbol {
    symbol_within(text.as_bytes(), 0, text.len())
}

/// Returns the symbol of a part of a text. The last bytes are read together with those behind them where
/// there are enough, which is faster than one by one.
pub(crate) fn symbol_within(bytes: &[u8], start: usize, end: usize) -> Symbol {
    let mut hash = ((end - start) as u64).wrapping_mul(LENGTH_FACTOR);
    let mut at = start;
    while end - at >= 8 {
        hash = mix(hash, lower_bytes(eight_bytes(bytes, at)));
        at += 8;
    }
    let left = end - at;
    let last = if at + 8 <= bytes.len() {
        eight_bytes(bytes, at) & ((1 << (8 * left)) - 1)
    } else {
        let rest = bytes[at..end].iter().rev();
        rest.fold(0, |number, byte| number << 8 | u64::from(*byte))
    };
    Symbol(mix(hash, lower_bytes(last)))
}

/// Returns the length and the symbol of the word at a place: fewer than eight lower-case letters, the
/// first of which may be a capital. Most words are such, and eight bytes are looked at together.
pub(crate) fn short_word(bytes: &[u8], at: usize) -> Option<(usize, Symbol)> {
    let eight = bytes.get(at..).and_then(<[u8]>::first_chunk::<8>)?;
    let letters = u64::from_le_bytes(*eight) | u64::from(eight[0].is_ascii_uppercase()) << 5;
    let length = (!are_lower(letters) & (0x80 * ONES)).trailing_zeros() as usize / 8;
    if length == 0 || length == 8 || !ends_run(eight[length]) {
        return None;
    }
    let hash = (length as u64).wrapping_mul(LENGTH_FACTOR);
    let symbol = Symbol(mix(hash, letters & ((1 << (8 * length)) - 1)));
    Some((length, symbol))
}

/// Returns the highest bit of each byte that is one of `a` to `z`.
const fn are_lower(bytes: u64) -> u64 {
    let low = bytes & (0x7f * ONES);
    let from_a = low + (0x80 - b'a' as u64) * ONES;
    let past_z = low + (0x7f - b'z' as u64) * ONES;
    from_a & !past_z & !bytes & (0x80 * ONES)
}

fn eight_bytes(bytes: &[u8], at: usize) -> u64 {
    let eight = bytes.get(at..).and_then(<[u8]>::first_chunk::<8>);
    eight.map_or(0, |eight| u64::from_le_bytes(*eight))
}

/// Mixes eight bytes into a hash by both halves of a long product: tables look at any of its bits.
const fn mix(hash: u64, bytes: u64) -> u64 {
    let product = (hash ^ bytes ^ 0x9e37_79b9_7f4a_7c15) as u128 * 0xd6e8_feb8_6659_fd93_u128;
    (product >> 64) as u64 ^ product as u64
}

/// Returns eight bytes with those of `A` to `Z` in lower case.
const fn lower_bytes(bytes: u64) -> u64 {
    let low = bytes & (0x7f * ONES);
    let from_a = low + (0x80 - b'A' as u64) * ONES;
    let past_z = low + (0x7f - b'Z' as u64) * ONES;
    let is_upper = from_a & !past_z & !bytes & (0x80 * ONES);
    bytes | (is_upper >> 2)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_close_to_exact_ones() {
        let logarithms = [(1000, 0), (2718, 1000), (10_000, 2303), (500, -693), (123_456, 4816)];
        for (value, expected) in logarithms {
            assert!((ln(value) - expected).abs() <= 8, "ln {value}: {}", ln(value));
        }
        let powers = [(0, 1_000_000), (1000, 2_718_282), (-2000, 135_335), (3500, 33_115_452)];
        for (value, expected) in powers {
            let exp = exp_millionths(value);
            assert!((exp - expected).abs() * 500 <= expected, "exp {value}: {exp}");
        }
        assert_eq!(probability(0), 500_000);
        assert!(probability(-5000) < 7_000 && probability(5000) > 990_000);
    }

    #[test]
    fn values_rise() {
        assert!((1..3000).all(|value| ln(value) <= ln(value + 1)));
        assert!((-14_000..8_000).all(|value| exp_millionths(value) <= exp_millionths(value + 1)));
    }

    #[test]
    fn the_place_of_a_text_makes_no_difference() {
        let text = "The QUICK_brown-fox.rs ran";
        for (start, end) in [(4, 9), (4, 22), (4, 12), (23, 26), (0, 0)] {
            let symbol = symbol_within(text.as_bytes(), start, end);
            assert_eq!(symbol, symbol_of(&text[start..end].to_lowercase()));
        }
        assert_ne!(symbol_of("ab"), symbol_of("ba"));
        for (word, length) in [(4, None), (10, None), (23, None), (0, Some(3))] {
            assert_eq!(short_word(text.as_bytes(), word).map(|word| word.0), length);
        }
        assert_eq!(short_word(text.as_bytes(), 0).unwrap().1, symbol_of("the"));
    }
}
