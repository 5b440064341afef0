//! Placeholder until the embedded summarizer lands.
use crate::summary::{Request, Summarizer};
/// The embedded summarizer.
pub struct Extract;
impl Summarizer for Extract {
    fn summarize(&self, _: &Request<'_>) -> Result<String, String> {
        Ok("x".into())
    }
}
