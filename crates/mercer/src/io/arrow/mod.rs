//! Apache Arrow's own format (IPC), as a file or as a stream: messages, each of metadata in FlatBuffers and a body of plain buffers. Read and written here, since
//! the crates that do so would add a tenth to the binary.

mod batch;
mod blocks;
mod build;
mod flat;
mod schema;
mod write;

use std::collections::HashMap;
use std::io::{self, Read};
use std::path::Path;

use crate::error::{Error, Result};
use crate::io::column::Column;
use crate::io::read::check_size;
use crate::io::table::Table;
use batch::{Batch, Budget, Part};
use flat::Flat;
use schema::Field;

pub(super) use blocks::ArrowBlocks;
pub(super) use write::{Writer, write};

/// The bytes that a file starts with, and ends with; a stream has none.
pub(in crate::io) const MAGIC: &[u8] = b"ARROW1";
/// The bytes that a message starts with.
pub(in crate::io) const MESSAGE: [u8; 4] = [255; 4];

/// Why bytes are no table.
#[derive(Debug)]
pub(super) enum Fault {
    Damaged,
    Unknown(String),
    Memory(Error),
    Input(io::Error),
}

impl Fault {
    /// The error about the file at `path`.
    fn about(self, path: &Path) -> Error {
        match self {
            Fault::Damaged => {
                let message =
                    "not an Arrow file or stream, or a damaged one: its parts are inconsistent";
                Error::format(path, message)
            }
            Fault::Unknown(message) => Error::format(path, message),
            Fault::Memory(error) => error,
            Fault::Input(error) => Error::file(path, error),
        }
    }
}

/// What was read, or why it was not.
type Found<T> = std::result::Result<T, Fault>;

fn check(needed: u64, most: u64) -> Found<()> {
    check_size(Some(needed), most).map_err(Fault::Memory)
}

/// Parses a file or a stream.
pub(super) fn parse(bytes: &[u8], path: &Path, max_bytes: u64) -> Result<Table> {
    parsed(bytes, max_bytes).map_err(|fault| fault.about(path))
}

fn parsed(bytes: &[u8], max_bytes: u64) -> Found<Table> {
    let mut reader = Reader::open(bytes, max_bytes)?;
    reader.budget.take(bytes.len() as u64)?;
    let mut columns = reader.empty();
    while let Some(more) = reader.next(None)? {
        columns.iter_mut().zip(more).for_each(|(column, more)| column.append(more));
    }
    let names = reader.fields.into_iter().map(|field| field.name).collect();
    Ok(Table::new(names, columns))
}

/// Messages, one after the other.
struct Reader<R> {
    input: R,
    fields: Vec<Field>,
    dictionaries: HashMap<i64, Column>,
    budget: Budget,
    /// Whether the mark of the end was read: in a file, an index follows.
    has_ended: bool,
}

/// A message: its kind and metadata, within `metadata`, and its body.
struct Message {
    metadata: Vec<u8>,
    body: Vec<u8>,
}

const SCHEMA: u8 = 1;
const DICTIONARY: u8 = 2;
const ROWS: u8 = 3;

impl Message {
    fn head(&self) -> Option<(u8, Flat<'_>)> {
        let message = Flat::root(&self.metadata)?;
        Some((message.u8(1)?, message.table(2)??))
    }
}

impl<R: Read> Reader<R> {
    /// Reads the schema.
    fn open(mut input: R, most: u64) -> Found<Self> {
        let start = bytes(&mut input, 4, most)?;
        // Of a file, the rest of its magic and two empty bytes.
        let start = match MAGIC.starts_with(&start) && start.len() == 4 {
            true => {
                bytes(&mut input, 4, most)?;
                None
            }
            false => Some(start),
        };
        let mut budget = Budget { used: 0, most };
        let message = message(&mut input, start, most)?.ok_or(Fault::Damaged)?;
        let fields = match message.head().ok_or(Fault::Damaged)? {
            (SCHEMA, head) => {
                let (fields, bytes) = schema::fields(&head, most)?;
                budget.take(bytes)?;
                fields
            }
            _ => return Err(Fault::Damaged),
        };
        Ok(Self { input, fields, dictionaries: HashMap::new(), budget, has_ended: false })
    }

    /// Columns without cells.
    fn empty(&self) -> Vec<Column> {
        self.fields.iter().map(batch::empty).collect()
    }

    /// The columns of the next rows, all or those at `kept`; nothing at the end.
    fn next(&mut self, kept: Option<&[usize]>) -> Found<Option<Vec<Column>>> {
        while !self.has_ended {
            let Some(message) = message(&mut self.input, None, self.budget.most)? else { break };
            match message.head().ok_or(Fault::Damaged)? {
                (DICTIONARY, head) => self.learn(&head, &message.body)?,
                (ROWS, head) => return self.rows(&head, &message.body, kept).map(Some),
                _ => return Err(Fault::Damaged),
            }
        }
        self.has_ended = true;
        Ok(None)
    }

    /// The values of a dictionary, or more of them.
    fn learn(&mut self, head: &Flat<'_>, body: &[u8]) -> Found<()> {
        let id = head.i64(0).ok_or(Fault::Damaged)?;
        let owner = |field: &&Field| field.dictionary.is_some_and(|(own, _)| own == id);
        let kind = self.fields.iter().find(owner).ok_or(Fault::Damaged)?.kind;
        let rows = head.table(1).flatten().and_then(|head| Batch::new(&head, body));
        let mut batch = rows.ok_or(Fault::Damaged)?;
        let part = batch.part(kind).ok_or(Fault::Damaged)?;
        let values = batch.column(&part, kind, &mut self.budget)?;
        match self.dictionaries.get_mut(&id) {
            Some(known) if head.u8(2) == Some(1) => known.append(values),
            _ => drop(self.dictionaries.insert(id, values)),
        }
        Ok(())
    }

    fn rows(&mut self, head: &Flat<'_>, body: &[u8], kept: Option<&[usize]>) -> Found<Vec<Column>> {
        let mut batch = Batch::new(head, body).ok_or(Fault::Damaged)?;
        let Self { fields, dictionaries, budget, .. } = self;
        let mut parts = Vec::new();
        for field in fields.iter() {
            let kind = field.dictionary.map_or(field.kind, |(_, places)| places);
            parts.push(batch.part(kind).ok_or(Fault::Damaged)?);
        }
        let column = |&i: &usize| column(&batch, &parts[i], &fields[i], dictionaries, budget);
        let all: Vec<usize> = (0..parts.len()).collect();
        kept.unwrap_or(&all).iter().map(column).collect()
    }
}

fn column(
    batch: &Batch<'_>,
    part: &Part<'_>,
    field: &Field,
    dictionaries: &HashMap<i64, Column>,
    budget: &mut Budget,
) -> Found<Column> {
    match field.dictionary {
        None => batch.column(part, field.kind, budget),
        Some((id, places)) => {
            // Rows without any category need no dictionary.
            let none = batch::empty(field);
            let values = dictionaries.get(&id).unwrap_or(&none);
            batch.looked_up(part, places, values, budget)
        }
    }
}

/// The next message; none at the end. `start` are its first bytes if they were read before.
fn message(input: &mut impl Read, start: Option<Vec<u8>>, most: u64) -> Found<Option<Message>> {
    let mut length = match start {
        Some(start) => start,
        None => bytes(input, 4, most)?,
    };
    // Messages of old versions start with the length.
    if length == MESSAGE {
        length = bytes(input, 4, most)?;
    }
    let length = match <[u8; 4]>::try_from(length) {
        Ok(length) => i32::from_le_bytes(length),
        Err(cut) if cut.is_empty() => return Ok(None),
        Err(_) => return Err(Fault::Damaged),
    };
    let length = u64::try_from(length).map_err(|_| Fault::Damaged)?;
    if length == 0 {
        return Ok(None);
    }
    let metadata = whole(input, length, most)?;
    let size = Flat::root(&metadata).and_then(|message| message.size(3)).ok_or(Fault::Damaged)?;
    let body = whole(input, size as u64, most)?;
    Ok(Some(Message { metadata, body }))
}

/// The next bytes; fewer at the end.
fn bytes(input: &mut impl Read, count: u64, most: u64) -> Found<Vec<u8>> {
    check(count, most)?;
    let mut bytes = Vec::new();
    input.take(count).read_to_end(&mut bytes).map_err(Fault::Input)?;
    Ok(bytes)
}

fn whole(input: &mut impl Read, count: u64, most: u64) -> Found<Vec<u8>> {
    let found = bytes(input, count, most)?;
    if found.len() as u64 == count { Ok(found) } else { Err(Fault::Damaged) }
}
