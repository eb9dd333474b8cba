//! The input table of `check` and `features`.

use mercer::model::ScalingKind;
use mercer::{Error, Result};

use super::Session;
use super::columns::{self, Chosen, Roles};
use crate::args::{InputArgs, Scale};
use crate::data::{self, InputKind};

/// Reads the table, and selects the columns for a kernel of `input_kind`. They are scaled as in `usual`, unless the user chose.
pub fn read(
    session: &Session,
    args: &InputArgs,
    input_kind: &InputKind,
    usual: Scale,
) -> Result<(Chosen, ScalingKind)> {
    let scale = input_kind.scaling(args.scale, usual)?;
    let (columns, label) = (args.columns.columns.as_deref(), args.columns.label.as_deref());
    let roles = Roles::without_target(columns, label, &args.columns.encoding, input_kind);
    let (chosen, _) = columns::choose(data::read(session, &args.table, input_kind)?, &roles)?;
    if !chosen.more_labels.is_empty() {
        let message = "only one label column is supported here";
        return Err(Error::parameter("--label", message));
    }
    Ok((chosen, scale))
}
