//! Machines of cells that other machines fit: samples go there, models come back.

use super::{Checked, Division, Part, present};
use crate::context::{Context, Step};
use crate::error::{Error, Param, Result};
use crate::model::landmarks::Packet;
use crate::model::svm::{Svm, SvmParams};
use crate::model::targets::{Labels, Targets};
use crate::points::AnySamples;

/// What fits a machine for each packet, in their order.
pub type Farm<'a> = &'a (dyn Fn(&Context, Vec<Packet>) -> Result<Vec<Svm>> + Sync);

/// The name of the work.
const CELL: &str = "cell";

impl Svm {
    /// Fits a machine for each cell of the samples, as [`Svm::fit`] does, with the machines fitted elsewhere.
    #[doc(hidden)]
    pub fn fit_cells_elsewhere(
        ctx: &Context,
        params: &SvmParams,
        x: &AnySamples,
        targets: &Targets,
        farm: Farm<'_>,
    ) -> Result<Self> {
        let none = || Error::Shape("only SVMs on cells are fitted on other machines".into());
        let wanted = params.cells.as_ref().ok_or_else(none)?;
        wanted.check()?;
        super::check(params)?;
        let checked = Checked::new(params, targets, x.n())?;
        let division = Division::new(ctx, &params.kernel, super::counted(x, &checked), wanted)?;
        fit(ctx, params, &division, x, &checked, farm)
    }

    /// Fits the machine that a packet describes.
    #[doc(hidden)]
    pub fn fit_packet(ctx: &Context, packet: &Packet) -> Result<Self> {
        let wrong =
            |error: serde_json::Error| Error::Shape(format!("the parameters of an SVM: {error}"));
        let params: SvmParams = serde_json::from_str(packet.text("params")?).map_err(wrong)?;
        let targets = if let Ok(places) = packet.places("labels") {
            let names: Vec<String> = serde_json::from_str(packet.text("names")?).map_err(wrong)?;
            let places = places.iter().map(|&place| place as usize).collect();
            let class_weights = packet.reals("class_weights")?.to_vec();
            Targets::labels(Labels { names, places }).with_class_weights(Some(class_weights))
        } else if let Ok(values) = packet.reals("values") {
            Targets::values(values)
        } else {
            Targets::unsupervised()
        };
        let weights = Some(packet.reals("weights")?.to_vec());
        Self::fit(ctx, &params, packet.samples("x")?, &targets.with_weights(weights), None)
    }
}

/// The machines of all cells as one model.
fn fit(
    ctx: &Context,
    params: &SvmParams,
    division: &Division,
    x: &AnySamples,
    checked: &Checked,
    farm: Farm<'_>,
) -> Result<Svm> {
    if !division.spec.custom_functions().is_empty() {
        let message = "a user-defined kernel cannot be sent to other machines";
        return Err(Error::parameter(Param::Kernel, message));
    }
    let alone = SvmParams { kernel: division.spec.clone(), cells: None, ..params.clone() };
    let (mut parts, mut packets) = (Vec::new(), Vec::new());
    for cell in &division.cells {
        let rows = cell.learned.clone();
        let present = present(checked, &rows);
        if present.len() != 1 {
            packets.push(packet(&alone, &division.x, checked, &rows, &present)?);
        }
        parts.push(Part { rows, present, model: None });
    }
    ctx.step(Step::new("cells", 0.0, parts.len() as f64))?;
    let count = packets.len();
    let models = farm(ctx, packets)?;
    if models.len() != count {
        return Err(Error::Shape(format!("{} of {count} SVMs were returned", models.len())));
    }
    let wanting = parts.iter_mut().filter(|part| part.present.len() != 1);
    wanting.zip(models).for_each(|(part, model)| part.model = Some(model));
    Ok(super::joined(params, (division, &[]), &parts, x, checked))
}

/// What a machine learns from some rows, as [`super::targets_of`] says.
fn packet(
    params: &SvmParams,
    kept: &AnySamples,
    checked: &Checked,
    rows: &[usize],
    present: &[usize],
) -> Result<Packet> {
    let wrong = |error: serde_json::Error| Error::Shape(error.to_string());
    let targets = super::targets_of(checked, rows, present);
    let mut packet = Packet::new(CELL).with_samples("x", kept.select(rows));
    packet = packet.with_reals("weights", targets.weights.clone().unwrap_or_default());
    packet.texts.insert("params".into(), serde_json::to_string(params).map_err(wrong)?);
    if let Some(labels) = targets.class_labels() {
        packet.texts.insert("names".into(), serde_json::to_string(&labels.names).map_err(wrong)?);
        let places: Vec<u64> = labels.places.iter().map(|&place| place as u64).collect();
        let weights: Vec<f64> = present.iter().map(|&class| checked.class_weights[class]).collect();
        return Ok(packet.with_places("labels", places).with_reals("class_weights", weights));
    }
    if checked.values.is_empty() {
        return Ok(packet);
    }
    let values: Vec<f64> = rows.iter().map(|&row| checked.values[row]).collect();
    Ok(packet.with_reals("values", values))
}
