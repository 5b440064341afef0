//! A replay: each call is what the planner says of what it sends, and training
//! data holds every answer exactly once.

mod calls;
mod samples;
mod support;
