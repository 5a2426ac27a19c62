//! Reading a trace block by block.
//!
//! Models: the grammar that Accel-Sim's parser accepts, with its assertions as errors.
//! Leaves out: what the instructions mean (`interop::classify`).
//! Sources: `trace_parser::get_next_threadblock_traces` of Accel-Sim.

use super::Line;
use super::error::{Fault, FormatError};
use super::header::{Header, Partial};
use super::token::{self, decimal};
use crate::util::input;
use std::io::{BufRead, Read};

/// The longest line: an instruction of a warp has 32 addresses at most.
const MOST_LINE_BYTES: usize = 1 << 20;
/// Key of a line that newer tracers write beside that of the thread block.
const CLUSTER: &str = "cluster id";

/// Position of a line in its block.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Place {
    pub warp: usize,
    /// Whether it is the last line of its warp.
    pub is_last: bool,
}

/// A trace whose header has been read.
pub struct TraceReader<R> {
    source: R,
    file: String,
    line_number: usize,
    line: String,
    header: Header,
}

impl<R: BufRead> TraceReader<R> {
    /// Reads the header. `file` is used in errors.
    pub fn new(source: R, file: &str) -> Result<Self, FormatError> {
        let mut reader = TraceReader {
            source,
            file: file.to_owned(),
            line_number: 0,
            line: String::new(),
            header: Header::default(),
        };
        let mut partial = Partial::default();
        loop {
            if !reader.advance()? {
                return Err(reader.ended("a header that ends with a line that begins with #"));
            }
            match reader.text().chars().next() {
                None => {}
                Some('#') => break,
                Some(_) => {
                    let taken = partial.line(reader.text());
                    taken.map_err(|fault| reader.fault(fault))?;
                }
            }
        }
        reader.header = partial.finish().map_err(|fault| reader.fault(fault))?;
        Ok(reader)
    }

    pub fn header(&self) -> &Header {
        &self.header
    }

    /// Advances to the next block and returns its index; `None` at the end of the file. Its lines must be read next.
    pub fn next_block(&mut self) -> Result<Option<[u32; 3]>, FormatError> {
        if !self.next_text()? {
            return Ok(None);
        }
        if self.text() != "#BEGIN_TB" {
            return Err(self.expected("#BEGIN_TB"));
        }
        let index = self.keyed("thread block", "x,y,z", token::triple)?;
        Ok(Some(index))
    }

    /// Passes every line of the block to `take`, warp by warp; a warp may have none. A fault that `take` returns is reported at that
    /// line of the file.
    pub fn lines(
        &mut self,
        mut take: impl FnMut(&Line, Place) -> Result<(), Fault>,
    ) -> Result<(), FormatError> {
        let n_warps = self.header.warps_per_block() as usize;
        let mut line = Line::default();
        for warp in 0..n_warps {
            let allowed = format!("{warp}, of {n_warps} warps in a block of this size");
            self.keyed("warp", &allowed, |value| {
                decimal(value).filter(|&given: &usize| given == warp)
            })?;
            let count = self.keyed("insts", "0 or more", decimal)?;
            for number in 1..=count {
                self.instruction(count, number, &mut line)?;
                let place = Place {
                    warp,
                    is_last: number == count,
                };
                take(&line, place).map_err(|fault| self.fault(fault))?;
            }
        }
        self.require_text("#END_TB")?;
        match self.text() {
            "#END_TB" => Ok(()),
            _ => Err(self.expected("#END_TB")),
        }
    }

    /// Reads the next line as instruction `number` of `count` of a warp.
    fn instruction(
        &mut self,
        count: usize,
        number: usize,
        line: &mut Line,
    ) -> Result<(), FormatError> {
        let allowed = || format!("{count} instructions, {} found", number - 1);
        if !self.advance()? {
            return Err(self.ended(&allowed()));
        }
        let text = self.text();
        if text.is_empty() || text.starts_with(['#', 'w', 't', 'i']) {
            return Err(self.expected(&allowed()));
        }
        self.header
            .read_line(text, line)
            .map_err(|fault| self.fault(fault))
    }

    /// The value of a `key = value` line, which must come next, or after the line of the block's cluster.
    fn keyed<T>(
        &mut self,
        key: &str,
        allowed: &str,
        parse: impl Fn(&str) -> Option<T>,
    ) -> Result<T, FormatError> {
        let wanted = format!("{key} = {allowed}");
        self.require_text(&wanted)?;
        if self.text().starts_with(CLUSTER) {
            self.value(CLUSTER, "x,y,z", token::triple)?;
            self.require_text(&wanted)?;
        }
        self.value(key, allowed, parse)
    }

    /// The value of this `key = value` line.
    fn value<T>(
        &self,
        key: &str,
        allowed: &str,
        parse: impl Fn(&str) -> Option<T>,
    ) -> Result<T, FormatError> {
        let value = self
            .text()
            .split_once('=')
            .filter(|(name, _)| name.trim() == key)
            .and_then(|(_, value)| parse(value.trim()));
        value.ok_or_else(|| self.expected(&format!("{key} = {allowed}")))
    }

    fn require_text(&mut self, wanted: &str) -> Result<(), FormatError> {
        match self.next_text()? {
            true => Ok(()),
            false => Err(self.ended(wanted)),
        }
    }

    /// Goes to the next line that is not blank; false at the end.
    fn next_text(&mut self) -> Result<bool, FormatError> {
        while self.advance()? {
            if !self.text().is_empty() {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Goes to the next line; false at the end.
    fn advance(&mut self) -> Result<bool, FormatError> {
        let failed = |source| FormatError::Read {
            file: self.file.clone(),
            line: self.line_number + 1,
            source,
        };
        let mut line = std::mem::take(&mut self.line).into_bytes();
        line.clear();
        // With its newline.
        let mut source = (&mut self.source).take(MOST_LINE_BYTES as u64 + 1);
        let bytes = source.read_until(b'\n', &mut line).map_err(failed)?;
        if line.len() > MOST_LINE_BYTES && !line.ends_with(b"\n") {
            let given = format!("more than {MOST_LINE_BYTES} bytes");
            let fault = Fault::new("line", given, format!("at most {MOST_LINE_BYTES} bytes"));
            return Err(fault.at(&self.file, self.line_number + 1));
        }
        self.line = input::utf8(line).map_err(failed)?;
        self.line_number += usize::from(bytes > 0);
        if bytes > 0 && !self.line.ends_with('\n') {
            let fault = Fault::new("last line", self.text(), "a line that ends with a newline");
            return Err(self.fault(fault));
        }
        Ok(bytes > 0)
    }

    fn text(&self) -> &str {
        self.line.trim_ascii()
    }

    /// An error at the current line.
    pub fn fault(&self, fault: Fault) -> FormatError {
        fault.at(&self.file, self.line_number)
    }

    fn expected(&self, allowed: &str) -> FormatError {
        self.fault(Fault::new("line", self.text(), allowed))
    }

    fn ended(&self, allowed: &str) -> FormatError {
        self.fault(Fault::new("line", "the end of the file", allowed))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_that_does_not_end_is_refused_with_its_number() {
        let refused = |text: &[u8]| {
            let read = TraceReader::new(text, "k.traceg");
            read.err().expect("wrong").to_string()
        };
        let long = refused(&[b"-nregs = 8\n", &vec![b'-'; MOST_LINE_BYTES + 1][..]].concat());
        assert_eq!(
            long,
            "k.traceg:2: line: given more than 1048576 bytes; allowed: at most 1048576 bytes"
        );
        // One that is just not too long is read: what is wrong is that the file ends.
        let most = refused(&[&vec![b' '; MOST_LINE_BYTES][..], b"\n"].concat());
        assert!(most.contains("the end of the file"), "{most}");
        let other = refused(b"\xff\n");
        assert!(other.contains("k.traceg:1: cannot be read"), "{other}");
    }
}
