//! Search for a submission at the server: for its upload, and for its batch.

use crate::summary::http::batch_client::BatchClient;
use crate::summary::http::batch_list::{ListPage, ListedBatch, NewestBatch, find_listed_upload};
use crate::summary::http::call_error::{CallError, MAX_ANSWER_BYTES, read_json_answer};
use crate::summary::http::prelude::*;
use std::io::{BufRead, BufReader};

/// The most items of a page of a list.
const PAGE_ITEMS: usize = 100;
/// The most pages of a list.
const MAX_PAGES: usize = 1000;
/// The statuses of a server that does not know a path or a method.
const UNKNOWN_PATH_STATUSES: [u16; 3] = [404, 405, 501];

impl BatchClient {
    /// Returns the id of an uploaded file of this name and length, if the server lists one among
    /// the newest.
    pub(crate) fn find_upload(&self, name: &str, bytes: u64) -> Option<String> {
        let path = format!("files?purpose=batch&order=desc&limit={PAGE_ITEMS}");
        // Without the list the file is uploaded again.
        let files = self.get_if_offered(&path).ok().flatten()?;
        find_listed_upload(&files, name, bytes)
    }

    /// Returns the batches that the server has, the newest first, up to the batch `until`. Returns
    /// none if the server has no list. Fails if the list can't be read, or does not end.
    pub(crate) fn list_batches(
        &self,
        until: Option<&str>,
    ) -> Result<Option<Vec<ListedBatch>>, CallError> {
        let (mut batches, mut after) = (Vec::new(), None);
        for _ in 0..MAX_PAGES {
            let Some(page) = self.list_page(PAGE_ITEMS, after.as_deref())? else {
                return Ok(None);
            };
            for batch in page.items {
                if Some(batch.id.as_str()) == until {
                    return Ok(Some(batches));
                }
                batches.push(batch);
            }
            after = page.next;
            if after.is_none() {
                return Ok(Some(batches));
            }
        }
        Err(CallError::Rejected(format!(
            "the server's list of batches has more than {MAX_PAGES} pages"
        )))
    }

    /// Returns the newest batch of the server. Fails if the list of batches can't be read.
    pub(crate) fn newest_batch(&self) -> Result<NewestBatch, CallError> {
        Ok(match self.list_page(1, None)? {
            None => NewestBatch::Unlisted,
            Some(page) => match page.items.into_iter().next() {
                Some(batch) => NewestBatch::Id(batch.id),
                None => NewestBatch::None,
            },
        })
    }

    fn list_page(
        &self,
        items: usize,
        after: Option<&str>,
    ) -> Result<Option<ListPage<ListedBatch>>, CallError> {
        let (list, cursor) = match self.target.dialect {
            Dialect::OpenAi => ("batches", "after"),
            Dialect::Anthropic => ("messages/batches", "after_id"),
        };
        let after = after.map_or_else(String::new, |after| format!("&{cursor}={after}"));
        let page = self.get_if_offered(&format!("{list}?limit={items}{after}"))?;
        Ok(page.and_then(|page| ListPage::of_batches(&page, self.target.dialect)))
    }

    /// Returns the first line of the results of a batch that has ended. Fails if the results can't
    /// be downloaded, or the line is too long.
    pub(crate) fn first_result(&self, id: &str) -> Result<Option<Vec<u8>>, CallError> {
        let status = self.status(id)?;
        let Some(path) = status.results.into_iter().flatten().next() else {
            return Ok(None);
        };
        let results = self.with_retries(|| self.request_results(&path))?;
        let mut line = Vec::new();
        let read = BufReader::new(results).take(MAX_ANSWER_BYTES).read_until(b'\n', &mut line);
        read.map_err(|error| self.broken_off(&error))?;
        Ok(Some(line))
    }

    /// Returns the answer to a request that a server may not know. None if it does not.
    fn get_if_offered(&self, path: &str) -> Result<Option<Value>, CallError> {
        self.with_retries(|| {
            let request = self.client.get(self.url(path));
            let response = self.send(request)?;
            if UNKNOWN_PATH_STATUSES.contains(&response.status().as_u16()) {
                return Ok(None);
            }
            read_json_answer(&self.target, response).map(Some)
        })
    }
}
