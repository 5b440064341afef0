//! The published conformance cases: what the reference did, and where we
//! differ on purpose. Fields are compared as the suite's own runner does.

mod case;
mod check;
mod policy;
