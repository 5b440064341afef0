//! Reads the call of a tool out of code: Codex lets a model write a script that calls its tools,
//! `const r = await tools.exec_command({"cmd": "ls"}); text(r.output)`.

use super::call_form::CalledTool;
use super::shell_lines::{PATCH_OPENING, PATCH_TOOL};

/// What stands before the name of a tool in such a script.
const TOOLS: &str = "tools.";
/// Maximum number of bytes of a script that are searched for its call.
const LONGEST_SEARCHED: usize = 64 * 1024;

/// Returns the call that a script makes of a tool: with its object of arguments, or with the patch
/// that stands in a string of the script. Returns `None` if it makes several: what the script printed
/// would be told as the outcome of the first.
pub(super) fn call_in_code(code: &str) -> Option<CalledTool<'_>> {
    let (mut found, mut patch) = (None, None);
    let mut at = 0;
    while let Some(part) = next_part(code, at) {
        at = part.end;
        match part.kind {
            CodeKind::Literal => patch = patch.or_else(|| patch_in(&code[part.start..part.end])),
            CodeKind::Call if found.is_some() => return None,
            CodeKind::Call => found = Some(part),
        }
    }
    let called = found?;
    let name = &code[called.start..called.end];
    let arguments = match patch.filter(|_| name == PATCH_TOOL) {
        Some(patch) => patch,
        None => object_of(code[called.end + 1..].trim_start())?,
    };
    Some(CalledTool { name, arguments })
}

/// Returns a string of a script if it is a patch. In other marks than those of JSON nobody could read it.
fn patch_in(literal: &str) -> Option<&str> {
    let text = literal.strip_prefix('"')?;
    text.starts_with(PATCH_OPENING).then_some(literal)
}

/// A part of a script that says what it calls.
struct CodePart {
    kind: CodeKind,
    start: usize,
    end: usize,
}

enum CodeKind {
    /// A string with its marks.
    Literal,
    /// The name of a tool that is called, up to the bracket.
    Call,
}

/// Returns the next string or call of a tool from byte `at` on. What stands in comments and strings is no
/// call.
fn next_part(code: &str, mut at: usize) -> Option<CodePart> {
    let bytes = code.as_bytes();
    while at < bytes.len().min(LONGEST_SEARCHED) {
        match bytes[at] {
            b'"' | b'\'' | b'`' => {
                let end = end_of_string(bytes, at)?;
                let kind = CodeKind::Literal;
                return Some(CodePart {
                    kind,
                    start: at,
                    end,
                });
            }
            b'/' if bytes[at..].starts_with(b"//") => at += memchr::memchr(b'\n', &bytes[at..])?,
            b'/' if bytes[at..].starts_with(b"/*") => {
                at += 4 + memchr::memmem::find(&bytes[at + 2..], b"*/")?;
            }
            byte if is_name(byte) => {
                let start = if bytes[at..].starts_with(TOOLS.as_bytes()) {
                    at + TOOLS.len()
                } else {
                    at
                };
                let length = bytes[start..]
                    .iter()
                    .take_while(|byte| is_name(**byte))
                    .count();
                let end = start + length;
                if start > at && length > 0 && bytes.get(end) == Some(&b'(') {
                    let kind = CodeKind::Call;
                    return Some(CodePart { kind, start, end });
                }
                at = end.max(at + 1);
            }
            _ => at += 1,
        }
    }
    None
}

fn is_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

/// Returns the place behind the string that begins at byte `at`.
fn end_of_string(bytes: &[u8], at: usize) -> Option<usize> {
    let mark = bytes[at];
    let mut at = at + 1;
    loop {
        match *bytes.get(at)? {
            b'\\' => at += 2,
            byte if byte == mark => return Some(at + 1),
            _ => at += 1,
        }
    }
}

/// Returns the object that a text begins with. Returns `None` for anything else, and for an object of which
/// the names stand without marks.
fn object_of(text: &str) -> Option<&str> {
    let bytes = text.as_bytes();
    let opens = bytes.first() == Some(&b'{') && text[1..].trim_start().starts_with(['"', '}']);
    if !opens {
        return None;
    }
    let (mut depth, mut at) = (0_usize, 0);
    loop {
        match bytes.get(at)? {
            b'"' => {
                at = end_of_string(bytes, at)?;
                continue;
            }
            b'{' | b'[' => depth += 1,
            b'}' | b']' => {
                depth = depth.checked_sub(1)?;
                if depth == 0 {
                    return Some(&text[..=at]);
                }
            }
            _ => {}
        }
        at += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_script_is_the_call_that_it_makes() {
        for (code, name, arguments) in [
            (
                r#"const r = await tools.exec_command({"cmd": "ls \"{\" [", "workdir": "/srv"}); text(r.output);"#,
                "exec_command",
                r#"{"cmd": "ls \"{\" [", "workdir": "/srv"}"#,
            ),
            (
                r#"const patch = "*** Begin Patch\n*** Add File: a.rs\n+x(\"1\")\n*** End Patch"; text(await tools.apply_patch(patch));"#,
                "apply_patch",
                r#""*** Begin Patch\n*** Add File: a.rs\n+x(\"1\")\n*** End Patch""#,
            ),
            ("tools.list({})", "list", "{}"),
        ] {
            let call = call_in_code(code).unwrap();
            assert_eq!((call.name, call.arguments), (name, arguments));
        }
        for code in [
            "",
            "tools.",
            "tools.run(a)",
            "tools.run({cmd: 1})",
            r#"tools.run({"a": "b"#,
            "x = 1",
            "// tools.run({})",
            "/* tools.run({}) */",
            r#"text("tools.run({})")"#,
            "text(`tools.run({})`)",
            r#"text("*** Begin Patch"); tools.run(a)"#,
            r#"await tools.run({"cmd": "a"}); await tools.run({"cmd": "b"})"#,
        ] {
            assert!(call_in_code(code).is_none(), "{code}");
        }
    }
}
