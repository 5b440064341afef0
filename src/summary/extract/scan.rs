//! Where identifiers may stand in a text, found 64 bytes at a time.
//!
//! A run is a stretch of bytes that can belong to an identifier. Most runs are
//! plain words; only those that hold a mark (a digit, `_`, `/`, `@`, a capital
//! inside, a dot between letters) are looked at one by one.

const BLOCK: usize = 64;

/// 1 for an ASCII letter or digit. No branches and no table, here and below: compilers do many bytes at once.
const fn letter(byte: u8) -> u8 {
    ((byte | 0x20).wrapping_sub(b'a') < 26) as u8 | (byte.wrapping_sub(b'0') < 10) as u8
}

/// 1 for what can belong to an identifier.
const fn word(byte: u8) -> u8 {
    let joint = (byte == b'.') as u8 | (byte == b':') as u8 | (byte == b'-') as u8 | (byte == b'+') as u8 | (byte == b'~') as u8;
    letter(byte) | joint | (byte == b'_') as u8 | (byte == b'/') as u8 | (byte == b'@') as u8 | (byte >= 0x80) as u8
}

/// 1 for what no plain word has, given 1 for letters before and after it.
const fn mark(byte: u8, after: u8, before: u8) -> u8 {
    let always = (byte.wrapping_sub(b'0') < 10) as u8 | (byte == b'_') as u8 | (byte == b'/') as u8 | (byte == b'@') as u8;
    always | ((byte.wrapping_sub(b'A') < 26) as u8 & after) | ((byte == b'.') as u8 & after & before)
}

/// Whether a byte can belong to an identifier.
const fn is_word(byte: u8) -> bool {
    word(byte) != 0
}

/// One bit a byte of a block: can it belong to an identifier, and is it a mark?
fn masks(block: &[u8; BLOCK], byte_before: u8, byte_behind: u8) -> (u64, u64) {
    let mut letters = [0; BLOCK + 2];
    letters[0] = letter(byte_before);
    letters[BLOCK + 1] = letter(byte_behind);
    for (own, &byte) in letters[1..=BLOCK].iter_mut().zip(block) {
        *own = letter(byte);
    }
    let (mut words, mut marks) = ([0; BLOCK], [0; BLOCK]);
    for at in 0..BLOCK {
        words[at] = word(block[at]);
        marks[at] = mark(block[at], letters[at], letters[at + 2]);
    }
    (bits(&words), bits(&marks))
}

fn bits(lanes: &[u8; BLOCK]) -> u64 {
    let eights = lanes.as_chunks::<8>().0.iter().enumerate();
    eights.fold(0, |bits, (number, eight)| bits | gather(u64::from_le_bytes(*eight)) << (8 * number))
}

/// Eight bytes of 0 or 1 as bits, side by side: the product puts each of them into the highest byte, none on another.
const fn gather(lanes: u64) -> u64 {
    lanes.wrapping_mul(0x0102_0408_1020_4080) >> 56
}

/// Calls `found` with the bounds of every run that holds a mark, in order.
pub(super) fn runs(bytes: &[u8], found: &mut impl FnMut(usize, usize)) {
    // Where the run begins that reaches into the block, and where the last one found ends.
    let (mut open, mut done) = (0, 0);
    let mut last = b' ';
    let mut block = [0; BLOCK];
    for (number, chunk) in bytes.chunks(BLOCK).enumerate() {
        let base = number * BLOCK;
        block[..chunk.len()].copy_from_slice(chunk);
        block[chunk.len()..].fill(0);
        let (words, mut marks) = masks(&block, last, bytes.get(base + BLOCK).copied().unwrap_or(b' '));
        last = block[BLOCK - 1];
        let gaps = !words;
        if done > base {
            marks &= if done - base >= BLOCK { 0 } else { u64::MAX << (done - base) };
        }
        while marks != 0 {
            let bit = marks.trailing_zeros();
            let below = gaps & !(u64::MAX << bit);
            let start = if below == 0 { open } else { base + BLOCK - below.leading_zeros() as usize };
            let above = gaps >> bit;
            let end = if above == 0 {
                let rest = bytes.get(base + BLOCK..).unwrap_or_default();
                base + BLOCK + rest.iter().position(|&byte| !is_word(byte)).unwrap_or(rest.len())
            } else {
                base + bit as usize + above.trailing_zeros() as usize
            };
            found(start, end);
            done = end;
            marks &= if end - base >= BLOCK { 0 } else { u64::MAX << (end - base) };
        }
        if gaps != 0 {
            open = base + BLOCK - gaps.leading_zeros() as usize;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn fast(text: &str) -> Vec<&str> {
        let mut all = Vec::new();
        runs(text.as_bytes(), &mut |start, end| all.push(&text[start..end]));
        all
    }

    /// The same, one byte at a time.
    fn slow(text: &str) -> Vec<&str> {
        let bytes = text.as_bytes();
        let letter = |at: usize| bytes.get(at).is_some_and(u8::is_ascii_alphanumeric);
        let marked = |at: usize| {
            let after = at > 0 && letter(at - 1);
            let byte = bytes[at];
            byte.is_ascii_digit() || b"_/@".contains(&byte) || (after && (byte.is_ascii_uppercase() || (byte == b'.' && letter(at + 1))))
        };
        let mut all = Vec::new();
        let mut at = 0;
        while at < bytes.len() {
            let end = at + bytes[at..].iter().take_while(|&&byte| is_word(byte)).count();
            if (at..end).any(marked) {
                all.push(&text[at..end]);
            }
            at = end.max(at + 1);
        }
        all
    }

    #[test]
    fn only_runs_with_a_mark() {
        assert_eq!(fast("The plan. Read src/main.rs, fooBar and x_1; no-thing: 42"), ["src/main.rs", "fooBar", "x_1", "42"]);
        assert!(fast("").is_empty() && fast("plain words, and no more.").is_empty());
    }

    proptest! {
        #[test]
        fn blocks_change_nothing(text in "([a-c]{1,9}[A-Z0-9._/ ,é客-]{0,3}){0,60}", long in "[a-z/]{60,200}", other in any::<String>()) {
            for text in [format!("{text} {long} {text}"), text, other] {
                prop_assert_eq!(fast(&text), slow(&text));
            }
        }
    }
}
