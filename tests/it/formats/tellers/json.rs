//! Stamps, arguments and chains of ids, which several journals share.

use crate::formats::story::{Call, Exchange};
use serde_json::{Value, json};

pub(crate) const STAMP: &str = "2026-01-01T00:00:00.000Z";

pub(crate) fn arguments(call: &Call) -> Value {
    json!({"path": call.path, "content": call.content})
}

pub(crate) fn pairs(exchange: &Exchange) -> impl Iterator<Item = (&Call, &String)> {
    exchange.calls.iter().zip(&exchange.results)
}

/// A chain of lines that hang on each other.
pub(crate) struct Chain {
    pub(crate) lines: Vec<Value>,
    pub(crate) last: Value,
    pub(crate) answers: usize,
}

impl Chain {
    pub(crate) fn push(&mut self, kind: &str, message: Value) {
        let uuid = format!("u{}", self.lines.len());
        self.lines.push(json!({
            "parentUuid": self.last, "isSidechain": false, "userType": "external", "cwd": "/srv/app", "sessionId": "s-1", "version": "2.1.0",
            "type": kind, "message": message, "uuid": uuid, "timestamp": STAMP, "toolUseResult": "a copy for the screen",
        }));
        self.last = json!(uuid);
    }

    pub(crate) fn user(&mut self, content: Value) {
        self.push("user", json!({"role": "user", "content": content}));
    }

    /// One line a block.
    pub(crate) fn answer(&mut self, blocks: Vec<Value>) {
        self.answers += 1;
        for block in blocks {
            self.push("assistant", json!({"id": format!("msg_{}", self.answers), "role": "assistant", "content": [block], "usage": {"output_tokens": 1}}));
        }
    }

    /// A branch that is left again.
    pub(crate) fn detour(&mut self) {
        let back = self.last.clone();
        self.user(json!("never mind"));
        self.answer(vec![json!({"type": "text", "text": "a dead branch"})]);
        self.last = back;
    }
}
