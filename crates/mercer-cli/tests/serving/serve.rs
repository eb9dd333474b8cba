//! `mercer serve`.

use serde_json::{Value, json};

use crate::client::{Server, run};
use crate::folder::Folder;

/// A folder with a classifier and a kernel PCA of iris.
fn models() -> Folder {
    let folder = Folder::new();
    assert_eq!(run(&folder, &["demo", "--data", "iris.csv", "--quiet"]).code, Some(0));
    let svc = [
        "svc",
        "iris.csv",
        "--target",
        "species",
        "--probability",
        "sigmoid",
        "-m",
        "flowers.mercer",
        "--quiet",
    ];
    assert_eq!(run(&folder, &svc).code, Some(0));
    let kpca = [
        "kpca",
        "iris.csv",
        "--label",
        "species",
        "-k",
        "3",
        "-m",
        "components.mercer",
        "--quiet",
        "-o",
        "k.csv",
    ];
    assert_eq!(run(&folder, &kpca).code, Some(0));
    folder
}

const ROW: &str = r#"{"rows": [[5.1, 3.5, 1.4, 0.2]]}"#;

/// All rows of iris as JSON, by name.
fn iris(folder: &Folder) -> (String, Vec<Value>) {
    let text = folder.read("iris.csv");
    let mut lines = text.lines();
    let names: Vec<&str> = lines.next().unwrap().split(',').collect();
    let row = |line: &str| {
        let cells = line.split(',').zip(&names).map(|(cell, name)| {
            let value = cell.parse::<f64>().map_or_else(|_| json!(cell), |number| json!(number));
            ((*name).to_owned(), value)
        });
        Value::Object(cells.collect())
    };
    let rows: Vec<Value> = lines.map(row).collect();
    (json!({ "rows": rows }).to_string(), rows)
}

#[test]
fn predictions_are_those_of_the_command_line() {
    let folder = models();
    let command = [
        "predict",
        "flowers.mercer",
        "iris.csv",
        "--scores",
        "--probability",
        "-o",
        "p.csv",
        "--quiet",
    ];
    assert_eq!(run(&folder, &command).code, Some(0));
    let server = Server::start(folder.path(), &["serve", "flowers.mercer", "components.mercer"]);
    let (body, _) = iris(&folder);
    let answer = server.post("/predict", &body);
    assert_eq!(answer.status, 200, "{}", answer.body);
    let found = answer.json();
    let expected = folder.read("p.csv");
    let mut lines = expected.lines();
    // The command names the label and the prediction beside it.
    let columns: Vec<&str> = lines.next().unwrap().split(',').collect();
    let names: Vec<&str> =
        found["columns"].as_array().unwrap().iter().map(|n| n.as_str().unwrap()).collect();
    assert_eq!(&columns[columns.len() - names.len() + 1..], &names[1..]);
    for (line, row) in lines.zip(found["rows"].as_array().unwrap()) {
        let cells: Vec<&str> = line.split(',').rev().take(names.len()).collect();
        for (cell, value) in cells.iter().rev().zip(row.as_array().unwrap()) {
            match value.as_f64() {
                Some(number) => assert!((cell.parse::<f64>().unwrap() - number).abs() < 1e-12),
                None => assert_eq!(*cell, value.as_str().unwrap()),
            }
        }
    }
    let csv = folder.bytes("iris.csv");
    let headers = [("Content-Type", "text/csv"), ("Accept", "text/csv")];
    let as_csv = server.request("POST", &format!("{}/predict", server.base), &headers, &csv);
    assert_eq!((as_csv.status, as_csv.body.lines().count()), (200, 151), "{}", as_csv.body);
    assert!(as_csv.head.contains("content-type: text/csv"));
    let components = server.post("/transform", ROW).json();
    assert_eq!(components["columns"], json!(["component_1", "component_2", "component_3"]));
    let first: Vec<f64> = folder
        .read("k.csv")
        .lines()
        .nth(1)
        .unwrap()
        .split(',')
        .filter_map(|c| c.parse().ok())
        .collect();
    for (value, expected) in components["rows"][0].as_array().unwrap().iter().zip(first) {
        assert!((value.as_f64().unwrap() - expected).abs() < 1e-8);
    }
}

#[test]
fn arrow_tables_come_and_go() {
    use mercer::io::{Format, ReadOptions, Table, parse_table};
    let folder = models();
    assert_eq!(run(&folder, &["demo", "--data", "iris.arrow", "--quiet"]).code, Some(0));
    let server = Server::start(folder.path(), &["serve", "flowers.mercer"]);
    let (body, _) = iris(&folder);
    let expected = server.post("/predict", &body).json();
    let ask = |kind: &str, accept: &str, body: &[u8]| {
        let headers = [("Content-Type", kind), ("Accept", accept)];
        server.request("POST", &format!("{}/predict", server.base), &headers, body)
    };
    let file = folder.bytes("iris.arrow");
    let stream = &file[8..];
    for (kind, body) in [("file", &file[..]), ("stream", stream)] {
        let kind = format!("application/vnd.apache.arrow.{kind}");
        let answer = ask(&kind, &kind, body);
        assert_eq!(answer.status, 200, "{}", answer.body);
        assert!(answer.head.contains(&format!("content-type: {kind}")));
        let options = ReadOptions { format: Some(Format::Arrow), ..ReadOptions::default() };
        let found: Table =
            parse_table(answer.bytes, std::path::Path::new("answer"), &options).unwrap();
        assert_eq!(json!(found.names.as_ref().unwrap()), expected["columns"]);
        for (row, cells) in expected["rows"].as_array().unwrap().iter().enumerate() {
            assert_eq!(json!(found.columns[0].text(row)), cells[0]);
            assert_eq!(json!(found.columns[1].number(row)), cells[1]);
        }
    }
    let damaged = ask("application/vnd.apache.arrow.stream", "*/*", &stream[..200]);
    assert_eq!((damaged.status, damaged.error().contains("damaged")), (422, true));
}

#[test]
fn requests_at_the_same_time_get_their_own_answers() {
    let folder = models();
    let server = Server::start(folder.path(), &["serve", "flowers.mercer"]);
    let (body, rows) = iris(&folder);
    let all = server.post("/predict", &body).json();
    std::thread::scope(|scope| {
        for thread in 0..8 {
            let (server, rows, all) = (&server, &rows, &all);
            scope.spawn(move || {
                for i in (thread..150).step_by(8) {
                    // A faulty request beside it changes nothing.
                    if i % 5 == 0 {
                        assert_eq!(
                            server.post("/predict", r#"{"rows": [["x", 1, 2, 3]]}"#).status,
                            422
                        );
                    }
                    let one =
                        server.post("/predict", &json!({ "rows": [rows[i]] }).to_string()).json();
                    assert_eq!(one["rows"][0][0], all["rows"][i][0]);
                    let (a, b) =
                        (one["rows"][0][1].as_f64().unwrap(), all["rows"][i][1].as_f64().unwrap());
                    assert!((a - b).abs() < 1e-9, "{a} and {b}");
                }
            });
        }
    });
    let metrics = server.get("/metrics").body;
    let rows =
        metrics.lines().find_map(|line| line.strip_prefix("mercer_rows_total{model=\"flowers\"} "));
    assert_eq!(rows, Some("300"));
}

#[test]
fn who_may_ask() {
    let folder = models();
    let server = Server::start(folder.path(), &["serve", "flowers.mercer"]);
    let status = |method: &str, path: &str, headers: &[(&str, &str)]| {
        server.request(method, path, headers, ROW.as_bytes()).status
    };
    assert_eq!(status("POST", "/predict", &[]), 401);
    assert_eq!(status("POST", "/00000000000000000000000000000000/predict", &[]), 401);
    let bearer = format!("Bearer {}", server.token());
    assert_eq!(status("POST", "/predict", &[("Authorization", &bearer)]), 200);
    assert_eq!(status("GET", "/health", &[]), 200);
    assert_eq!(status("GET", "/metrics", &[]), 401);
    let page = format!("{}/", server.base);
    assert_eq!(status("GET", &page, &[("Host", "elsewhere.example")]), 421);
    assert_eq!(status("GET", &page, &[("Origin", "https://elsewhere.example")]), 403);
    let answer = server.get("/");
    assert!(answer.status == 200 && answer.head.contains("default-src 'none'"));
    assert!(!answer.head.to_lowercase().contains("access-control-allow"));
    let open = Server::start(folder.path(), &["serve", "flowers.mercer", "--no-token"]);
    assert_eq!(open.post("/predict", ROW).status, 200);
    let given =
        Server::start(folder.path(), &["serve", "flowers.mercer", "--token", "a-token-of-mine"]);
    assert_eq!(given.token(), "a-token-of-mine");
    assert!(!given.get("/models").body.contains("a-token-of-mine"));
}

#[test]
fn what_is_wrong_is_said() {
    let folder = models();
    let limits = ["--max-rows", "2", "--max-body", "2KiB"];
    let arguments = [&["serve", "flowers.mercer", "components.mercer"][..], &limits].concat();
    let server = Server::start(folder.path(), &arguments);
    let refused = |path: &str, body: &str| {
        let answer = server.post(path, body);
        (answer.status, answer.error())
    };
    assert_eq!(refused("/predict", "{").0, 400);
    assert!(
        refused("/predict", r#"{"rows": [[1, 2, 3]]}"#).1.contains("the model needs 4 columns: ")
    );
    let (status, error) = refused("/predict", r#"{"rows": [{"a": 1}]}"#);
    assert!(status == 422 && error.contains("is missing"), "{error}");
    assert_eq!(refused("/predict", r#"{"rows": [[1,2,3,4],[1,2,3,4],[1,2,3,4]]}"#).0, 413);
    assert_eq!(refused("/predict", &" ".repeat(3000)).0, 413);
    assert_eq!(refused("/predict?model=none", ROW).0, 404);
    let (status, error) = refused("/predict?model=components", ROW);
    assert!(status == 422 && error.contains("use /transform"), "{error}");
    assert_eq!(refused("/nowhere", ROW).0, 404);
    assert_eq!(server.get("/predict").status, 405);
    let models = server.get("/models").json();
    let example = models["models"][0]["example"].to_string();
    assert_eq!(server.post("/predict", &example).status, 200);
    let document = server.get("/openapi.json").json();
    assert_eq!(document["openapi"], "3.1.0");
    assert!(document["paths"]["/predict"]["post"].is_object() && document["security"].is_array());
    let twice = run(&folder, &["serve", "flowers.mercer", "./flowers.mercer"]);
    assert!(twice.code == Some(1) && twice.err.contains("rename one of them"), "{}", twice.err);
    let port = server.host.rsplit(':').next().unwrap();
    let taken = run(&folder, &["serve", "flowers.mercer", "--port", port]);
    assert!(taken.code == Some(1) && taken.err.contains("choose another --port"), "{}", taken.err);
    assert_eq!(run(&folder, &["serve", "none.mercer"]).code, Some(1));
}

#[test]
fn a_model_is_read_again_whole_or_not_at_all() {
    let folder = models();
    let server = Server::start(folder.path(), &["serve", "flowers.mercer"]);
    assert_eq!(server.post("/predict", ROW).json()["version"], 1);
    folder.write("flowers.mercer", &folder.bytes("flowers.mercer")[..500]);
    let failures = "mercer_reloads_total{model=\"flowers\",result=\"failed\"} 1";
    server.wait(|server| server.get("/metrics").body.contains(failures));
    let answer = server.post("/predict", ROW).json();
    assert_eq!((&answer["version"], &answer["rows"][0][0]), (&json!(1), &json!("setosa")));
    let krr = [
        "krr",
        "iris.csv",
        "--target",
        "petal_length",
        "--columns",
        "1,2",
        "-m",
        "flowers.mercer",
        "--quiet",
        "--kernel",
        "linear",
    ];
    assert_eq!(run(&folder, &krr).code, Some(0));
    server.wait(|server| server.get("/models").json()["models"][0]["version"] == 2);
    let answer = server.post("/predict", r#"{"rows": [[5.1, 3.5]]}"#).json();
    assert!(answer["version"] == 2 && answer["rows"][0][0].is_f64(), "{answer}");
}

#[test]
fn a_signal_ends_it_well() {
    let folder = models();
    for signal in ["-INT", "-TERM"] {
        let server = Server::start(folder.path(), &["serve", "flowers.mercer"]);
        assert_eq!(server.post("/predict", ROW).status, 200);
        let (code, errors) = server.end(signal);
        assert_eq!(code, Some(0), "{errors}");
    }
}

/// Bodies of random pieces: every one is answered, and memory does not grow.
#[test]
fn hostile_bodies_are_answered() {
    let folder = models();
    let server = Server::start(folder.path(), &["serve", "flowers.mercer"]);
    let pieces = [
        "{\"rows\": ",
        "[[",
        "1e308,",
        "-1e-320,",
        "null,",
        "\"\\ud800\"",
        "]]",
        "}",
        "[",
        "{\"a\": 1}",
        "NaN",
        "\u{0}",
        "é",
        "1,2\n",
        "PAR1",
        "\"x\"",
        "true",
        "[1,2,3,4]",
        "9".repeat(400).leak(),
    ];
    let kinds = [
        "application/json",
        "text/csv",
        "application/vnd.apache.parquet",
        "application/vnd.apache.arrow.stream",
        "application/x-npy",
        "text/tab-separated-values",
        "x",
    ];
    let mut state = 7_u64;
    let mut random = move |below: usize| {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % below
    };
    let resident = |server: &Server| -> f64 {
        let text = server.get("/metrics").body;
        let line =
            text.lines().find_map(|line| line.strip_prefix("process_resident_memory_bytes "));
        line.and_then(|bytes| bytes.parse().ok()).unwrap_or(0.0)
    };
    let mut ask = |count: usize| {
        for _ in 0..count {
            let body: String = (0..random(12)).map(|_| pieces[random(pieces.len())]).collect();
            let headers = [("Content-Type", kinds[random(kinds.len())])];
            let answer = server.request(
                "POST",
                &format!("{}/predict", server.base),
                &headers,
                body.as_bytes(),
            );
            assert!(
                [200, 400, 413, 415, 422].contains(&answer.status),
                "{} for {body:?}",
                answer.status
            );
        }
    };
    ask(300);
    let before = resident(&server);
    ask(700);
    assert!(
        resident(&server) < before + 20e6,
        "memory grew from {before} to {}",
        resident(&server)
    );
    assert_eq!(server.post("/predict", ROW).status, 200);
}

#[test]
fn rows_of_strings_and_numbers_with_missing_values() {
    let folder = Folder::new();
    folder.write("t.csv", "who,a,b\nann,1,2\nbob,2,\nanna,3,1\nbobby,4,5\n");
    let kernel = "column(who:spectrum(p=2))+columns(a,b:rbf(gamma=1))";
    let fit = ["kpca", "t.csv", "--kernel", kernel, "-m", "mixed.mercer", "-o", "k.csv", "--quiet"];
    let done = run(&folder, &fit);
    assert_eq!(done.code, Some(0), "{}", done.err);
    let server = Server::start(folder.path(), &["serve", "mixed.mercer"]);
    let facts = server.get("/models").json()["models"][0]["facts"]["columns"].clone();
    let kinds: Vec<&str> =
        facts.as_array().unwrap().iter().map(|column| column["kind"].as_str().unwrap()).collect();
    assert_eq!(kinds[0], "string");
    let rows = r#"{"rows": [{"who": "ann", "a": 1, "b": 2}, {"who": "bob", "a": 2, "b": null}]}"#;
    let answer = server.post("/transform", rows);
    assert_eq!(answer.status, 200, "{}", answer.body);
    let expected = folder.read("k.csv");
    for (line, row) in
        expected.lines().skip(1).zip(answer.json()["rows"].as_array().unwrap().iter())
    {
        let cells = line.split(',').filter_map(|cell| cell.parse::<f64>().ok());
        for (cell, value) in cells.zip(row.as_array().unwrap()) {
            assert!((cell - value.as_f64().unwrap()).abs() < 1e-9, "{line} and {row}");
        }
    }
    let refused = server.post("/transform", r#"{"rows": [{"who": "ann", "a": "x", "b": 2}]}"#);
    assert!(refused.status == 422 && refused.error().contains("a number is required"));
}
