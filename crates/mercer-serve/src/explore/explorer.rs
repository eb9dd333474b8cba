//! The paths of the page.

use std::time::Duration;

use mercer::Context;
use serde_json::{Value, json};

use super::compute::{EXACT, Fits, LANDMARKS, Task};
use super::data::DataSet;
use super::query::{Answer, Query, Refusal};
use super::watch::{Newest, Wanted};
use super::{kernels, panels};
use crate::http::{Guard, Handler, Method, Request, Response, Stop, Token};
use crate::page::{self, packed};

/// Limits of the page.
#[derive(Debug, Clone, Copy)]
pub struct ExplorerOptions {
    /// Time for one question.
    pub time: Duration,
    /// Whether pages of this machine may show it in a frame.
    pub frames: bool,
}

/// Serves the page.
pub struct Explorer {
    sets: Vec<DataSet>,
    context: Context,
    fits: Fits,
    newest: Newest,
    guard: Guard,
    token: Token,
    options: ExplorerOptions,
    stop: Stop,
}

/// The scripts of the page.
const SCRIPTS: &[(&str, &[u8])] = &[
    ("api.js", packed!("explore/api.js")),
    ("app.js", packed!("explore/app.js")),
    ("colours.js", packed!("explore/colours.js")),
    ("commands.js", packed!("explore/commands.js")),
    ("controls.js", packed!("explore/controls.js")),
    ("exports.js", packed!("explore/exports.js")),
    ("lessons.js", packed!("explore/lessons.js")),
    ("page.js", packed!("explore/page.js")),
    ("panel.js", packed!("explore/panel.js")),
    ("panels.js", packed!("explore/panels.js")),
    ("scatter.js", packed!("explore/scatter.js")),
    ("state.js", packed!("explore/state.js")),
    ("surface.js", packed!("explore/surface.js")),
    ("table.js", packed!("explore/table.js")),
    ("turn.js", packed!("explore/turn.js")),
];

impl Explorer {
    /// A page of the data sets in `sets`, computed in `context`.
    pub fn new(
        sets: Vec<DataSet>,
        context: &Context,
        guard: Guard,
        token: Token,
        options: ExplorerOptions,
        stop: &Stop,
    ) -> Self {
        let (context, stop) = (context.clone(), stop.clone());
        Self {
            sets,
            context,
            fits: Fits::new(),
            newest: Newest::default(),
            guard,
            token,
            options,
            stop,
        }
    }

    fn route(&self, request: &Request) -> Response {
        let path = request.path[1..].split_once('/').filter(|(first, _)| self.token.is(first));
        let Some((_, path)) = path else {
            return Response::error(
                401,
                "the token is missing or wrong: open the address that was printed",
            );
        };
        if request.method == Method::Post {
            return self.answer(path.strip_prefix("api/").unwrap_or_default(), &request.body);
        }
        let frames = if self.options.frames { page::LOCAL_FRAMES } else { page::NO_FRAMES };
        match path {
            "" => page::html(packed!("explore/index.html"), frames),
            "style.css" => page::style(packed!("explore/style.css")),
            "api/start" => Response::json(&self.start()),
            path => match SCRIPTS.iter().find(|(name, _)| *name == path) {
                Some((_, text)) => page::script(text),
                None => Response::error(404, "there is no such path"),
            },
        }
    }

    fn start(&self) -> Value {
        let sets: Vec<Value> = self.sets.iter().map(DataSet::summary).collect();
        json!({ "version": env!("CARGO_PKG_VERSION"), "sets": sets, "kernels": kernels::list(), "exact": EXACT, "landmarks": LANDMARKS })
    }

    fn answer(&self, name: &str, body: &[u8]) -> Response {
        let query = match Query::parse(body) {
            Ok(query) => query,
            Err((status, message)) => return Response::error(status, &message),
        };
        if name == "data" {
            return match self.sets.iter().find(|set| set.name == query.data) {
                Some(set) => Response::json(&set.columns()),
                None => Response::error(404, "there is no such data set"),
            };
        }
        let Some(panel) = PANELS.iter().find(|(panel, _)| *panel == name) else {
            return Response::error(404, "there is no such panel");
        };
        let newest = self.newest.note(&query.client, panel.0, query.seq);
        let wanted = Wanted::new(newest, query.seq, self.options.time, &self.stop);
        let context = self.context.clone().with_monitor(wanted.clone());
        match (panel.1)(self, &query, context) {
            Ok(response) => response,
            Err(_) if wanted.is_replaced() => Response::error(409, "superseded by a newer request"),
            Err((status, message)) => Response::error(status, &message),
        }
    }

    fn task(
        &self,
        query: &Query,
        context: Context,
        of: fn(&Task<'_>) -> Answer,
    ) -> Result<Response, Refusal> {
        let task = Task::new(query, &self.sets, context, &self.fits)?;
        of(&task).map(|value| Response::json(&value))
    }
}

type Panel = fn(&Explorer, &Query, Context) -> Result<Response, Refusal>;

/// The questions that can be asked.
const PANELS: &[(&str, Panel)] = &[
    ("components", |page, query, context| page.task(query, context, panels::components)),
    ("contours", |page, query, context| page.task(query, context, panels::contours)),
    ("project", |page, query, context| page.task(query, context, panels::project)),
    ("shape", |page, query, context| page.task(query, context, panels::shape)),
    ("gram", |page, query, context| page.task(query, context, panels::gram)),
    ("svm", |page, query, context| page.task(query, context, panels::svm)),
    ("clusters", |page, query, context| page.task(query, context, panels::clusters)),
    ("ridge", |page, query, context| page.task(query, context, panels::ridge)),
    ("preimage", |page, query, context| page.task(query, context, panels::preimage)),
    ("check", |_, query, context| {
        panels::check(&context, query).map(|value| Response::json(&value))
    }),
    ("model", |page, query, context| {
        let task = Task::new(query, &page.sets, context, &page.fits)?;
        panels::model(&task).map(|bytes| Response::ok("application/octet-stream", bytes))
    }),
];

impl Handler for Explorer {
    fn handle(&self, request: &Request) -> Response {
        self.guard.refusal(request).unwrap_or_else(|| self.route(request))
    }
}
