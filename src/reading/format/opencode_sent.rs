//! The messages of OpenCode as it hands them to the provider. Only their length is of interest: by
//! it OpenCode decides how many turns stay, see `docs/reference/opencode.md`.

use crate::reading::format::opencode_live::info_text;
use crate::reading::format::prelude::*;

/// Providers that take files in the results of tools.
const TAKE_FILES: [&str; 3] = ["anthropic", "openai", "google-vertex-anthropic"];

/// The model of the next call, as far as it decides how an earlier answer is sent.
pub(super) struct CallingModel {
    /// True if it gave the answer.
    pub(super) is_same: bool,
    provider: String,
    /// Its name, without the provider.
    name: String,
}

impl CallingModel {
    /// Compares a model, named with its provider, with the one that gave an answer.
    pub(super) fn new(answer: JsonNode<'_>, model: &str) -> Self {
        let text = |key| info_text(answer, key).unwrap_or_default();
        let (provider, name) = model.split_once('/').unwrap_or(("", model));
        Self {
            is_same: text("providerID") == provider && text("modelID") == name,
            provider: provider.to_owned(),
            name: name.to_owned(),
        }
    }

    /// Returns true if a file that a tool returned stays in the result. Else pictures and PDFs go
    /// into a message of the user.
    pub(super) fn takes_in_results(&self, file: JsonNode<'_>) -> bool {
        let mime = file.get_text("mime");
        let mime = mime.unwrap_or_default();
        let is_image = mime.starts_with("image/");
        if !is_image && mime != "application/pdf" {
            return true;
        }
        let name = self.name.to_lowercase();
        match self.provider.as_str() {
            "xai" => is_image,
            "google" => name.contains("gemini-3") && !name.contains("gemini-2"),
            "amazon-bedrock" => {
                is_image
                    && ["anthropic.", "nova", "llama4", "llama-4"]
                        .iter()
                        .any(|part| name.contains(part))
            }
            provider => TAKE_FILES.contains(&provider),
        }
    }

    /// Returns what the provider said beside a part, which only the same model gets back.
    pub(super) fn metadata_of<'t>(&self, part: JsonNode<'t>) -> Option<&'t [u8]> {
        let metadata = part.get("metadata").map(JsonNode::bytes);
        metadata.filter(|metadata| self.is_same && *metadata != b"null")
    }

    /// Returns what the provider said beside a call.
    pub(super) fn call_metadata_of(&self, part: JsonNode<'_>) -> Option<Vec<u8>> {
        let metadata = part.get("metadata").filter(|_| self.is_same)?;
        let entries: Vec<Vec<u8>> = metadata
            .entries()
            .map(|(key, value)| {
                let key = key.slice(metadata.record_bytes());
                fill_json("$:$", &[key, value.bytes()])
            })
            .filter(|entry| !entry.starts_with(b"\"providerExecuted\":"))
            .collect();
        (!entries.is_empty()).then(|| fill_json("{$}", &[&entries.join(b",".as_slice())]))
    }
}

pub(super) fn sent_message(role: &str, parts: &[Vec<u8>]) -> Vec<u8> {
    fill_json(r#"{"role":"$","content":[$]}"#, &[role.as_bytes(), &parts.join(b",".as_slice())])
}

fn options(metadata: Option<&[u8]>) -> Vec<u8> {
    metadata.map_or_else(Vec::new, |metadata| fill_json(r#","providerOptions":$"#, &[metadata]))
}

pub(super) fn sent_text(literal: &[u8], metadata: Option<&[u8]>) -> Vec<u8> {
    fill_json(r#"{"type":"text","text":$$}"#, &[literal, &options(metadata)])
}

pub(super) fn sent_reasoning(literal: &[u8], metadata: Option<&[u8]>) -> Vec<u8> {
    let pattern = r#"{"type":"reasoning","text":$$}"#;
    fill_json(pattern, &[literal, &options(metadata)])
}

pub(super) fn sent_file(part: JsonNode<'_>) -> Vec<u8> {
    let name = part.literal_bytes("filename");
    let name = name.map(|name| fill_json(r#","filename":$"#, &[name]));
    let (mime, url) = (part.bytes_or_null("mime"), part.bytes_or_null("url"));
    let pattern = r#"{"type":"file","mediaType":$$,"data":$}"#;
    fill_json(pattern, &[mime, &name.unwrap_or_default(), url])
}

pub(super) fn sent_tool_call(
    part: JsonNode<'_>,
    state: JsonNode<'_>,
    metadata: Option<&[u8]>,
) -> Vec<u8> {
    let (id, tool) = (part.bytes_or_null("callID"), part.bytes_or_null("tool"));
    let pattern = r#"{"type":"tool-call","toolCallId":$,"toolName":$,"input":$$}"#;
    fill_json(pattern, &[id, tool, state.bytes_or_null("input"), &options(metadata)])
}

/// Returns the result of a call: a text (a literal) and whether it is an error, and the files that
/// stay in it.
pub(super) fn sent_result(
    part: JsonNode<'_>,
    (text, failed): (&[u8], bool),
    files: &[JsonNode<'_>],
    metadata: Option<&[u8]>,
) -> Vec<u8> {
    let output = if files.is_empty() {
        let kind: &[u8] = if failed { b"error-text" } else { b"text" };
        fill_json(r#"{"type":"$","value":$}"#, &[kind, text])
    } else {
        let mut parts = Vec::new();
        if text != b"\"\"" {
            parts.push(sent_text(text, None));
        }
        parts.extend(files.iter().filter_map(|file| sent_media(*file)));
        let parts = parts.join(b",".as_slice());
        fill_json(r#"{"type":"content","value":[$]}"#, &[&parts])
    };
    fill_json(
        r#"{"type":"tool-result","toolCallId":$,"toolName":$,"output":$$}"#,
        &[part.bytes_or_null("callID"), part.bytes_or_null("tool"), &output, &options(metadata)],
    )
}

/// Returns a file inside a result. Only files that are written out are sent.
fn sent_media(file: JsonNode<'_>) -> Option<Vec<u8>> {
    let url = decode_literal(file.literal_bytes("url")?);
    let (head, data) = url.split_once(',')?;
    head.starts_with("data:").then(|| {
        fill_json(
            r#"{"type":"media","mediaType":$,"data":$}"#,
            &[file.bytes_or_null("mime"), &encode_literal(data)],
        )
    })
}
