//! A server that answers word by word what a test says, and counts: for what a mock of good manners
//! can't do.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpListener;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

/// A port on which nobody listens. One that was free a moment ago would not do: another test's server
/// may be given it, and count a connection that was none of its own.
pub(crate) const CLOSED_PORT: u16 = 9;

/// Lives as long as the test's process.
pub(crate) struct Server {
    port: u16,
    scheme: &'static str,
    connections: Arc<AtomicUsize>,
    requests: Arc<Mutex<Vec<Request>>>,
}

/// One request as it came.
#[derive(Clone)]
pub(crate) struct Request {
    /// Its number, from 0.
    pub(crate) call: usize,
    /// Method, target and version.
    pub(crate) line: String,
    /// The header lines as one text.
    pub(crate) headers: String,
    pub(crate) body: String,
}

/// Answers a request on its connection, which ends after that.
type Answer = dyn Fn(&Request, &mut dyn Write) -> std::io::Result<()> + Send + Sync;

/// An answer as it goes over the wire.
pub(crate) fn answer(status: &str, headers: &str, body: &str) -> String {
    format!(
        "HTTP/1.1 {status}\r\ncontent-type: application/json\r\n{headers}content-length: {}\r\nconnection: close\r\n\r\n{body}",
        body.len()
    )
}

impl Server {
    /// Answers in this order; the last one repeats.
    pub(crate) fn start(answers: &[&str]) -> Self {
        let answers: Vec<String> = answers.iter().map(|&answer| answer.to_owned()).collect();
        Self::answering(move |call, _| answers[call.min(answers.len() - 1)].clone())
    }

    /// Answers call number `n` (from 0) with this body as the function says.
    pub(crate) fn answering(
        answer: impl Fn(usize, &str) -> String + Send + Sync + 'static,
    ) -> Self {
        Self::writing(move |request, out| {
            out.write_all(answer(request.call, &request.body).as_bytes())
        })
    }

    /// Answers by method, path and body.
    pub(crate) fn routed(
        answer: impl Fn(&str, &str, &str) -> String + Send + Sync + 'static,
    ) -> Self {
        Self::writing(move |request, out| {
            let mut words = request.line.split(' ');
            out.write_all(
                answer(words.next().unwrap(), words.next().unwrap(), &request.body).as_bytes(),
            )
        })
    }

    /// Writes its answers itself: any bytes, at any pace.
    pub(crate) fn writing(
        answer: impl Fn(&Request, &mut dyn Write) -> std::io::Result<()> + Send + Sync + 'static,
    ) -> Self {
        Self::serving(None, Arc::new(answer))
    }

    /// Answers in this order with TLS; the last one repeats.
    pub(crate) fn tls(config: rustls::ServerConfig, answers: &[&str]) -> Self {
        let answers: Vec<String> = answers.iter().map(|&answer| answer.to_owned()).collect();
        let answer = move |request: &Request, out: &mut dyn Write| {
            out.write_all(answers[request.call.min(answers.len() - 1)].as_bytes())
        };
        Self::serving(Some(Arc::new(config)), Arc::new(answer))
    }

    fn serving(tls: Option<Arc<rustls::ServerConfig>>, answer: Arc<Answer>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let requests = Arc::new(Mutex::new(Vec::new()));
        let connections = Arc::new(AtomicUsize::new(0));
        let (kept, accepted, scheme) = (
            Arc::clone(&requests),
            Arc::clone(&connections),
            if tls.is_some() { "https" } else { "http" },
        );
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                accepted.fetch_add(1, Ordering::SeqCst);
                let (kept, answer, tls) = (Arc::clone(&kept), Arc::clone(&answer), tls.clone());
                // The client may be gone, or not take the certificate.
                std::thread::spawn(move || match tls {
                    None => serve(BufReader::new(stream), &kept, &*answer),
                    Some(config) => serve(
                        BufReader::new(rustls::StreamOwned::new(
                            rustls::ServerConnection::new(config).unwrap(),
                            stream,
                        )),
                        &kept,
                        &*answer,
                    ),
                });
            }
        });
        Self { port, scheme, connections, requests }
    }

    pub(crate) fn url(&self) -> String {
        format!("{}://127.0.0.1:{}", self.scheme, self.port)
    }

    /// How often somebody connected, whether or not a request came.
    pub(crate) fn connections(&self) -> usize {
        self.connections.load(Ordering::SeqCst)
    }

    /// All that came, in order.
    pub(crate) fn came(&self) -> Vec<Request> {
        self.requests.lock().unwrap().clone()
    }

    /// The bodies that came, in order.
    pub(crate) fn requests(&self) -> Vec<String> {
        self.came().into_iter().map(|request| request.body).collect()
    }

    pub(crate) fn calls(&self) -> usize {
        self.requests.lock().unwrap().len()
    }
}

/// One request and its answer.
fn serve<S: Read + Write>(
    mut stream: BufReader<S>,
    kept: &Mutex<Vec<Request>>,
    answer: &Answer,
) -> std::io::Result<()> {
    let mut line = String::new();
    if stream.read_line(&mut line)? == 0 {
        return Ok(());
    }
    let (mut headers, mut length) = (String::new(), 0);
    loop {
        let mut header = String::new();
        if stream.read_line(&mut header)? == 0 {
            return Ok(());
        }
        if let Some(value) = header.to_lowercase().strip_prefix("content-length:") {
            length = value.trim().parse().unwrap();
        }
        if header == "\r\n" {
            break;
        }
        headers.push_str(&header);
    }
    let mut body = vec![0; length];
    stream.read_exact(&mut body)?;
    let body = String::from_utf8(body).unwrap();
    let request = {
        let mut kept = kept.lock().unwrap();
        let request = Request { call: kept.len(), line: line.trim_end().to_owned(), headers, body };
        kept.push(request.clone());
        request
    };
    answer(&request, stream.get_mut())?;
    stream.get_mut().flush()
}
