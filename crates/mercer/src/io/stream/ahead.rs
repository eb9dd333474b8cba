//! Blocks that a thread of its own reads while those before are worked on: as many as fit into a few MiB, larger ones when they are asked for.

use std::panic::resume_unwind;
use std::sync::Arc;
use std::thread::{self, JoinHandle};

use super::cursor::Cursor;
use crate::error::{Error, Result};
use crate::io::column::Column;
use crate::io::queue::Queue;
use crate::io::table::Table;
use crate::panics::THREAD;

/// Bytes of blocks that wait.
const WAITING: u64 = 4 << 20;

/// A block, and the share of the table that was read with it.
type Block = (Result<Table>, Option<f64>);

/// The blocks of a table from a place in it.
pub(super) struct Ahead {
    queue: Arc<Queue<Block>>,
    reader: Option<JoinHandle<()>>,
    has_failed: bool,
}

impl Ahead {
    /// Begins to read; nothing if the system starts no thread. `bytes` is what a block of numbers takes.
    pub fn begin(make: impl FnOnce() -> Cursor + Send + 'static, bytes: u64) -> Option<Self> {
        let queue = Arc::new(Queue::new(WAITING));
        let own = queue.clone();
        let read = move || {
            let _end = own.ends();
            read(&own, make(), bytes);
        };
        let reader = thread::Builder::new().name(format!("{THREAD}-reader")).spawn(read).ok()?;
        Some(Self { queue, reader: Some(reader), has_failed: false })
    }

    /// The next block and the share with it; none at the end.
    pub fn next(&mut self) -> Result<Option<(Table, Option<f64>)>> {
        if self.has_failed {
            return Err(Error::Shape(
                "reading the table failed before its end: start again".into(),
            ));
        }
        let Some((block, share)) = self.queue.take() else {
            return self.join().map(|()| None);
        };
        self.has_failed = block.is_err();
        Ok(Some((block?, share)))
    }

    /// Waits for the thread; a panic there is one here.
    fn join(&mut self) -> Result<()> {
        match self.reader.take().map(JoinHandle::join) {
            Some(Err(panic)) => resume_unwind(panic),
            _ => Ok(()),
        }
    }
}

impl Drop for Ahead {
    fn drop(&mut self) {
        self.queue.close();
        // A panic while nobody waits for the result harms nobody.
        let _ = self.reader.take().map(JoinHandle::join);
    }
}

/// Reads blocks as long as there are any, and as somebody takes them.
fn read(queue: &Queue<Block>, mut cursor: Cursor, mut bytes: u64) {
    while queue.wait_for_room(bytes) {
        let found = match cursor.next() {
            Ok(Some(table)) => Ok(table),
            Ok(None) => return,
            Err(error) => return queue.put((Err(error), cursor.share()), 0),
        };
        bytes = found.as_ref().map_or(0, table_bytes);
        queue.put((found, cursor.share()), bytes);
    }
}

/// Bytes of the cells of a table.
pub(in crate::io) fn table_bytes(table: &Table) -> u64 {
    let column = |column: &Column| match column {
        Column::F64(values) => 8 * values.len() as u64,
        Column::F32(values) => 4 * values.len() as u64,
        Column::Sparse(values) => 16 * values.entries().count() as u64,
        Column::Text(cells) => cells.iter().map(|cell| 24 + cell.len() as u64).sum(),
    };
    table.columns.iter().map(column).sum()
}
