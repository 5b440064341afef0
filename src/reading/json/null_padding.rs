//! The null members with which columnar stores fill up the objects of a list, so that all have the
//! same keys.

use crate::base::error::RecordError;
use crate::reading::json::splice::{Splice, apply_splices};
use crate::reading::json::{JsonKind, Scanner, Span};
use memchr::memmem;
use std::borrow::Cow;

/// Keywords of JSON Schema whose value is data, which may be null.
const NULLABLE_KEYS: [&[u8]; 3] = [b"default", b"const", b"example"];
/// Keywords whose value is a list of data: null may be in the list, not in its place.
const DATA_LIST_KEYS: [&[u8]; 2] = [b"enum", b"examples"];

/// Returns tool schemas without the null members that only fill up. No keyword of a schema is null
/// but those that hold one value, such as `default`: these go with others that are null beside them.
/// Anything else than JSON stays as it is.
pub(crate) fn without_null_padding(schemas: &[u8]) -> Cow<'_, [u8]> {
    if memmem::find(schemas, b"null").is_none() {
        return Cow::Borrowed(schemas);
    }
    let mut padding = Vec::new();
    let found = find_padding(&mut Scanner::new(schemas), schemas, &mut padding);
    if found.is_err() || padding.is_empty() {
        return Cow::Borrowed(schemas);
    }
    let mut kept = Vec::with_capacity(schemas.len());
    apply_splices(schemas, &mut padding, &mut kept);
    Cow::Owned(kept)
}

struct SchemaMember {
    /// From the key to the end of the value.
    span: Span,
    is_null: bool,
    is_nullable: bool,
}

/// Collects the ranges of null members in a value, each with the comma that goes with it.
fn find_padding(
    scanner: &mut Scanner<'_>,
    schemas: &[u8],
    padding: &mut Vec<Splice>,
) -> Result<(), RecordError> {
    match scanner.peek_kind()? {
        JsonKind::Object => {
            let mut members: Vec<SchemaMember> = Vec::new();
            scanner.read_object_with_key_spans(|s, key| {
                let quoted = key.slice(schemas);
                let name = &quoted[1..quoted.len() - 1];
                let is_nullable = NULLABLE_KEYS.contains(&name);
                let is_null = s.peek_kind()? == JsonKind::Null;
                if is_null || is_nullable || DATA_LIST_KEYS.contains(&name) {
                    s.skip_value()?;
                } else {
                    find_padding(s, schemas, padding)?;
                }
                members.push(SchemaMember {
                    span: Span { start: key.start, end: s.position() },
                    is_null,
                    is_nullable,
                });
                Ok(())
            })?;
            if members.iter().any(|member| member.is_null && !member.is_nullable) {
                push_null_members(&members, padding);
            }
            Ok(())
        }
        JsonKind::Array => {
            scanner.read_array(|s| find_padding(s, schemas, padding))?;
            Ok(())
        }
        _ => scanner.skip_value().map(drop),
    }
}

fn nothing_at(start: usize, end: usize) -> Splice {
    Splice { span: Span { start, end }, bytes: Vec::new() }
}

/// Pushes the range of each null member: to the next key, or from the last member that stays.
fn push_null_members(members: &[SchemaMember], padding: &mut Vec<Splice>) {
    let last_kept = members.iter().rposition(|member| !member.is_null);
    for (member, next) in members.iter().zip(&members[1..]).take(last_kept.unwrap_or(0)) {
        if member.is_null {
            padding.push(nothing_at(member.span.start, next.span.start));
        }
    }
    let start = match last_kept {
        Some(last) if last + 1 == members.len() => return,
        Some(last) => members[last].span.end,
        None => members[0].span.start,
    };
    if let Some(last) = members.last() {
        padding.push(nothing_at(start, last.span.end));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn members_that_only_fill_up_go() {
        for (padded, plain) in [
            (r#"[{"a": null, "name": "f", "b": null, "c":null}]"#, r#"[{"name": "f"}]"#),
            (r#"[{"a": null, "b": null}]"#, "[{}]"),
            (
                r#"[{"p": {"x": {"type": "t", "default": null, "enum": null}, "y": null}, "q": 1}]"#,
                r#"[{"p": {"x": {"type": "t"}}, "q": 1}]"#,
            ),
            // A default that is null, and data.
            (
                r#"[{"anyOf": [{"type": "null"}], "default": null}]"#,
                r#"[{"anyOf": [{"type": "null"}], "default": null}]"#,
            ),
            (
                r#"[{"examples": [{"a": null}], "default": {"b": null}, "enum": [null]}]"#,
                r#"[{"examples": [{"a": null}], "default": {"b": null}, "enum": [null]}]"#,
            ),
            ("[null, {\"a\": null}", "[null, {\"a\": null}"),
        ] {
            let kept = without_null_padding(padded.as_bytes());
            assert_eq!(std::str::from_utf8(&kept).unwrap(), plain);
        }
    }
}
