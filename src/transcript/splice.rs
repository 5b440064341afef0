//! Splices: new bytes in place of a span, all other bytes as they came; and
//! their inverse, which says what stood there.

use crate::transcript::json::Span;

/// New bytes for a span of one record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Splice {
    /// What is replaced.
    pub span: Span,
    /// What stands there instead.
    pub bytes: Vec<u8>,
}

/// What a splice took away, by its place in the new bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Undo {
    /// Byte offset in the new bytes.
    pub at: u64,
    /// How many new bytes to take out there.
    pub len: u64,
    /// The original bytes to put in.
    pub original: Vec<u8>,
}

/// Appends `bytes` with the splices made to `out`. The undos count from the
/// start of `out`. Splices must not overlap; their order does not matter.
pub fn splice(bytes: &[u8], splices: &mut [Splice], out: &mut Vec<u8>) -> Vec<Undo> {
    splices.sort_by_key(|splice| splice.span);
    let mut undos = Vec::with_capacity(splices.len());
    let mut at = 0;
    for Splice { span, bytes: new } in splices.iter() {
        out.extend_from_slice(&bytes[at..span.start]);
        undos.push(Undo { at: out.len() as u64, len: new.len() as u64, original: span.of(bytes).to_vec() });
        out.extend_from_slice(new);
        at = span.end;
    }
    out.extend_from_slice(&bytes[at..]);
    undos
}

/// Puts back what splices took away. `undos` are in the order of their places.
///
/// # Errors
/// If an undo points outside `bytes`: they are not the bytes that it belongs to.
pub fn unsplice(bytes: &[u8], undos: &[Undo]) -> Result<Vec<u8>, String> {
    let mut out = Vec::with_capacity(bytes.len());
    let mut at = 0;
    for undo in undos {
        let start = usize::try_from(undo.at).map_err(|error| error.to_string())?;
        let kept = bytes.get(at..start).ok_or_else(|| format!("no byte {start} to put originals at"))?;
        out.extend_from_slice(kept);
        out.extend_from_slice(&undo.original);
        at = start + usize::try_from(undo.len).map_err(|error| error.to_string())?;
    }
    out.extend_from_slice(bytes.get(at..).ok_or_else(|| format!("no byte {at} to go on from"))?);
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn unsplice_inverts_splice(text in "[a-zé]{0,40}", cuts in proptest::collection::vec((0usize..40, 0usize..5, "[xy]{0,3}"), 0..5)) {
            let mut splices: Vec<Splice> = Vec::new();
            let mut last = 0;
            let mut cuts = cuts;
            cuts.sort();
            for (start, length, new) in cuts {
                let (start, end) = (start, start + length);
                if start < last || !text.is_char_boundary(start.min(text.len())) || end > text.len() || !text.is_char_boundary(end) {
                    continue;
                }
                last = end;
                splices.push(Splice { span: Span { start, end }, bytes: new.into_bytes() });
            }
            let mut out = Vec::new();
            let undos = splice(text.as_bytes(), &mut splices, &mut out);
            prop_assert_eq!(unsplice(&out, &undos).unwrap(), text.as_bytes());
        }
    }
}
