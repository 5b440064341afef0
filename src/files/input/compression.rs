//! gzip and zstd, recognised by the first bytes of a file and not by its name.

use std::io::{self, BufRead, BufReader, Cursor, Read, Write};

use crate::files::input::container::{TOLD_BY_BYTES, container_of};
use crate::files::input::entry::ReadOptions;
use flate2::bufread::GzDecoder;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use thiserror::Error;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Compression {
    /// Not compressed.
    None,
    /// gzip, with any number of members.
    Gzip,
    Zstd,
}

const ZSTD_LEVEL: i32 = 3;
const GZIP_READ_BYTES: usize = 128 << 10;

/// The decompressed size up to which the ratio of decompression has no limit.
const FREE_BYTES: u64 = 64 << 20;

/// The most bytes of a file for each compressed one. Logs are seldom above 100.
const MAX_RATIO: u64 = 1000;

/// A file as it is read.
pub(super) struct DecodedFile {
    /// The decompressed bytes, or the records in a container.
    pub(super) reader: Box<dyn Read + Send>,
    pub(super) compression: Compression,
    /// True if the bytes are the records in a container.
    pub(super) is_container: bool,
}

/// Opens the decompressed bytes of a file, or the records in a container. The reader fails if they
/// become too many for the size of the file. Fails if the first bytes can't be read, or a container
/// is damaged.
pub(super) fn decode(raw: Box<dyn Read + Send>, options: ReadOptions) -> io::Result<DecodedFile> {
    let bytes_read = Arc::new(AtomicU64::new(0));
    let file = BegunFile::read_head(Box::new(CountingReader {
        inner: raw,
        count: Arc::clone(&bytes_read),
    }))?;
    let container = container_of(&file.head)
        .filter(|container| options.opens_containers || container.is_table());
    let compression = file.compression();
    let decoded = match (container, compression) {
        (Some(container), _) => {
            container.open(file.into_reader(), options.limits.max_record_bytes)?
        }
        (None, Compression::None) => file.into_reader(),
        _ => file.decompress()?,
    };
    let is_container = container.is_some();
    let reader = if is_container || compression != Compression::None {
        Box::new(LimitedRatio { decoded, decoded_bytes: 0, file_bytes: bytes_read })
    } else {
        decoded
    };
    Ok(DecodedFile { reader, compression, is_container })
}

/// A reader that counts the bytes that pass through.
pub(super) struct CountingReader {
    pub(super) inner: Box<dyn Read + Send>,
    pub(super) count: Arc<AtomicU64>,
}

impl Read for CountingReader {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.inner.read(buffer)?;
        self.count.fetch_add(count as u64, Ordering::Relaxed);
        Ok(count)
    }
}

/// A reader of decompressed bytes that fails when they are too many for the compressed ones.
struct LimitedRatio {
    decoded: Box<dyn Read + Send>,
    decoded_bytes: u64,
    /// The number of compressed bytes that were read.
    file_bytes: Arc<AtomicU64>,
}

/// A file decompresses to far more than its size.
#[derive(Debug, Error)]
#[error(
    "it decompresses to more than {MAX_RATIO} times its size: decompress it first, or to stdin"
)]
struct RatioExceeded;

impl Read for LimitedRatio {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.decoded.read(buffer)?;
        self.decoded_bytes += count as u64;
        let file_bytes = self.file_bytes.load(Ordering::Relaxed);
        let most = file_bytes.saturating_mul(MAX_RATIO);
        if self.decoded_bytes > most.max(FREE_BYTES) {
            return Err(io::Error::other(RatioExceeded));
        }
        Ok(count)
    }
}

/// Returns a reader of the decompressed bytes, however many they are, with the compression that was
/// found. Fails if the first bytes can't be read.
pub(super) fn decode_without_limit(
    raw: Box<dyn Read + Send>,
) -> io::Result<(Box<dyn Read + Send>, Compression)> {
    let file = BegunFile::read_head(raw)?;
    let compression = file.compression();
    Ok((file.decompress()?, compression))
}

/// A file whose first bytes were read.
struct BegunFile {
    head: Vec<u8>,
    rest: Box<dyn Read + Send>,
}

impl BegunFile {
    fn read_head(mut raw: Box<dyn Read + Send>) -> io::Result<Self> {
        let mut head = Vec::with_capacity(TOLD_BY_BYTES);
        (&mut raw).take(TOLD_BY_BYTES as u64).read_to_end(&mut head)?;
        Ok(Self { head, rest: raw })
    }

    fn compression(&self) -> Compression {
        match self.head.as_slice() {
            [0x1F, 0x8B, ..] => Compression::Gzip,
            // A zstd frame, or a skippable frame before it.
            [0x28, 0xB5, 0x2F, 0xFD, ..] | [0x50..=0x5F, 0x2A, 0x4D, 0x18, ..] => Compression::Zstd,
            _ => Compression::None,
        }
    }

    /// Returns a reader of the bytes as they are in the file.
    fn into_reader(self) -> Box<dyn Read + Send> {
        Box::new(Cursor::new(self.head).chain(self.rest))
    }

    fn decompress(self) -> io::Result<Box<dyn Read + Send>> {
        let compression = self.compression();
        let file = self.into_reader();
        Ok(match compression {
            Compression::None => file,
            Compression::Gzip => Box::new(GzipMembers {
                member: Some(GzDecoder::new(BufReader::with_capacity(GZIP_READ_BYTES, file))),
            }),
            Compression::Zstd => Box::new(zstd::Decoder::new(file)?),
        })
    }
}

/// A reader of all members of a gzip file. Zeros that pad a block behind a member are skipped, as
/// gzip does.
struct GzipMembers<R: BufRead> {
    member: Option<GzDecoder<R>>,
}

impl<R: BufRead> Read for GzipMembers<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        while let Some(member) = &mut self.member {
            let count = member.read(buffer)?;
            if count > 0 || buffer.is_empty() {
                return Ok(count);
            }
            self.member = match self.member.take().map(|ended| skip_zeros(ended.into_inner())) {
                Some(rest) => rest?.map(GzDecoder::new),
                None => None,
            };
        }
        Ok(0)
    }
}

/// Skips zeros. Returns none if nothing follows them.
fn skip_zeros<R: BufRead>(mut rest: R) -> io::Result<Option<R>> {
    loop {
        let bytes = rest.fill_buf()?;
        let count = bytes.len();
        let zeros = bytes.iter().take_while(|byte| **byte == 0).count();
        rest.consume(zeros);
        if count == 0 || zeros < count {
            return Ok((count > 0).then_some(rest));
        }
    }
}

/// Wraps a writer so that it compresses as the input was. `finish` must be called at the end. Fails
/// if the compressor can't be set up.
pub(crate) fn encoder<W: Write + Send>(
    inner: W,
    compression: Compression,
) -> io::Result<Encoder<W>> {
    Ok(match compression {
        Compression::None => Encoder::None(inner),
        // The default header holds neither name nor time, so that equal content gives equal bytes.
        Compression::Gzip => {
            Encoder::Gzip(flate2::write::GzEncoder::new(inner, flate2::Compression::default()))
        }
        Compression::Zstd => Encoder::Zstd(zstd::Encoder::new(inner, ZSTD_LEVEL)?),
    })
}

/// A writer that may compress.
pub(crate) enum Encoder<W: Write> {
    /// No compression.
    None(W),
    Gzip(flate2::write::GzEncoder<W>),
    Zstd(zstd::Encoder<'static, W>),
}

impl<W: Write> Encoder<W> {
    /// Writes what is buffered and returns the inner writer. Fails if the inner writer fails.
    pub(crate) fn finish(self) -> io::Result<W> {
        match self {
            Self::None(inner) => Ok(inner),
            Self::Gzip(encoder) => encoder.finish(),
            Self::Zstd(encoder) => encoder.finish(),
        }
    }
}

impl<W: Write> Write for Encoder<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Self::None(inner) => inner.write(bytes),
            Self::Gzip(encoder) => encoder.write(bytes),
            Self::Zstd(encoder) => encoder.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Self::None(inner) => inner.flush(),
            Self::Gzip(encoder) => encoder.flush(),
            Self::Zstd(encoder) => encoder.flush(),
        }
    }
}
