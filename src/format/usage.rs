//! Token usage as logs report it: under the names of OpenAI, Anthropic and
//! LangChain. The sum is what OpenCode tests for an overflow (spec: opencode, A.1).

use crate::error::RecordError;
use crate::json::{JsonKind, Scanner, Span};
use crate::transcript::{Message, Role, Usage};

/// What a `usage` object says; none where it says nothing of tokens.
#[must_use]
pub(super) fn read(object: &[u8]) -> Option<Usage> {
    counts(object).ok()?.map(|(usage, _)| usage)
}

/// What LangChain's `usage_metadata` says; none where it tells no total, which alone the reference looks at.
#[must_use]
pub(super) fn metadata(object: &[u8]) -> Option<Usage> {
    counts(object)
        .ok()?
        .filter(|(_, total_reported)| *total_reported)
        .map(|(usage, _)| usage)
}

/// What a record reports is the usage of its last answer.
pub(super) fn of_last_answer(messages: &mut [Message], usage: Option<Usage>) {
    if let Some(answer) = messages
        .iter_mut()
        .rfind(|message| message.role == Role::Assistant)
    {
        answer.usage = answer.usage.take().or(usage.map(Box::new));
    }
}

/// The usage, and whether its total is told or summed here.
fn counts(object: &[u8]) -> Result<Option<(Usage, bool)>, RecordError> {
    let (mut total, mut tokens) = (None, Usage::default());
    // Cached input is part of what is called prompt or input, unless it is told by a key of its own beside it.
    let (mut input, mut cached_within) = (None::<u64>, 0);
    let number = |span: Span| {
        std::str::from_utf8(span.slice(object))
            .ok()
            .and_then(|number| number.parse::<i64>().ok())
    };
    let count = |span: Span| number(span).and_then(|number| u64::try_from(number).ok());
    Scanner::new(object).read_object(|s, key| {
        if matches!(
            key,
            b"prompt_tokens_details" | b"input_tokens_details" | b"input_token_details"
        ) && s.peek_kind()? == JsonKind::Object
        {
            s.read_object(|s, key| {
                let span = s.skip_value()?;
                match key {
                    b"cached_tokens" | b"cache_read" => {
                        tokens.cache_read = count(span).unwrap_or(0)
                    }
                    b"cache_creation" | b"cache_write_tokens" => {
                        tokens.cache_write = count(span).unwrap_or(0)
                    }
                    _ => return Ok(()),
                }
                cached_within = tokens.cache_read.saturating_add(tokens.cache_write);
                Ok(())
            })?;
            return Ok(());
        }
        let span = s.skip_value()?;
        match key {
            b"total_tokens" => total = number(span),
            b"prompt_tokens" | b"input_tokens" => input = count(span),
            b"completion_tokens" | b"output_tokens" => tokens.output = count(span).unwrap_or(0),
            b"cache_read_input_tokens" => tokens.cache_read = count(span).unwrap_or(0),
            b"cache_creation_input_tokens" => tokens.cache_write = count(span).unwrap_or(0),
            _ => {}
        }
        Ok(())
    })?;
    tokens.input = input.unwrap_or(0).saturating_sub(cached_within);
    let sum = [
        tokens.input,
        tokens.output,
        tokens.cache_read,
        tokens.cache_write,
    ]
    .into_iter()
    .fold(0, u64::saturating_add);
    if total.is_none() && sum == 0 {
        return Ok(None);
    }
    tokens.total_tokens = total.unwrap_or(i64::try_from(sum).unwrap_or(i64::MAX));
    Ok(Some((tokens, total.is_some())))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parts(usage: Option<Usage>) -> Option<(i64, [u64; 4])> {
        usage.map(|usage| {
            (
                usage.total_tokens,
                [
                    usage.input,
                    usage.output,
                    usage.cache_read,
                    usage.cache_write,
                ],
            )
        })
    }

    #[test]
    fn usage_is_read_as_providers_and_langchain_write_it() {
        let openai = br#"{"prompt_tokens": 100, "completion_tokens": 7, "total_tokens": 107, "prompt_tokens_details": {"cached_tokens": 80}}"#;
        assert_eq!(parts(read(openai)), Some((107, [20, 7, 80, 0])));
        assert_eq!(
            parts(read(br#"{"prompt_tokens": 100, "completion_tokens": 7}"#)),
            Some((107, [100, 7, 0, 0]))
        );
        let anthropic = br#"{"input_tokens": 3, "output_tokens": 5, "cache_read_input_tokens": 11, "cache_creation_input_tokens": 13}"#;
        assert_eq!(parts(read(anthropic)), Some((32, [3, 5, 11, 13])));
        let langchain = br#"{"input_tokens": 30, "output_tokens": 5, "total_tokens": 35, "input_token_details": {"cache_read": 10, "cache_creation": 4}}"#;
        assert_eq!(parts(metadata(langchain)), Some((35, [16, 5, 10, 4])));
        assert_eq!(
            metadata(br#"{"input_tokens": 30, "output_tokens": 5}"#),
            None
        );
        assert_eq!(read(b"{}"), None);
        assert_eq!(read(br#"{"prompt_tokens": "many"}"#), None);
    }
}
