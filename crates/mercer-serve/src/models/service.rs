//! The paths of the service.

use std::sync::Arc;
use std::time::{Duration, Instant};

use mercer::Context;
use serde_json::json;

use super::metrics::Metrics;
use super::queue::Queue;
use super::rows::{self, Refusal};
use super::store::{Reloaded, Slot, Store};
use super::{CellKind, Operation, answer, openapi};
use crate::http::{Guard, Handler, Method, Request, Response, Stop, Token};
use crate::page::{self, packed};

/// Limits of the service.
#[derive(Debug, Clone, Copy)]
pub struct ServiceOptions {
    /// Rows of one request.
    pub max_rows: usize,
    /// Requests that may wait.
    pub queue: usize,
    /// Time for one request.
    pub time: Duration,
}

/// Serves models.
pub struct Service {
    store: Store,
    queue: Arc<Queue>,
    metrics: Arc<Metrics>,
    guard: Guard,
    token: Option<Token>,
    options: ServiceOptions,
    started: Instant,
}

impl Service {
    /// A service of the models in `store`, evaluated in `context`; without a token anybody who reaches it may ask.
    pub fn new(
        store: Store,
        context: &Context,
        guard: Guard,
        token: Option<Token>,
        options: ServiceOptions,
        stop: &Stop,
    ) -> Self {
        let metrics = Arc::new(Metrics::default());
        let queue = Queue::new(context, options.queue, metrics.clone(), stop);
        Self { store, queue, metrics, guard, token, options, started: Instant::now() }
    }

    /// Reads models again whose files changed: what happened, to be printed.
    pub fn reload(&self) -> Vec<String> {
        let line = |reloaded| match reloaded {
            Reloaded::Fresh(name) => {
                self.metrics.reload(&name, "ok");
                format!("model {name}: read again")
            }
            Reloaded::Failed(name, error) => {
                self.metrics.reload(&name, "failed");
                format!(
                    "model {name}: cannot be read, so the previous version is still served: {error}"
                )
            }
        };
        self.store.reload().into_iter().map(line).collect()
    }

    /// The path within the service, if the request knows the token: in its address, or in its header.
    fn path<'a>(&self, request: &'a Request) -> Option<&'a str> {
        let path = request.path.as_str();
        let Some(token) = &self.token else { return Some(path) };
        let bearer = request.header("authorization").and_then(|value| {
            let (scheme, text) = value.split_once(' ')?;
            scheme.eq_ignore_ascii_case("bearer").then_some(text.trim())
        });
        if bearer.is_some_and(|text| token.is(text)) {
            return Some(path);
        }
        let (first, _) = path[1..].split_once('/')?;
        token.is(first).then(|| &path[1 + first.len()..])
    }

    fn route(&self, request: &Request) -> (&'static str, Response) {
        if request.path == "/health" {
            return ("/health", self.health());
        }
        let Some(path) = self.path(request) else {
            let message = "the token is missing or wrong: send `Authorization: Bearer TOKEN`, or use the address that was printed";
            return ("other", Response::error(401, message).with("www-authenticate", "Bearer"));
        };
        let is_post = request.method == Method::Post;
        match path {
            "/predict" if is_post => ("/predict", self.evaluate(request, Operation::Predict)),
            "/transform" if is_post => ("/transform", self.evaluate(request, Operation::Transform)),
            "/predict" | "/transform" => {
                ("other", Response::error(405, "use POST").with("allow", "POST"))
            }
            _ if is_post => ("other", Response::error(404, NO_PATH)),
            "/models" => ("/models", self.models()),
            "/health" => ("/health", self.health()),
            "/metrics" => {
                let text = self.metrics.text().into_bytes();
                ("/metrics", Response::ok("text/plain; version=0.0.4; charset=utf-8", text))
            }
            "/openapi.json" => {
                let document = openapi::document(self.store.slots(), self.token.is_some());
                ("/openapi.json", Response::json(&document))
            }
            "/" => ("page", page::html(packed!("service/index.html"), page::NO_FRAMES)),
            "/service.js" => ("page", page::script(packed!("service/service.js"))),
            "/service.css" => ("page", page::style(packed!("service/service.css"))),
            _ => ("other", Response::error(404, NO_PATH)),
        }
    }

    fn health(&self) -> Response {
        let seconds = self.started.elapsed().as_secs();
        Response::json(&json!({ "status": "ok", "seconds": seconds }))
    }

    fn models(&self) -> Response {
        let describe = |slot: &Slot| {
            let current = slot.current();
            let facts = current.model.facts();
            json!({ "name": slot.name, "version": current.version, "facts": facts, "example": openapi::example(facts) })
        };
        let models: Vec<_> = self.store.slots().iter().map(describe).collect();
        Response::json(&json!({ "models": models }))
    }

    fn evaluate(&self, request: &Request, operation: Operation) -> Response {
        self.evaluated(request, operation).unwrap_or_else(|(status, message)| {
            let response = Response::error(status, &message);
            if status == 503 { response.with("retry-after", "1") } else { response }
        })
    }

    fn evaluated(&self, request: &Request, operation: Operation) -> Result<Response, Refusal> {
        let slot = self.slot(request.query("model"), operation)?;
        let current = slot.current();
        let facts = current.model.facts();
        let kind = request.header("content-type").unwrap_or_default();
        let as_written = facts.columns.iter().any(|column| column.kind == CellKind::String);
        let table = rows::read(kind, &request.body, self.options.max_rows, as_written)?;
        let table = rows::matched(table, facts)?;
        let rows = table.n_rows();
        let results = self.queue.evaluate(current.model.clone(), table, self.options.time)?;
        self.metrics.rows(&slot.name, rows);
        Ok(answer::response(request, &slot.name, current.version, &results))
    }

    /// The model that is asked for: by its name, or the only one for this operation.
    fn slot(&self, name: Option<&str>, operation: Operation) -> Result<&Slot, Refusal> {
        let fits = |slot: &&Slot| slot.current().model.facts().operation == operation;
        let listed = || {
            let names = self.store.slots().iter().filter(fits).map(|slot| slot.name.as_str());
            names.collect::<Vec<_>>().join(", ")
        };
        let slots = self.store.slots();
        match name {
            Some(name) => match slots.iter().find(|slot| slot.name == name) {
                Some(slot) if fits(&slot) => Ok(slot),
                Some(_) if operation == Operation::Predict => {
                    Err((422, format!("the model {name} computes components: use /transform")))
                }
                Some(_) => Err((422, format!("the model {name} predicts: use /predict"))),
                None => Err((404, format!("there is no model {name:?}; there are: {}", listed()))),
            },
            None => {
                let mut fitting = slots.iter().filter(fits);
                match (fitting.next(), fitting.next()) {
                    (Some(slot), None) => Ok(slot),
                    (None, _) => Err((404, "no served model does this: see /models".into())),
                    _ => Err((422, format!("choose a model by ?model=NAME: {}", listed()))),
                }
            }
        }
    }
}

const NO_PATH: &str = "there is no such path: see /openapi.json";

impl Handler for Service {
    fn handle(&self, request: &Request) -> Response {
        let started = Instant::now();
        let (path, response) = match self.guard.refusal(request) {
            Some(refusal) => ("other", refusal),
            None => self.route(request),
        };
        self.metrics.request(path, response.status, started.elapsed());
        response
    }
}
