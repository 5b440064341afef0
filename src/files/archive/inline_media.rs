//! Media that a message holds inline, as base64 or a `data:` URL. A history in XML names a file for
//! each, see `docs/reference/deepagents.md`.

use crate::base::sha256::Sha256;
use crate::reading::json::python_value::{PythonEntry, text_at};

/// The hexadecimal digits of the SHA-256 that name a media file.
const NAME_DIGITS: usize = 16;
/// The type of media that names none.
const UNKNOWN_TYPE: &str = "application/octet-stream";

/// The extensions of media files by their type, as Python's `mimetypes` guesses them.
const EXTENSIONS: &str = include_str!("media_types.txt");

/// A decoded piece of media.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct InlineMedia {
    /// The type, such as `image/png`.
    pub(super) mime: String,
    /// The decoded bytes.
    pub(crate) bytes: Vec<u8>,
}

impl InlineMedia {
    /// Returns the file name: digits of the hash of the bytes, and the extension of the type.
    pub(crate) fn file_name(&self) -> String {
        let extension = EXTENSIONS
            .lines()
            .filter_map(|line| line.split_once(' '))
            .find(|(mime, _)| *mime == self.mime)
            .map_or("bin", |(_, extension)| extension);
        let digits = Sha256::from_bytes(&self.bytes).hex_prefix(NAME_DIGITS);
        format!("{digits}.{extension}")
    }

    /// Returns `image`, `audio` or `video`, if the media is one of these.
    pub(super) fn kind(&self) -> Option<&str> {
        let major = self.mime.split('/').next()?;
        ["image", "audio", "video"].contains(&major).then_some(major)
    }
}

/// Returns the media that a content block holds inline: none if it holds none, an error if they
/// can't be decoded.
pub(super) fn inline_media(block: &[PythonEntry<'_>]) -> Option<Result<InlineMedia, Undecodable>> {
    if let Some(base64) = text_at(block, &["base64"]).filter(|text| !text.is_empty()) {
        let mime = text_at(block, &["mime_type"]).filter(|mime| !mime.is_empty());
        return Some(decode_as(mime.as_deref(), &base64));
    }
    for path in [["url"].as_slice(), &["image_url", "url"], &["image_url"], &["file", "file_data"]]
    {
        if let Some(url) = text_at(block, path).filter(|url| url.starts_with("data:")) {
            return Some(decode_data_url(&url));
        }
    }
    if let Some(audio) = text_at(block, &["input_audio", "data"]) {
        let format = text_at(block, &["input_audio", "format"]).unwrap_or_default();
        return Some(decode_as(Some(&format!("audio/{format}")), &audio));
    }
    let data = text_at(block, &["source", "data"])?;
    let is_base64 = text_at(block, &["source", "type"]).is_some_and(|kind| kind == "base64");
    let mime = text_at(block, &["source", "media_type"]);
    is_base64.then(|| decode_as(mime.as_deref(), &data))
}

/// Media that can't be decoded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Undecodable;

fn decode_as(mime: Option<&str>, base64: &str) -> Result<InlineMedia, Undecodable> {
    Ok(InlineMedia {
        mime: mime.unwrap_or(UNKNOWN_TYPE).to_owned(),
        bytes: decode_base64(base64.as_bytes())?,
    })
}

fn decode_data_url(url: &str) -> Result<InlineMedia, Undecodable> {
    let (header, payload) = url.split_once(',').ok_or(Undecodable)?;
    let after_colon = header.split(':').nth(1).unwrap_or_default();
    let mime = after_colon.split(';').next().unwrap_or_default();
    let is_base64 = header.split(';').any(|part| part.eq_ignore_ascii_case("base64"));
    let bytes = if is_base64 {
        decode_base64(payload.as_bytes())?
    } else {
        decode_percents(payload.as_bytes())
    };
    Ok(InlineMedia { mime: mime.to_owned(), bytes })
}

/// Decodes base64 as Python's `b64decode`: characters outside the alphabet are skipped, what
/// follows the padding is not read, and an incomplete end is an error.
fn decode_base64(text: &[u8]) -> Result<Vec<u8>, Undecodable> {
    let mut bytes = Vec::with_capacity(text.len() / 4 * 3);
    let (mut bits, mut digits, mut pads) = (0u32, 0, 0);
    for &byte in text {
        let value = match byte {
            b'A'..=b'Z' => byte - b'A',
            b'a'..=b'z' => byte - b'a' + 26,
            b'0'..=b'9' => byte - b'0' + 52,
            b'+' => 62,
            b'/' => 63,
            b'=' => {
                if digits >= 2 {
                    pads += 1;
                    if digits + pads >= 4 {
                        return Ok(bytes);
                    }
                }
                continue;
            }
            _ => continue,
        };
        pads = 0;
        bits = bits << 6 | u32::from(value);
        digits = (digits + 1) % 4;
        // The bits of each digit but the first complete a byte.
        if digits != 1 {
            let left = [0, 6, 4, 2][digits];
            bytes.push((bits >> left) as u8);
            bits &= (1 << left) - 1;
        }
    }
    if digits == 0 { Ok(bytes) } else { Err(Undecodable) }
}

/// Decodes `%XX`. A percent sign without two digits stays.
fn decode_percents(text: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text;
    while let Some((&first, behind)) = rest.split_first() {
        let escaped = behind
            .get(..2)
            .filter(|_| first == b'%')
            .filter(|digits| digits.iter().all(u8::is_ascii_hexdigit))
            .and_then(|digits| std::str::from_utf8(digits).ok())
            .and_then(|digits| u8::from_str_radix(digits, 16).ok());
        bytes.push(escaped.unwrap_or(first));
        rest = if escaped.is_some() { &behind[2..] } else { behind };
    }
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reading::json::python_parser::parse_python_object;

    #[test]
    fn base64_is_decoded_as_python_does() {
        for (text, bytes) in [
            ("aGVsbG8=", Some("hello")),
            ("aGVs\nbG8=", Some("hello")),
            ("aGVsbG8", None),
            ("aGVs", Some("hel")),
            ("", Some("")),
            ("!!", Some("")),
            ("aA==rest", Some("h")),
            ("a", None),
            ("aG=V=s", Some("he")),
        ] {
            let found = decode_base64(text.as_bytes()).ok();
            assert_eq!(found.as_deref(), bytes.map(str::as_bytes), "{text}");
        }
    }

    #[test]
    fn media_are_found_in_every_spelling_and_named_by_their_bytes() {
        let find = |json: &str| {
            let block = parse_python_object(json.as_bytes()).unwrap();
            inline_media(&block).map(|found| found.map(|media| media.file_name()))
        };
        // The name is that of deepagents 0.7.32.
        for json in [
            r#"{"type": "image_url", "image_url": {"url": "data:image/png;base64,iVBORw0KGgo="}}"#,
            r#"{"type": "image", "base64": "iVBORw0KGgo=", "mime_type": "image/png"}"#,
            r#"{"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "iVBORw0KGgo="}}"#,
        ] {
            assert_eq!(find(json), Some(Ok("4c4b6a3be1314ab8.png".to_owned())));
        }
        let audio = find(r#"{"input_audio": {"data": "AAAA", "format": "wav"}}"#);
        assert!(audio.unwrap().unwrap().ends_with(".bin"));
        assert!(
            find(r#"{"url": "data:image/svg+xml,%3Csvg/%3E"}"#).unwrap().unwrap().ends_with(".svg")
        );
        assert_eq!(find(r#"{"url": "https://h/x.png"}"#), None);
        assert_eq!(find(r#"{"url": "data:broken"}"#), Some(Err(Undecodable)));
        assert_eq!(decode_percents(b"%41%zz%4"), b"A%zz%4");
    }
}
