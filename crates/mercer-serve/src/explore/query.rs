//! What a panel asks for, and the samples that it asks about.

use mercer::model::{Scaling, ScalingKind};
use mercer::{AnySamples, Dense, KernelSpec, Labels, Mat, Strings};
use serde::Deserialize;
use serde_json::{Map, Value};

use super::data::{Content, DataSet};

/// Why a question is refused: a status code and what is wrong.
pub(super) type Refusal = (u16, String);
pub(super) type Answer = Result<Value, Refusal>;

/// Points that may be drawn.
const MOST_DRAWN: usize = 2000;

/// A question.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Query {
    /// The page that asks: questions of one page and panel replace each other.
    #[serde(default)]
    pub client: String,
    /// Counted up by the page.
    #[serde(default)]
    pub seq: u64,
    /// The name of the data set; `drawn` for the points given here.
    #[serde(default)]
    pub data: String,
    /// x, y and class of points that were drawn.
    #[serde(default)]
    pub points: Vec<(f64, f64, u32)>,
    /// The columns that are used; all if empty.
    #[serde(default)]
    pub columns: Vec<String>,
    /// The rows that are used; all if absent.
    pub rows: Option<Vec<usize>>,
    /// Whether columns are standardised.
    #[serde(default)]
    pub scale: bool,
    /// The kernel.
    #[serde(default)]
    pub kernel: String,
    /// The column of labels that names classes.
    pub label: Option<String>,
    /// The region that is drawn.
    pub plane: Option<Plane>,
    /// What else the panel needs.
    #[serde(flatten)]
    pub more: Map<String, Value>,
}

/// A region of the plane of two columns, and points on a grid over it.
#[derive(Debug, Clone, Deserialize)]
pub(super) struct Plane {
    /// The places of the two columns among those used.
    pub axes: [usize; 2],
    /// From and to, in units of the table.
    pub x: [f64; 2],
    /// From and to.
    pub y: [f64; 2],
    /// Points in each direction.
    pub size: [usize; 2],
}

/// The samples of a question.
pub(super) struct Rows {
    /// As the kernel sees them.
    pub x: AnySamples,
    /// As the table holds them: n × d; none for strings.
    pub values: Option<Mat<f64>>,
    /// What was done to them.
    pub scaling: Option<Scaling>,
    /// The classes, if there is a column of labels.
    pub labels: Option<Labels>,
    /// What says which samples these are.
    pub key: String,
}

pub(super) fn refuse<T>(message: impl Into<String>) -> Result<T, Refusal> {
    Err((422, message.into()))
}

impl Query {
    /// Reads a question.
    pub fn parse(body: &[u8]) -> Result<Self, Refusal> {
        serde_json::from_slice(body).map_err(|error| (400, error.to_string()))
    }

    /// A number that the panel needs.
    pub fn number(&self, name: &str, from: f64, to: f64) -> Result<f64, Refusal> {
        match self.more.get(name).and_then(Value::as_f64) {
            Some(value) if (from..=to).contains(&value) => Ok(value),
            _ => refuse(format!("{name} must be a number from {from} to {to}")),
        }
    }

    /// A count that the panel needs.
    pub fn count(&self, name: &str, from: usize, to: usize) -> Result<usize, Refusal> {
        let value = self.number(name, from as f64, to as f64)?;
        if value.fract() == 0.0 {
            Ok(value as usize)
        } else {
            refuse(format!("{name} must be an integer"))
        }
    }

    /// Numbers that the panel needs.
    pub fn numbers(&self, name: &str) -> Result<Vec<f64>, Refusal> {
        let found = self.more.get(name).cloned().unwrap_or_default();
        serde_json::from_value(found)
            .map_err(|_| (422, format!("{name} must be a list of numbers")))
    }

    /// A text that the panel needs.
    pub fn text(&self, name: &str) -> Option<&str> {
        self.more.get(name).and_then(Value::as_str)
    }

    /// The kernel.
    pub fn kernel(&self) -> Result<KernelSpec, Refusal> {
        let spec: KernelSpec =
            self.kernel.parse().map_err(|error: mercer::Error| (422, error.to_string()))?;
        match spec.columns().is_empty() {
            true => Ok(spec),
            false => refuse(
                "kernels of named columns are not available on this page: choose the columns instead",
            ),
        }
    }

    /// The samples.
    pub fn samples(&self, sets: &[DataSet]) -> Result<Rows, Refusal> {
        let drawn;
        let set = if self.data == "drawn" {
            drawn = self.drawn()?;
            &drawn
        } else {
            let found = sets.iter().find(|set| set.name == self.data);
            found.ok_or_else(|| (404, format!("there is no data set {:?}", self.data)))?
        };
        let rows = self.chosen(set.n())?;
        let labels = set.labels.iter().find(|labels| Some(&labels.name) == self.label.as_ref());
        let labels = labels.map(|labels| Labels::new(&pick(&labels.cells, &rows)));
        let key =
            format!("{:?}", (&self.data, &self.points, &self.columns, &self.rows, self.scale));
        match &set.content {
            Content::Numbers { names, values } => self.numeric(names, values, &rows, labels, key),
            Content::Strings { texts, .. } => {
                let texts: Vec<&str> = rows.iter().map(|&row| texts.get(row)).collect();
                let x = Strings::new(texts).map_err(|error| (422, error.to_string()))?.into();
                Ok(Rows { x, values: None, scaling: None, labels, key })
            }
        }
    }

    fn chosen(&self, n: usize) -> Result<Vec<usize>, Refusal> {
        let rows = self.rows.clone().unwrap_or_else(|| (0..n).collect());
        let is_sound = rows.iter().all(|&row| row < n) && rows.len() <= n;
        if is_sound && rows.len() >= 2 { Ok(rows) } else { refuse("at least two rows are needed") }
    }

    fn numeric(
        &self,
        names: &[String],
        all: &Mat<f64>,
        rows: &[usize],
        labels: Option<Labels>,
        key: String,
    ) -> Result<Rows, Refusal> {
        let find = |name: &String| {
            let place = names.iter().position(|other| other == name);
            place.ok_or_else(|| (422, format!("there is no column {name:?}")))
        };
        let columns = match self.columns.is_empty() {
            true => (0..names.len()).collect(),
            false => self.columns.iter().map(find).collect::<Result<Vec<usize>, _>>()?,
        };
        let values = Mat::from_fn(rows.len(), columns.len(), |i, j| all[(rows[i], columns[j])]);
        let kind = if self.scale { ScalingKind::Standard } else { ScalingKind::None };
        let scaling = Scaling::learn(kind, values.data(), columns.len());
        let x = scaled(values.clone(), &scaling)?;
        Ok(Rows { x, values: Some(values), scaling: Some(scaling), labels, key })
    }

    /// The points that were drawn as a data set.
    fn drawn(&self) -> Result<DataSet, Refusal> {
        let is_sound = self.points.iter().all(|(x, y, _)| x.is_finite() && y.is_finite());
        if !is_sound || !(2..=MOST_DRAWN).contains(&self.points.len()) {
            return refuse(format!("draw 2 to {MOST_DRAWN} points"));
        }
        let values =
            Mat::from_fn(self.points.len(), 2, |i, j| [self.points[i].0, self.points[i].1][j]);
        // Counted from 1, as the page calls them.
        let class = |point: &(f64, f64, u32)| point.2.saturating_add(1).to_string();
        let cells = self.points.iter().map(class).collect();
        Ok(DataSet {
            name: "drawn".into(),
            title: String::new(),
            about: String::new(),
            file: String::new(),
            content: Content::Numbers { names: vec!["x".into(), "y".into()], values },
            labels: vec![super::Labels { name: "class".into(), cells }],
            all_rows: self.points.len(),
            image: None,
            kernel: String::new(),
            scale: false,
        })
    }
}

fn pick(cells: &[String], rows: &[usize]) -> Vec<String> {
    rows.iter().map(|&row| cells[row].clone()).collect()
}

/// Rows (m × d) as samples, scaled first.
pub(super) fn scaled(values: Mat<f64>, scaling: &Scaling) -> Result<AnySamples, Refusal> {
    let (n, d) = (values.rows(), values.cols());
    let mut numbers = values.into_vec();
    let made = scaling.apply(&mut numbers, d).and_then(|()| Dense::from_vec(numbers, n, d));
    made.map(AnySamples::from).map_err(|error| (422, error.to_string()))
}
