//! A table as a kernel sees it, for verbs that look at the kernel itself.

use mercer::Result;
use mercer::model::ScalingKind;

use super::Session;
use super::columns::{self, Chosen, Roles};
use crate::args::{Scale, SightArgs};
use crate::data::{self, Form};

/// Reads the table, and takes out of it what a kernel wants that sees columns of `form`.
pub fn choose(session: &Session, args: &SightArgs, form: &Form) -> Result<(Chosen, ScalingKind)> {
    let scale = form.scaling(args.scale, Scale::None)?;
    let (columns, label) = (args.columns.columns.as_deref(), args.columns.label.as_deref());
    let roles = Roles::without_target(columns, label, form);
    let (chosen, _) = columns::choose(data::read(session, &args.table, form)?, &roles)?;
    Ok((chosen, scale))
}
