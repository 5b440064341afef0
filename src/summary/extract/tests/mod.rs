//! Tests of whole summaries.
