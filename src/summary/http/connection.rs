//! Single requests to a model.

use crate::summary::http::call_error::{
    CallError, classify_status, header_text, read_json_answer, requested_pause, transport_error,
};
use crate::summary::http::client::build_client;
use crate::summary::http::pacing::until_reset;
use crate::summary::http::prelude::*;
use crate::summary::model::read_reply;

/// The status of an error without a status of its own.
const INTERNAL_SERVER_ERROR: u16 = 500;

/// A client for the questions to a model.
pub(super) struct ModelConnection {
    client: Client,
    url: String,
    dialect: Dialect,
}

impl ModelConnection {
    pub(super) fn new(target: &ModelEndpoint) -> anyhow::Result<Self> {
        let path = match target.dialect {
            Dialect::OpenAi => "chat/completions",
            Dialect::Anthropic => "messages",
        };
        let url = format!("{}/{path}", target.base_url);
        Ok(Self { client: build_client(target)?, url, dialect: target.dialect })
    }

    /// Sends a question. If the server accepts no further requests for now, `hold` gets the time
    /// until it does.
    pub(super) fn send_question(
        &self,
        target: &ModelEndpoint,
        body: Vec<u8>,
        timeout: Duration,
        hold: impl FnOnce(Duration),
    ) -> Result<ModelReply, CallError> {
        let request = self.client.post(&self.url).header("content-type", "application/json");
        let sent = request.body(body).timeout(timeout).send();
        let answer = sent.map_err(|error| transport_error(&error, &self.url))?;
        let after = requested_pause(&answer);
        // A pause that the server asks for takes precedence: a reset is the time when the entire
        // limit is back.
        if after.is_none()
            && let Some(pause) = until_reset(|name| header_text(&answer, name), SystemTime::now())
        {
            hold(pause);
        }
        let body = read_json_answer(target, answer)?;
        match read_reply(&body, self.dialect) {
            Some(reply) => Ok(reply),
            None => Err(error_in_answer(&body, after)),
        }
    }
}

/// Classifies an answer of status 200 that is no reply. Gateways put errors of the server behind
/// them into such answers.
fn error_in_answer(body: &Value, after: Option<Duration>) -> CallError {
    let Some(ServerError { message, code }) = ServerError::from_body(body) else {
        return CallError::temporary("the form of the server's answer is unknown", after);
    };
    let status = code
        .split(' ')
        .find_map(|word| word.parse().ok())
        .filter(|status| (400..600).contains(status))
        .unwrap_or(INTERNAL_SERVER_ERROR);
    classify_status(status, &message, &code, after)
}
