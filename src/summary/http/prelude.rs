//! What the callers of models are written with.

pub(super) use crate::base::stop_flag::StopFlag;
pub(super) use crate::deciding::policy::Dialect;
pub(super) use crate::reporting::report::SummaryUsage;
pub(super) use crate::summary::error::{NotAskedReason, SummaryError};
pub(super) use crate::summary::model::{ModelEndpoint, ModelReply, ServerError, SummaryTask};
pub(super) use reqwest::blocking::{Client, Response};
pub(super) use serde_json::Value;
pub(super) use std::io::Read;
pub(super) use std::sync::{Arc, Mutex, PoisonError};
pub(super) use std::time::{Duration, Instant, SystemTime};
pub(super) use thiserror::Error;
