//! The exact original bytes of everything that was taken out of a file, with
//! their place in the output: all that is needed to get the input back.
//!
//! JSON lines. The first is a [`Header`], the last a [`Trailer`], all between
//! are [`Original`]s in the order of their places. To restore: read the output
//! (decompressed), and at each `at` replace `len` bytes by `original`.

use crate::transcript::splice::{Undo, unsplice};
use serde::{Deserialize, Serialize};

/// Version of this file's shape.
pub const VERSION: u32 = 1;

/// The first line.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Header {
    /// [`VERSION`].
    pub version: u32,
    /// The output file that the places belong to, below the output directory.
    pub output: String,
}

/// The line of an [`Original`] whose place counts from the start of a part of the output: written out as far as
/// possible before it is known where that part goes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pending {
    /// Where it goes, counted from the start of the part.
    pub at: u64,
    rest: String,
}

impl Pending {
    /// Writes out all but the place.
    #[must_use]
    pub fn new(original: &Original) -> Self {
        let at = original.undo.at;
        let json = serde_json::to_string(original).unwrap_or_default();
        // `at` is the first key.
        let rest = json.split_once(',').map_or_else(String::new, |(_, rest)| rest.to_owned());
        Self { at, rest }
    }

    /// The line, with its line end, for a part that goes to `base`.
    #[must_use]
    pub fn line(&self, base: u64) -> String {
        format!("{{\"at\":{},{}\n", base + self.at, self.rest)
    }
}

/// The last line: tells whether an output is the one that the places belong to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Trailer {
    /// Bytes of the output, decompressed.
    pub output_bytes: u64,
}

/// What stood at one place.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Original {
    /// Where it goes.
    #[serde(flatten)]
    pub undo: Undo,
    /// The line of the input where the record begins.
    pub line: u64,
    /// The thread; none for bytes between records.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub thread_id: Option<String>,
}

/// The input's bytes, from the output's and the lines of the originals file.
///
/// # Errors
/// If a line can't be read, or they do not belong together.
pub fn restore(output: &[u8], originals: &str) -> Result<Vec<u8>, String> {
    let lines: Vec<&str> = originals.lines().collect();
    let [header, places @ .., trailer] = lines.as_slice() else { return Err("the originals have no header or no trailer".to_owned()) };
    let header: Header = parse(header)?;
    if header.version != VERSION {
        return Err(format!("version {} of the originals is not known", header.version));
    }
    let trailer: Trailer = parse(trailer)?;
    if trailer.output_bytes != output.len() as u64 {
        return Err(format!("the output has {} bytes, but the originals belong to one of {}", output.len(), trailer.output_bytes));
    }
    let undos: Result<Vec<Undo>, String> = places.iter().map(|line| parse::<Original>(line).map(|original| original.undo)).collect();
    unsplice(output, &undos?)
}

fn parse<'l, T: Deserialize<'l>>(line: &'l str) -> Result<T, String> {
    serde_json::from_str(line).map_err(|error| error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pending_line_is_the_line_of_its_original() {
        let undo = Undo { at: 5, len: 2, original: "a,\"b\"\n".to_owned() };
        let mut original = Original { undo, line: 3, thread_id: Some("t".to_owned()) };
        let line = Pending::new(&original).line(100);
        original.undo.at = 105;
        assert_eq!(serde_json::from_str::<Original>(line.trim_end()).unwrap(), original);
        assert_eq!(line, serde_json::to_string(&original).unwrap() + "\n");
    }
}
