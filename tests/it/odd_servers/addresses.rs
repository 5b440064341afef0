//! Addresses of servers, and proxies.

use super::support::compact;
use crate::models::{good, one_talk};
use crate::server::{CLOSED_PORT, Server};

#[test]
fn addresses_are_taken_as_people_write_them() {
    for (end, path) in [
        ("", "/v1/"),
        ("/", "/v1/"),
        ("/v1", "/v1/"),
        ("/v1/", "/v1/"),
        ("/v1//", "/v1/"),
        ("/api/openai/", "/api/openai/"),
    ] {
        let (dir, server) = (one_talk(), Server::start(&[&good()]));
        compact(&dir, &format!("{}{end}", server.url()), "").ok();
        assert_eq!(server.came()[0].line, format!("POST {path}chat/completions HTTP/1.1"), "{end}");
    }
}

#[test]
fn a_proxy_is_used_and_its_password_not_shown() {
    let (dir, proxy) = (one_talk(), Server::start(&[&good()]));
    compact(&dir, "http://models.invalid/v1", "--set summarizer.allow_plain_http=true")
        .env("http_proxy", &proxy.url())
        .ok();
    assert_eq!(proxy.came()[0].line, "POST http://models.invalid/v1/chat/completions HTTP/1.1");
    let (dir, server) = (one_talk(), Server::start(&[&good()]));
    compact(&dir, &server.url(), "")
        .env("http_proxy", &proxy.url())
        .env("no_proxy", "127.0.0.1")
        .ok();
    assert_eq!((proxy.calls(), server.calls()), (1, 1));
    for base in ["http://models.invalid/v1", "https://models.invalid/v1"] {
        let dir = one_talk();
        let gone = format!("http://me:pr0xy-passw0rd@127.0.0.1:{CLOSED_PORT}");
        let ran = compact(
            &dir,
            base,
            "--set summarizer.retries=0 --set summarizer.allow_plain_http=true",
        )
        .env("http_proxy", &gone)
        .env("https_proxy", &gone)
        .fails(2)
        .says(["can't connect"]);
        assert!(!ran.stderr.contains("pr0xy"), "{}", ran.stderr);
    }
}
