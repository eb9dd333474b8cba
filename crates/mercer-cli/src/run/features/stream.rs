//! Features of a table that is read in blocks.

use mercer::error::Param;
use mercer::io::stream::TableStream;
use mercer::io::{Column, Model, ModelFile as SavedModel, Table};
use mercer::kernel::FeatureMap;
use mercer::model::Scaling;
use mercer::model::kernel_pca::{KernelPca, KernelPcaParams};
use mercer::model::landmarks::{LandmarkMethod, LandmarkParams, Regrouped, sampled};
use mercer::{Dtype, Error, KernelSpec, Result};

use super::{Found, options, print_output, table};
use crate::args::{FeaturesArgs, Precision, Scale};
use crate::data::{InputKind, Numbers, Scales};
use crate::facts::note_places;
use crate::failure::Failure;
use crate::results::{Predictions, component_names};
use crate::run::Session;
use crate::run::columns::{self, Roles};
use crate::run::stream::{self, FitRows, Pieces};
use crate::run::transform::{self, Wanted};

/// What computes the features of a block.
enum Map {
    /// A model on landmarks.
    Landmarks(Box<SavedModel>),
    /// An explicit map.
    Explicit(Box<Explicit>),
}

/// An explicit map with its description.
struct Explicit {
    map: FeatureMap,
    kernel: KernelSpec,
    names: Vec<String>,
    of_histograms: bool,
    /// The scaling of the rows.
    scaling: Option<Scaling>,
}

/// Fits the map of the table, and writes the features of its rows as they come.
pub(super) fn features(
    session: &Session,
    args: &FeaturesArgs,
    (input_kind, usual): (&InputKind, Scale),
    table: TableStream,
) -> std::result::Result<(), Failure> {
    let scale = input_kind.scaling(args.input.scale, usual)?;
    let (which, label) =
        (args.input.columns.columns.as_deref(), args.input.columns.label.as_deref());
    let roles = Roles::without_target(which, label, &args.input.columns.encoding, input_kind);
    let mut rows = FitRows::new(session, table, roles, scale, Precision::F64)?;
    if !rows.first().more_labels.is_empty() {
        let message = "only one label column is supported here";
        return Err(Error::parameter("--label", message).into());
    }
    let map = match args.landmarks.params(args.seed) {
        Some(landmarks) => of_landmarks(session, args, landmarks, &mut rows)?,
        None => explicit(session, args, &mut rows)?,
    };
    write(session, args, (rows.roles, map), rows)
}

fn write(
    session: &Session,
    args: &FeaturesArgs,
    (roles, map): (Roles<'_>, Map),
    rows: FitRows<'_>,
) -> std::result::Result<(), Failure> {
    let (mut table_rows, chosen, scaling, mut reading) = rows.into_parts();
    let fill = chosen.places.encoding.clone();
    let map = map.completed(chosen, scaling);
    let names = map.names();
    let pieces = args.output.as_ref().map(|file| {
        let (map, names) = (&map, &names);
        let of = move |block: Table, _: u64| {
            let chosen = stream::split(block, &roles, fill.as_ref())?;
            if chosen.features.n_rows() == 0 {
                return Ok(None);
            }
            let values = map.values(session, &chosen.features)?.into_iter();
            let columns = names.iter().cloned().zip(values.map(Column::F64)).collect();
            Ok(Some(table(&Predictions { columns, label: chosen.label }, file.format)))
        };
        (file, Pieces { stream: &mut table_rows, of })
    });
    let model = args.model.as_ref().zip(map.model());
    let (outputs, written) = stream::write(session, pieces, model)?;
    reading.passes += written.passes;
    let rows = reading.rows.max(written.rows) as usize;
    reading.blocks = reading.blocks.max(written.blocks);
    reading.rows = rows as u64;
    session.progress.clear();
    let (kernel, exact, error) = map.described();
    let report = map.model().map(|saved| saved.model.report());
    let (dimension, reading) = (names.len(), Some(reading));
    let found = Found { kernel, exact, error, report, rows, dimension, reading };
    print_output(session, args, &found, outputs, None)
}

/// Nyström features of landmarks that are chosen among the rows.
fn of_landmarks(
    session: &Session,
    args: &FeaturesArgs,
    landmarks: LandmarkParams,
    rows: &mut FitRows<'_>,
) -> Result<Map> {
    let params = KernelPcaParams::landmark_features(args.kernel.spec(), landmarks);
    let mut blocks = Regrouped::new(rows);
    let model = KernelPca::fit_blocks(&session.context, &params, &mut blocks, Dtype::F64)?;
    Ok(Map::Landmarks(Box::new(SavedModel::new(Model::KernelPca(model), Dtype::F64))))
}

/// An explicit map, whose parameters depend on a sample of the rows if they depend on the data.
fn explicit(session: &Session, args: &FeaturesArgs, rows: &mut FitRows<'_>) -> Result<Map> {
    if *rows.roles.input_kind == InputKind::Strings {
        let message =
            "features for all substrings need all rows at once: use --landmarks, or raise --memory";
        return Err(Error::parameter(Param::Kernel, message));
    }
    let (d, options) = (rows.first().features.n_columns(), options(args, &rows.first().features));
    let mut kernel = args.kernel.spec();
    if !kernel.is_resolved() {
        // A sample of the rows takes less memory than a choice of landmarks among them.
        let some = LandmarkParams::from(1).method(LandmarkMethod::Uniform).seed(args.seed);
        let mut blocks = Regrouped::new(&mut *rows);
        kernel = kernel.resolve(sampled(&session.context, &some, &mut blocks, Dtype::F64)?)?;
    }
    let map = FeatureMap::new(&kernel, d, &options)?;
    let names = map.names(Some(&options.columns))?;
    let of_histograms = *rows.roles.input_kind == InputKind::Histograms;
    let explicit = Explicit { map, kernel, names, of_histograms, scaling: None };
    Ok(Map::Explicit(Box::new(explicit)))
}

impl Map {
    /// The map with what a model stores of the columns, and their scaling.
    fn completed(self, chosen: columns::Chosen, scaling: Option<Scaling>) -> Self {
        match self {
            Map::Landmarks(mut saved) => {
                (saved.scaling, saved.feature_names) = (scaling, chosen.features.names);
                note_places(&mut saved, &chosen.places);
                Map::Landmarks(saved)
            }
            Map::Explicit(explicit) => Map::Explicit(Box::new(Explicit { scaling, ..*explicit })),
        }
    }

    fn model(&self) -> Option<&SavedModel> {
        match self {
            Map::Landmarks(saved) => Some(saved),
            Map::Explicit(_) => None,
        }
    }

    fn names(&self) -> Vec<String> {
        match self {
            Map::Landmarks(saved) => component_names(saved.model.k()),
            Map::Explicit(explicit) => explicit.names.clone(),
        }
    }

    /// The kernel, whether the map is exact, and a bound on its error.
    fn described(&self) -> (String, bool, Option<f64>) {
        match self {
            Map::Landmarks(saved) => {
                let kernel = crate::data::kernel_of(&saved.model);
                (kernel.map(|kernel| kernel.to_string()).unwrap_or_default(), false, None)
            }
            Map::Explicit(explicit) => {
                let map = &explicit.map;
                (explicit.kernel.to_string(), map.is_exact(), map.worst_error())
            }
        }
    }

    /// The features of the rows of a block, column by column.
    fn values(&self, session: &Session, features: &Table) -> Result<Vec<Vec<f64>>> {
        match self {
            Map::Landmarks(saved) => {
                let found = transform::forward(session, saved, features, Wanted::default())?;
                let k = saved.model.k();
                let column = |j: usize| found.values.iter().skip(j).step_by(k).copied().collect();
                Ok((0..k).map(column).collect())
            }
            Map::Explicit(explicit) => explicit.values(session, features),
        }
    }
}

impl Explicit {
    fn values(&self, session: &Session, features: &Table) -> Result<Vec<Vec<f64>>> {
        if self.of_histograms {
            features.check_not_negative()?;
        }
        let scales = Scales::Apply(self.scaling.as_ref());
        let rows = Numbers::<f64>::of(session, features, scales)?;
        let values = self.map.matrix(&session.context, rows.view())?;
        let column = |j: usize| (0..rows.n).map(|i| values[(i, j)]).collect();
        Ok((0..self.map.dimension()).map(column).collect())
    }
}
