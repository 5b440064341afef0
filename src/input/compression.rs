//! gzip and zstd, recognised by their first bytes, whatever the file's name.

use crate::input::READ_BUFFER;
use anyhow::Result;
use flate2::bufread::GzDecoder;
use std::io::{self, BufRead, BufReader, Chain, Cursor, Read, Write};

/// How a file is compressed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Compression {
    /// Not at all.
    None,
    /// gzip, of one or several members.
    Gzip,
    /// zstd.
    Zstd,
}

const ZSTD_LEVEL: i32 = 3;

/// The decompressed bytes of a file, and how it was compressed.
///
/// # Errors
/// If the first bytes can't be read.
pub(super) fn decoder(
    mut raw: Box<dyn Read + Send>,
) -> Result<(Box<dyn Read + Send>, Compression)> {
    let mut magic = Vec::with_capacity(4);
    (&mut raw).take(4).read_to_end(&mut magic)?;
    let compression = match magic.as_slice() {
        [0x1F, 0x8B, ..] => Compression::Gzip,
        // A frame, or a skippable one before it.
        [0x28, 0xB5, 0x2F, 0xFD] | [0x50..=0x5F, 0x2A, 0x4D, 0x18] => Compression::Zstd,
        _ => Compression::None,
    };
    let whole: Chain<Cursor<Vec<u8>>, Box<dyn Read + Send>> = Cursor::new(magic).chain(raw);
    Ok(match compression {
        Compression::None => (Box::new(whole), compression),
        Compression::Gzip => {
            let buffered = BufReader::with_capacity(READ_BUFFER, whole);
            (
                Box::new(GzipMembers {
                    member: Some(GzDecoder::new(buffered)),
                }),
                compression,
            )
        }
        Compression::Zstd => (Box::new(zstd::Decoder::new(whole)?), compression),
    })
}

/// The members of a gzip file, one behind the other. Zeros behind a member fill a block up, and are passed over as gzip does.
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
            self.member = match self
                .member
                .take()
                .map(|ended| behind_zeros(ended.into_inner()))
            {
                Some(rest) => rest?.map(GzDecoder::new),
                None => None,
            };
        }
        Ok(0)
    }
}

/// What follows once zeros are passed over, if anything does.
fn behind_zeros<R: BufRead>(mut rest: R) -> io::Result<Option<R>> {
    loop {
        let bytes = rest.fill_buf()?;
        let (count, zeros) = (
            bytes.len(),
            bytes.iter().take_while(|byte| **byte == 0).count(),
        );
        rest.consume(zeros);
        if count == 0 || zeros < count {
            return Ok((count > 0).then_some(rest));
        }
    }
}

/// A writer that compresses as the input was. `finish` must be called at the end.
///
/// # Errors
/// If the compressor can't be set up.
pub fn encoder<W: Write + Send>(inner: W, compression: Compression) -> Result<Encoder<W>> {
    Ok(match compression {
        Compression::None => Encoder::None(inner),
        // The default header has neither name nor time: equal content, equal bytes.
        Compression::Gzip => Encoder::Gzip(flate2::write::GzEncoder::new(
            inner,
            flate2::Compression::default(),
        )),
        Compression::Zstd => Encoder::Zstd(zstd::Encoder::new(inner, ZSTD_LEVEL)?),
    })
}

/// Compresses, or not.
pub enum Encoder<W: Write> {
    /// As it is.
    None(W),
    /// gzip.
    Gzip(flate2::write::GzEncoder<W>),
    /// zstd.
    Zstd(zstd::Encoder<'static, W>),
}

impl<W: Write> Encoder<W> {
    /// Writes what is left and gives the inner writer back.
    ///
    /// # Errors
    /// If that can't be written.
    pub fn finish(self) -> io::Result<W> {
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
