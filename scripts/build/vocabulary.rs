//! A vocabulary as hash tables.

use crate::layout::{
    ID_BITS, NO_PAIR, NONE, OFFSET_BITS, PARTLY_BEFORE, PARTLY_BEHIND, SHORT, TABLES, TINY,
    combine_tables, hash_key, hash_long, hash_pair, long_token, pack_pair, pair_bit, pair_place,
    piece_key, tiny_token, token_place,
};
use std::collections::{HashMap, HashSet};
use std::io::Write;
use std::path::Path;
use std::{fs, io};
use tiktoken_rs::CoreBPE;

/// Places of a table for so many things.
fn places(things: usize) -> usize {
    (things + things / 4).next_power_of_two()
}

/// Tokens of one byte, which have the lowest ranks.
const BYTES: u32 = 256;

/// Compresses the tables in the files `BASE.NAME` into one file, `BASE.packed`: the length of each,
/// and its bytes. With another vocabulary these are combined with its bytes by exclusive or, so that
/// equal ones are 0.
pub(crate) fn pack(base: &Path, against: Option<&Path>) -> io::Result<()> {
    let file = fs::File::create(base.with_extension("packed"))?;
    let mut packed = flate2::write::ZlibEncoder::new(file, flate2::Compression::best());
    for name in TABLES {
        let mut table = fs::read(base.with_extension(name))?;
        if let Some(against) = against {
            let others = fs::read(against.with_extension(name))?;
            combine_tables(&mut table, &others);
        }
        let length = u32::try_from(table.len()).expect("tables are short");
        packed.write_all(&length.to_le_bytes())?;
        packed.write_all(&table)?;
    }
    packed.finish()?;
    Ok(())
}

/// Writes the tables as files `BASE.NAME`.
pub(crate) fn write(encoding: &CoreBPE, end: u32, base: &Path) -> io::Result<()> {
    let special: HashSet<Vec<u8>> =
        encoding.special_tokens().iter().map(|token| token.as_bytes().to_vec()).collect();
    let spell =
        |rank: u32| encoding.decode_bytes(&[rank]).ok().filter(|token| !special.contains(token));
    let tokens: Vec<(u32, Vec<u8>)> =
        (0..end).filter_map(|rank| Some((rank, spell(rank)?))).collect();
    assert!(spell(end).is_none(), "{}: there is a token of rank {end}", base.display());
    assert!(end < 1 << ID_BITS);
    let ranks: HashMap<&[u8], u32> =
        tokens.iter().map(|(rank, token)| (&token[..], *rank)).collect();
    let bytes: Vec<u8> = (0..=u8::MAX)
        .map(|byte| u8::try_from(ranks[&[byte][..]]).expect("bytes come first"))
        .collect();

    let mut pairs = Pairs::new(tokens.len());
    let (mut two, mut characters, mut borders) =
        (vec![NONE; 1 << 16], vec![NONE; 1 << 16], vec![0; 1 << 16]);
    let (mut tiny, mut short, mut long, mut spelled) =
        (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    let mut lengths = vec![0; end as usize];
    for (rank, token) in &tokens {
        if let Some((left, right)) = halves(token, &bytes, &pairs, &ranks) {
            pairs.insert(left, right, *rank);
            if left < BYTES && right < BYTES {
                two[(left * BYTES + right) as usize] = *rank;
            }
            // Then whatever holds a character came after it, and it is made before.
            assert!(
                left < *rank && right < *rank,
                "{}: a token ranks before its halves",
                base.display()
            );
            if let Some(character) = one_character(token) {
                characters[character as usize] = *rank;
            }
        }
        borders_within(token, &mut borders);
        let length = u8::try_from(token.len()).expect("tokens are short");
        lengths[*rank as usize] = length;
        if token.len() > SHORT {
            let hash = hash_long(token);
            long.push((
                hash,
                long_token(hash, u32::try_from(spelled.len()).expect("a vocabulary is small")),
            ));
            spelled.push(length);
            spelled.extend_from_slice(token);
            continue;
        }
        let key = piece_key(token, 0, token.len());
        if token.len() <= TINY {
            tiny.push((hash_key(key), tiny_token(key)));
        } else {
            short.push((hash_key(key), key));
        }
    }
    assert!(spelled.len() < 1 << OFFSET_BITS);

    let numbers = |numbers: &[u32]| {
        numbers.iter().flat_map(|number| number.to_le_bytes()).collect::<Vec<u8>>()
    };
    fs::write(base.with_extension("bytes"), bytes)?;
    fs::write(base.with_extension("two"), numbers(&two))?;
    fs::write(base.with_extension("characters"), numbers(&characters))?;
    fs::write(base.with_extension("borders"), borders)?;
    let entries =
        |entries: &[u64]| entries.iter().flat_map(|entry| entry.to_le_bytes()).collect::<Vec<u8>>();
    fs::write(base.with_extension("tiny"), entries(&by_hash(&tiny)))?;
    fs::write(
        base.with_extension("short"),
        by_hash(&short).iter().flat_map(|key| key.to_le_bytes()).collect::<Vec<u8>>(),
    )?;
    fs::write(base.with_extension("long"), entries(&by_hash(&long)))?;
    fs::write(base.with_extension("filter"), pairs.filter)?;
    fs::write(base.with_extension("pairs"), entries(&pairs.entries))?;
    fs::write(base.with_extension("spelled"), spelled)?;
    fs::write(base.with_extension("lengths"), lengths)
}

/// The places of a table of tokens are a multiple of this number, so that vocabularies that differ
/// in few tokens have tables of one size.
const PLACES_STEP: usize = 64;

/// A table of tokens, each with its hash: one that ranks low, and so is looked for often, stands
/// where the search for it begins.
fn by_hash<T: Copy + Default + PartialEq>(tokens: &[(u64, T)]) -> Vec<T> {
    let places = (tokens.len() + tokens.len() / 3).next_multiple_of(PLACES_STEP);
    let mut table = vec![T::default(); places];
    for (hash, token) in tokens {
        let mut place = token_place(*hash, table.len());
        while table[place] != T::default() {
            place = (place + 1) % table.len();
        }
        table[place] = *token;
    }
    table
}

/// The pairs of tokens that make another: those of low ranks come first, and are found first.
struct Pairs {
    entries: Vec<u64>,
    filter: Vec<u8>,
}

impl Pairs {
    fn new(most: usize) -> Self {
        Self { entries: vec![NO_PAIR; places(most)], filter: vec![0; places(most)] }
    }

    /// Returns the place of the pair, or the place that it would have.
    fn find(&self, pair: u64) -> usize {
        let mut place = pair_place(hash_pair(pair), self.entries.len());
        while self.entries[place] != NO_PAIR && self.entries[place] >> ID_BITS != pair {
            place = (place + 1) & (self.entries.len() - 1);
        }
        place
    }

    fn get(&self, left: u32, right: u32) -> Option<u32> {
        let entry = self.entries[self.find(pack_pair(left, right))];
        (entry != NO_PAIR).then_some((entry & ((1 << ID_BITS) - 1)) as u32)
    }

    fn insert(&mut self, left: u32, right: u32, merged: u32) {
        let pair = pack_pair(left, right);
        let (byte, bit) = pair_bit(hash_pair(pair), self.filter.len());
        self.filter[byte] |= bit;
        let place = self.find(pair);
        self.entries[place] = pair << ID_BITS | u64::from(merged);
    }
}

/// The two tokens that byte-pair encoding of a token's bytes joins last: no others ever stand side
/// by side to make it. None for a byte, and where the encoding of its bytes is not the token.
/// `pairs` holds those of all lower ranks.
fn halves(
    token: &[u8],
    bytes: &[u8],
    pairs: &Pairs,
    ranks: &HashMap<&[u8], u32>,
) -> Option<(u32, u32)> {
    let by_pairs = || {
        let mut parts: Vec<u32> =
            token.iter().map(|byte| u32::from(bytes[usize::from(*byte)])).collect();
        while parts.len() > 2 {
            let candidates = parts
                .windows(2)
                .enumerate()
                .filter_map(|(at, two)| Some((pairs.get(two[0], two[1])?, at)));
            let (merged, at) = candidates.min()?;
            parts[at] = merged;
            parts.remove(at + 1);
        }
        <[u32; 2]>::try_from(parts).ok().map(|[left, right]| (left, right))
    };
    // As the encoding is defined, where something of a higher rank merges on the way.
    let by_bytes = || {
        let mut borders: Vec<usize> = (0..=token.len()).collect();
        while borders.len() > 3 {
            let candidates = borders
                .windows(3)
                .enumerate()
                .filter_map(|(at, border)| Some((*ranks.get(&token[border[0]..border[2]])?, at)));
            let (_, at) = candidates.min()?;
            borders.remove(at + 1);
        }
        let [start, middle, end] = borders[..] else {
            return None;
        };
        Some((ranks[&token[start..middle]], ranks[&token[middle..end]]))
    };
    by_pairs().or_else(by_bytes)
}

/// The character that the token is, if it has two or three bytes.
fn one_character(token: &[u8]) -> Option<u32> {
    let mut characters = std::str::from_utf8(token).ok()?.chars();
    let character = characters.next().filter(|_| characters.next().is_none())?;
    (2..=3).contains(&character.len_utf8()).then_some(u32::from(character))
}

/// Marks the borders of characters at which the token begins or ends within one.
fn borders_within(token: &[u8], marks: &mut [u8]) {
    let inner = |byte: u8| byte & 0xC0 == 0x80;
    let mut borders = (1..token.len()).filter(|at| !inner(token[*at]));
    let mut mark = |at: usize, mark: u8| {
        marks[usize::from(token[at - 1]) << 8 | usize::from(token[at])] |= mark
    };
    let Some(first) = borders.next() else { return };
    let last = borders.next_back().unwrap_or(first);
    if inner(token[0]) {
        mark(first, PARTLY_BEFORE);
    }
    if std::str::from_utf8(&token[last..]).is_err() {
        mark(last, PARTLY_BEHIND);
    }
}
