//! Reads the call of a tool out of code: Codex lets a model write a script that calls its tools,
//! `const r = await tools.exec_command({"cmd": "ls"}); text(r.output)`.

use super::call_form::CalledTool;

/// What stands before the name of a tool in such a script.
const TOOLS: &str = "tools.";
/// The beginning of a patch in a string of the script.
const PATCH_LITERAL: &str = "\"*** Begin Patch";
/// Maximum number of bytes of a script that are searched for its call.
const LONGEST_SEARCHED: usize = 64 * 1024;

/// Returns the first call that a script makes of a tool: with its object of arguments, or with the patch
/// that stands in a string of the script.
pub(super) fn call_in_code(code: &str) -> Option<CalledTool<'_>> {
    let searched = &code.as_bytes()[..code.len().min(LONGEST_SEARCHED)];
    let mut starts = memchr::memmem::find_iter(searched, TOOLS).map(|at| at + TOOLS.len());
    let (name, rest) = starts.find_map(|at| {
        let (name, rest) = code[at..].split_once('(')?;
        let is_name = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
        (!name.is_empty() && name.bytes().all(is_name)).then_some((name, rest))
    })?;
    let arguments = match code.find(PATCH_LITERAL) {
        Some(at) => literal_of(&code[at..])?,
        None => object_of(rest.trim_start())?,
    };
    Some(CalledTool { name, arguments })
}

/// Returns the string literal that a text begins with, with its marks.
fn literal_of(text: &str) -> Option<&str> {
    Some(&text[..end_of_string(text.as_bytes(), 0)?])
}

/// Returns the place behind the string that begins at byte `at`.
fn end_of_string(bytes: &[u8], at: usize) -> Option<usize> {
    let mut at = at + 1;
    loop {
        match bytes.get(at)? {
            b'\\' => at += 2,
            b'"' => return Some(at + 1),
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
        ] {
            assert!(call_in_code(code).is_none(), "{code}");
        }
    }
}
