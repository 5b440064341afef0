//! Token usage as logs report it, under the names of OpenAI, Anthropic and LangChain.
//!
//! The total is what OpenCode compares with the model's limit, see `docs/reference/opencode.md`.

use crate::reading::transcript::prelude::*;

struct ParsedUsage {
    usage: Usage,
    /// True if the object states a total; otherwise the total is a sum of its parts.
    has_total: bool,
}

/// Parses a `usage` object. Returns `None` if it reports no tokens.
pub(super) fn parse_usage(object: &[u8]) -> Option<Usage> {
    let parsed = parse_object(object).ok()??;
    Some(parsed.usage)
}

/// Parses LangChain's `usage_metadata`. Returns `None` if it states no total: LangChain looks at
/// nothing else.
pub(super) fn parse_usage_metadata(object: &[u8]) -> Option<Usage> {
    let parsed = parse_object(object).ok()??;
    parsed.has_total.then_some(parsed.usage)
}

/// Assigns the usage that a record reports to its last answer, unless that has its own.
pub(super) fn assign_to_last_answer(messages: &mut [Message], usage: Option<Usage>) {
    if let Some(answer) = messages.iter_mut().rfind(|message| message.role == Role::Assistant) {
        let of_list = |usage| Usage { of_list: true, ..usage };
        answer.usage = answer.usage.take().or(usage.map(of_list).map(Box::new));
    }
}

fn parse_object(object: &[u8]) -> Result<Option<ParsedUsage>, RecordError> {
    let (mut total, mut tokens) = (None, Usage::default());
    // The prompt or input includes cached tokens that are reported in its details, but not those
    // that are reported beside it.
    let (mut input, mut cached_input) = (None::<u64>, 0);
    let count = |span| token_count(object, span).unwrap_or(0);
    Scanner::new(object).read_object(|s, key| {
        let is_details = matches!(
            key,
            b"prompt_tokens_details" | b"input_tokens_details" | b"input_token_details"
        );
        if is_details && s.peek_kind()? == JsonKind::Object {
            s.read_object(|s, key| {
                let span = s.skip_value()?;
                match key {
                    b"cached_tokens" | b"cache_read" => tokens.cache_read = count(span),
                    b"cache_creation" | b"cache_write_tokens" => tokens.cache_write = count(span),
                    _ => return Ok(()),
                }
                cached_input = tokens.cache_read.saturating_add(tokens.cache_write);
                Ok(())
            })?;
            return Ok(());
        }
        let span = s.skip_value()?;
        match key {
            b"total_tokens" => total = integer(object, span),
            b"prompt_tokens" | b"input_tokens" => input = token_count(object, span),
            b"completion_tokens" | b"output_tokens" => tokens.output = count(span),
            b"cache_read_input_tokens" => tokens.cache_read = count(span),
            b"cache_creation_input_tokens" => tokens.cache_write = count(span),
            _ => {}
        }
        Ok(())
    })?;
    tokens.input = input.unwrap_or(0).saturating_sub(cached_input);
    let sum = tokens.sum();
    if total.is_none() && sum == 0 {
        return Ok(None);
    }
    tokens.total_tokens = total.unwrap_or(i64::try_from(sum).unwrap_or(i64::MAX));
    Ok(Some(ParsedUsage { usage: tokens, has_total: total.is_some() }))
}

fn integer(object: &[u8], span: Span) -> Option<i64> {
    std::str::from_utf8(span.slice(object)).ok()?.parse().ok()
}

fn token_count(object: &[u8], span: Span) -> Option<u64> {
    u64::try_from(integer(object, span)?).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn total_and_parts(usage: Option<Usage>) -> Option<(i64, [u64; 4])> {
        usage.map(|usage| {
            (usage.total_tokens, [usage.input, usage.output, usage.cache_read, usage.cache_write])
        })
    }

    #[test]
    fn usage_is_read_as_providers_and_langchain_write_it() {
        let openai = br#"{"prompt_tokens": 100, "completion_tokens": 7, "total_tokens": 107, "prompt_tokens_details": {"cached_tokens": 80}}"#;
        assert_eq!(total_and_parts(parse_usage(openai)), Some((107, [20, 7, 80, 0])));
        let plain = br#"{"prompt_tokens": 100, "completion_tokens": 7}"#;
        assert_eq!(total_and_parts(parse_usage(plain)), Some((107, [100, 7, 0, 0])));
        let anthropic = br#"{"input_tokens": 3, "output_tokens": 5, "cache_read_input_tokens": 11, "cache_creation_input_tokens": 13}"#;
        assert_eq!(total_and_parts(parse_usage(anthropic)), Some((32, [3, 5, 11, 13])));
        let langchain = br#"{"input_tokens": 30, "output_tokens": 5, "total_tokens": 35, "input_token_details": {"cache_read": 10, "cache_creation": 4}}"#;
        assert_eq!(total_and_parts(parse_usage_metadata(langchain)), Some((35, [16, 5, 10, 4])));
        assert_eq!(parse_usage_metadata(br#"{"input_tokens": 30, "output_tokens": 5}"#), None);
        assert_eq!(parse_usage(b"{}"), None);
        assert_eq!(parse_usage(br#"{"prompt_tokens": "many"}"#), None);
    }
}
