//! Chat templates in Jinja, rendered in the environment of Hugging Face's `transformers`
//! (`apply_chat_template`).

use crate::deciding::tokens::chat_template::ChatTemplateSource;
use crate::deciding::tokens::python;
use crate::reading::json::python_parser::parse_python_json;
use anyhow::anyhow;
use minijinja::syntax::SyntaxConfig;
use minijinja::value::{Kwargs, Serde, Value, ValueKind};
use minijinja::{Environment, Error, ErrorKind, Output, State, context};
use minijinja_contrib::pycompat::unknown_method_callback;
use regex::Regex;
use serde::Serialize;
use std::collections::BTreeMap;
use time::OffsetDateTime;
use tokenizers::Tokenizer;

/// The name of the template in its environment.
const TEMPLATE: &str = "chat_template";

/// A chat template with its tokenizer.
pub(crate) struct JinjaChat {
    tokenizer: Tokenizer,
    environment: Environment<'static>,
    special_tokens: BTreeMap<String, String>,
}

impl JinjaChat {
    /// Reads a template and its tokenizer. Fails if one of them is malformed.
    pub(crate) fn new(source: ChatTemplateSource<'_>) -> anyhow::Result<Self> {
        let mut tokenizer = Tokenizer::from_bytes(source.tokenizer).map_err(tokenizer_error)?;
        tokenizer.with_truncation(None).map_err(tokenizer_error)?;
        tokenizer.with_padding(None);
        // A template writes special tokens as text.
        tokenizer.set_encode_special_tokens(false);
        Ok(Self {
            tokenizer,
            environment: new_environment(source.template, source.now).map_err(template_error)?,
            special_tokens: source.special_tokens,
        })
    }

    /// Returns the tokens of a chat, given as JSON: a list of messages, and a list of tools. Fails
    /// if the template refuses the chat.
    pub(crate) fn count(&self, messages: &[u8], tools: Option<&[u8]>) -> anyhow::Result<usize> {
        let text = self.render(messages, tools).map_err(template_error)?;
        self.tokenizer
            .encode_fast(text, false)
            .map(|encoding| encoding.len())
            .map_err(tokenizer_error)
    }

    fn render(&self, messages: &[u8], tools: Option<&[u8]>) -> Result<String, Error> {
        let messages = parse_json(messages)?;
        let tools = tools.map(parse_json).transpose()?;
        let special = Value::from(Serde(&self.special_tokens));
        let chat = context! {
            messages,
            tools => tools.unwrap_or(Value::from(())),
            documents => Value::from(()),
            add_generation_prompt => false,
            ..special
        };
        self.environment.get_template(TEMPLATE)?.render(chat)
    }
}

fn tokenizer_error(error: tokenizers::Error) -> anyhow::Error {
    anyhow!("not a tokenizer.json: {error}")
}

fn template_error(error: Error) -> anyhow::Error {
    anyhow!("the chat template: {error}")
}

fn parse_json(json: &[u8]) -> Result<Value, Error> {
    let value: serde_json::Value = serde_json::from_slice(json).map_err(json_error)?;
    Ok(Value::from(Serde(value)))
}

fn json_error(error: serde_json::Error) -> Error {
    Error::new(ErrorKind::BadSerialization, error.to_string())
}

/// Returns an environment as `transformers` has it.
fn new_environment(template: &str, now: OffsetDateTime) -> Result<Environment<'static>, Error> {
    let mut environment = Environment::new();
    let syntax = SyntaxConfig::builder().trim_blocks(true).lstrip_blocks(true).build()?;
    environment.set_syntax(syntax);
    environment.set_unknown_method_callback(unknown_method_callback);
    environment.set_auto_escape_callback(|_| minijinja::AutoEscape::None);
    environment.set_formatter(write_as_python);
    environment.add_filter("tojson", to_json);
    environment.add_filter("string", |value: &Value| python_text(value));
    environment.add_function("raise_exception", refuse_chat);
    environment.add_function("strftime_now", move |format: &str| format_time(now, format));
    environment.add_template_owned(TEMPLATE, without_generation_tags(template))?;
    Ok(environment)
}

/// Returns a template with blocks that do nothing in place of those that mark generations.
fn without_generation_tags(template: &str) -> String {
    let tag = |word: &str| Regex::new(&format!(r"\{{%([-+]?)\s*{word}\s*([-+]?)%\}}"));
    let (Ok(open), Ok(close)) = (tag("generation"), tag("endgeneration")) else {
        return template.to_owned();
    };
    let opened = open.replace_all(template, "{%$1 if true $2%}");
    close.replace_all(&opened, "{%$1 endif $2%}").into_owned()
}

/// Ends the rendering with a template's own message.
fn refuse_chat(message: &str) -> Result<Value, Error> {
    Err(Error::new(ErrorKind::InvalidOperation, message.to_owned()))
}

/// Writes a value as Python's `str` does.
fn write_as_python(out: &mut Output, _: &mut State, value: &Value) -> Result<(), Error> {
    out.write_str(&python_text(value)?).map_err(Error::from)
}

fn python_text(value: &Value) -> Result<String, Error> {
    Ok(match value.kind() {
        ValueKind::Undefined => String::new(),
        ValueKind::String => value.as_str().unwrap_or_default().to_owned(),
        ValueKind::None => "None".to_owned(),
        ValueKind::Bool => if value.is_true() { "True" } else { "False" }.to_owned(),
        ValueKind::Map | ValueKind::Seq => {
            let json = serde_json::to_vec(value).map_err(json_error)?;
            let mut text = Vec::new();
            if let Some(parsed) = parse_python_json(&json) {
                python::repr(&parsed, &mut text);
            }
            String::from_utf8_lossy(&text).into_owned()
        }
        _ => value.to_string(),
    })
}

/// The filter `tojson`, which is `json.dumps(value, ensure_ascii=False)`.
fn to_json(value: &Value, options: Kwargs) -> Result<String, Error> {
    let indent: Option<usize> = options.get("indent")?;
    let _: Option<bool> = options.get("ensure_ascii")?;
    options.assert_all_used()?;
    if let Some(indent) = indent {
        let blanks = " ".repeat(indent);
        let form = serde_json::ser::PrettyFormatter::with_indent(blanks.as_bytes());
        let mut writer = serde_json::Serializer::with_formatter(Vec::new(), form);
        value.serialize(&mut writer).map_err(json_error)?;
        return Ok(String::from_utf8_lossy(&writer.into_inner()).into_owned());
    }
    let json = serde_json::to_vec(value).map_err(json_error)?;
    let mut text = Vec::new();
    match parse_python_json(&json) {
        Some(parsed) => python::dumps_unicode(&parsed, &mut text),
        None => text.clone_from(&json),
    }
    Ok(String::from_utf8_lossy(&text).into_owned())
}

/// Formats the time as `strftime` does, in the fields that dates need.
fn format_time(now: OffsetDateTime, format: &str) -> Result<String, Error> {
    let mut text = String::new();
    let mut characters = format.chars();
    while let Some(c) = characters.next() {
        if c != '%' {
            text.push(c);
            continue;
        }
        let month = now.month().to_string();
        let weekday = now.weekday().to_string();
        text += &match characters.next() {
            Some('d') => format!("{:02}", now.day()),
            Some('m') => format!("{:02}", u8::from(now.month())),
            Some('Y') => now.year().to_string(),
            Some('y') => format!("{:02}", now.year() % 100),
            Some('b') => month[..3].to_owned(),
            Some('B') => month,
            Some('a') => weekday[..3].to_owned(),
            Some('A') => weekday,
            Some('H') => format!("{:02}", now.hour()),
            Some('M') => format!("{:02}", now.minute()),
            Some('S') => format!("{:02}", now.second()),
            Some('%') => "%".to_owned(),
            _ => {
                let why = format!("strftime_now({format:?}) has a field that is not known");
                return Err(Error::new(ErrorKind::InvalidOperation, why));
            }
        };
    }
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    const TOKENIZER: &[u8] = include_bytes!("../../../fixtures/tokenizer/tokenizer.json");

    fn chat(template: &str) -> anyhow::Result<JinjaChat> {
        JinjaChat::new(ChatTemplateSource {
            tokenizer: TOKENIZER,
            template,
            special_tokens: BTreeMap::from([("bos_token".to_owned(), "<s>".to_owned())]),
            now: OffsetDateTime::UNIX_EPOCH,
        })
    }

    /// Expected texts are those of `transformers` 5.23.
    #[test]
    fn values_and_filters_are_pythons() {
        let messages = r#"[{"role": "user", "content": "é <b> 'x'", "n": 1.50, "flag": true, "none": null, "list": [1, "a\"b"]}]"#;
        for (template, wanted) in [
            (
                "{{ bos_token }}{{ messages[0].flag }} {{ messages[0].none }} {{ messages[0].n }}",
                "<s>True None 1.5",
            ),
            ("{{ messages[0].list }}", "[1, 'a\"b']"),
            ("{{ messages[0].list | tojson }}", "[1, \"a\\\"b\"]"),
            ("{{ messages[0].content | tojson }}", "\"é <b> 'x'\""),
            (
                "{{ {'a': [1], 'b': {}} | tojson(indent=2) }}",
                "{\n  \"a\": [\n    1\n  ],\n  \"b\": {}\n}",
            ),
            ("{{ ' x '.strip() + messages[0].content.split(' ')[0] }}", "xé"),
            (
                "{% for m in messages %}\n  {% generation %}\n{{ m.role }}\n  {% endgeneration %}\n{% endfor %}",
                "user\n",
            ),
            ("{%- generation -%} a {%- endgeneration -%} b", "ab"),
            ("{{ tools is none }} {{ tools }} {{ missing }}|", "True None |"),
            ("{{ strftime_now('%d %b %Y') }}", "01 Jan 1970"),
            (
                "{% for n in [1, 2, 3] %}{% if n == 2 %}{% continue %}{% endif %}{{ n }}{% endfor %}",
                "13",
            ),
            (
                "{% for k, v in messages[0].items() %}{{ k }},{% endfor %}",
                "role,content,n,flag,none,list,",
            ),
        ] {
            let rendered = chat(template).unwrap().render(messages.as_bytes(), None);
            assert_eq!(rendered.unwrap(), wanted, "{template}");
        }
    }

    #[test]
    fn special_tokens_of_a_template_are_single_tokens() {
        let messages = br#"[{"role": "user", "content": "x"}]"#;
        let count = |template| chat(template).unwrap().count(messages, None).unwrap();
        assert_eq!(count("{{ bos_token }}x"), 2);
        assert_eq!(count("{{ bos_token * 40 }}"), 40, "nothing is cut");
    }

    #[test]
    fn a_template_can_refuse_a_chat() {
        let refusing = chat("{{ raise_exception('user first') }}").unwrap();
        let error = refusing.count(b"[]", None).unwrap_err();
        assert!(error.to_string().contains("user first"), "{error}");
        assert!(chat("{% if %}").is_err());
    }
}
