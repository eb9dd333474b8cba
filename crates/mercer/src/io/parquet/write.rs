//! From columns to a Parquet file.

use std::io::{self, Write};
use std::ops::Range;
use std::sync::Arc;

use parquet::basic::{Compression, LogicalType, Repetition, Type as Physical};
use parquet::data_type::{ByteArray, ByteArrayType, DataType, DoubleType, FloatType};
use parquet::errors::{ParquetError, Result as ParquetResult};
use parquet::file::properties::WriterProperties;
use parquet::file::writer::{SerializedFileWriter, SerializedRowGroupWriter};
use parquet::schema::types::{ColumnPath, Type as Schema, TypePtr};

use crate::io::column::Column;
use crate::io::table::Table;

/// Rows of a group.
const GROUP: usize = 1 << 20;

/// Writes a table, Snappy-compressed, in groups of rows.
pub(in crate::io) fn write(table: &Table, out: &mut (dyn Write + Send)) -> io::Result<()> {
    let mut groups = Groups::new(out, table)?;
    for start in (0..table.n_rows()).step_by(GROUP) {
        groups.write(table, start..table.n_rows().min(start + GROUP))?;
    }
    groups.finish()
}

/// A file that groups of rows are written to one after another.
pub(in crate::io) struct Groups<W: Write + Send> {
    file: SerializedFileWriter<W>,
}

impl<W: Write + Send> Groups<W> {
    /// A file with the columns of `table`. Numbers that rarely repeat are not looked up in a dictionary first.
    pub(in crate::io) fn new(out: W, table: &Table) -> io::Result<Self> {
        let properties = WriterProperties::builder().set_compression(Compression::SNAPPY);
        let numbers = (0..table.n_columns())
            .filter(|&i| !matches!(table.columns[i], Column::Text(_)))
            .map(|i| ColumnPath::new(vec![table.name(i)]));
        let properties = numbers.fold(properties, |properties, column| {
            properties.set_column_dictionary_enabled(column, false)
        });
        let properties = Arc::new(properties.build());
        Ok(Self { file: SerializedFileWriter::new(out, schema_of(table)?, properties)? })
    }

    /// Writes some rows of a table as a group.
    pub(in crate::io) fn write(&mut self, table: &Table, rows: Range<usize>) -> io::Result<()> {
        let mut group = self.file.next_row_group()?;
        for column in &table.columns {
            match column {
                Column::F64(values) => {
                    write_chunk::<DoubleType, W>(&mut group, &values[rows.clone()])?
                }
                Column::F32(values) => {
                    write_chunk::<FloatType, W>(&mut group, &values[rows.clone()])?
                }
                Column::Sparse(values) => {
                    let values: Vec<f64> = rows.clone().map(|row| values.number(row)).collect();
                    write_chunk::<DoubleType, W>(&mut group, &values)?
                }
                Column::Text(cells) => {
                    let cells = &cells[rows.clone()];
                    let cells: Vec<ByteArray> = cells.iter().map(|c| c.as_str().into()).collect();
                    write_chunk::<ByteArrayType, W>(&mut group, &cells)?;
                }
            }
        }
        group.close()?;
        Ok(())
    }

    /// Ends the file.
    pub(in crate::io) fn finish(self) -> io::Result<()> {
        self.file.close()?;
        Ok(())
    }
}

fn write_chunk<D: DataType, W: Write + Send>(
    group: &mut SerializedRowGroupWriter<'_, W>,
    values: &[D::T],
) -> ParquetResult<()> {
    let missing =
        || ParquetError::General("the schema has fewer columns than the table".to_owned());
    let mut column = group.next_column()?.ok_or_else(missing)?;
    column.typed::<D>().write_batch(values, None, None)?;
    column.close()
}

fn schema_of(table: &Table) -> ParquetResult<TypePtr> {
    let fields = table.columns.iter().enumerate().map(|(index, column)| {
        let (physical, logical) = match column {
            Column::F64(_) | Column::Sparse(_) => (Physical::DOUBLE, None),
            Column::F32(_) => (Physical::FLOAT, None),
            Column::Text(_) => (Physical::BYTE_ARRAY, Some(LogicalType::String)),
        };
        let name = table.name(index);
        let field = Schema::primitive_type_builder(&name, physical)
            .with_repetition(Repetition::REQUIRED)
            .with_logical_type(logical)
            .build()?;
        Ok(Arc::new(field))
    });
    let fields = fields.collect::<ParquetResult<Vec<_>>>()?;
    Ok(Arc::new(Schema::group_type_builder("table").with_fields(fields).build()?))
}
