//! A server that answers word by word what a test says, and counts: for what a mock of good manners can't do.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};

/// Lives as long as the test's process.
pub(crate) struct Server {
    port: u16,
    requests: Arc<Mutex<Vec<String>>>,
}

/// An answer as it goes over the wire.
pub(crate) fn answer(status: &str, headers: &str, body: &str) -> String {
    format!("HTTP/1.1 {status}\r\ncontent-type: application/json\r\n{headers}content-length: {}\r\nconnection: close\r\n\r\n{body}", body.len())
}

impl Server {
    /// Answers in this order; the last one repeats.
    pub(crate) fn start(answers: &[&str]) -> Self {
        let answers: Vec<String> = answers.iter().map(|&answer| answer.to_owned()).collect();
        Self::answering(move |call, _| answers[call.min(answers.len() - 1)].clone())
    }

    /// Answers call number `n` (from 0) with this body as the function says.
    pub(crate) fn answering(answer: impl Fn(usize, &str) -> String + Send + Sync + 'static) -> Self {
        Self::serving(move |call, _, body| answer(call, body))
    }

    /// Answers by method, path and body.
    pub(crate) fn routed(answer: impl Fn(&str, &str, &str) -> String + Send + Sync + 'static) -> Self {
        Self::serving(move |_, line, body| {
            let mut words = line.split(' ');
            answer(words.next().unwrap(), words.next().unwrap(), body)
        })
    }

    fn serving(answer: impl Fn(usize, &str, &str) -> String + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let requests = Arc::new(Mutex::new(Vec::new()));
        let (kept, answer) = (Arc::clone(&requests), Arc::new(answer));
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let (kept, answer) = (Arc::clone(&kept), Arc::clone(&answer));
                std::thread::spawn(move || serve(stream, &kept, &*answer));
            }
        });
        Self { port, requests }
    }

    pub(crate) fn url(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }

    /// The bodies that came, in order.
    pub(crate) fn requests(&self) -> Vec<String> {
        self.requests.lock().unwrap().clone()
    }

    pub(crate) fn calls(&self) -> usize {
        self.requests.lock().unwrap().len()
    }
}

fn serve(mut stream: TcpStream, kept: &Mutex<Vec<String>>, answer: &dyn Fn(usize, &str, &str) -> String) {
    let mut reader = BufReader::new(stream.try_clone().unwrap());
    let mut length = 0;
    let mut first = String::new();
    if reader.read_line(&mut first).unwrap_or(0) == 0 {
        return;
    }
    loop {
        let mut line = String::new();
        if reader.read_line(&mut line).unwrap_or(0) == 0 {
            return;
        }
        if let Some(value) = line.to_lowercase().strip_prefix("content-length:") {
            length = value.trim().parse().unwrap();
        }
        if line == "\r\n" {
            break;
        }
    }
    let mut body = vec![0; length];
    if reader.read_exact(&mut body).is_err() {
        return;
    }
    let body = String::from_utf8(body).unwrap();
    let call = {
        let mut kept = kept.lock().unwrap();
        kept.push(body.clone());
        kept.len() - 1
    };
    // The client may be gone.
    let _ = stream.write_all(answer(call, &first, &body).as_bytes());
}
