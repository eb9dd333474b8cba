//! The input table of `check` and `features`.

use mercer::Result;
use mercer::model::ScalingKind;

use super::Session;
use super::columns::{self, Chosen, Roles};
use crate::args::{InputArgs, Scale};
use crate::data::{self, InputKind};

/// Reads the table, and selects the columns for a kernel of `input_kind`.
pub fn read(
    session: &Session,
    args: &InputArgs,
    input_kind: &InputKind,
) -> Result<(Chosen, ScalingKind)> {
    let scale = input_kind.scaling(args.scale, Scale::None)?;
    let (columns, label) = (args.columns.columns.as_deref(), args.columns.label.as_deref());
    let roles = Roles::without_target(columns, label, input_kind);
    let (chosen, _) = columns::choose(data::read(session, &args.table, input_kind)?, &roles)?;
    Ok((chosen, scale))
}
