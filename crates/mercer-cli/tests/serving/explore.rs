//! `mercer explore`, without a browser.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::client::{Server, run};
use crate::folder::Folder;

fn ask(server: &Server, panel: &str, question: Value) -> Value {
    let answer = server.post(&format!("/api/{panel}"), &question.to_string());
    assert_eq!(answer.status, 200, "{panel}: {}", answer.body);
    answer.json()
}

fn numbers(value: &Value) -> Vec<f64> {
    value.as_array().unwrap().iter().map(|v| v.as_f64().unwrap()).collect()
}

fn close(found: &[f64], expected: &[f64], error: f64) {
    assert_eq!(found.len(), expected.len());
    found.iter().zip(expected).for_each(|(a, b)| assert!((a - b).abs() <= error, "{found:?}"));
}

#[test]
fn the_worked_example_comes_out() {
    let folder = Folder::new();
    let server = Server::start(folder.path(), &["explore", "--no-open"]);
    let common = json!({ "data": "parabola", "kernel": "poly(degree=2, gamma=1, coef0=1)", "components": 3 });
    let found = ask(&server, "components", common.clone());
    close(&numbers(&found["eigenvalues"]), &[277.927517, 252.0, 2.072483], 1e-4);
    let first: Vec<f64> = numbers(&found["scores"][0]).iter().map(|v| v.abs()).collect();
    close(&first, &[1.72801191, 11.66094908, 1.72801191, 11.66094908], 1e-5);
    let gram = ask(&server, "gram", common);
    close(&numbers(&gram["values"])[..4], &[9.0, 49.0, 1.0, 9.0], 1e-4);
}

#[test]
fn every_panel_answers_for_every_data_set() {
    let folder = Folder::new();
    let server = Server::start(folder.path(), &["explore", "--no-open"]);
    let start = server.get("/api/start").json();
    assert!(start["kernels"].as_array().unwrap().len() > 15);
    for set in start["sets"].as_array().unwrap() {
        let data = ask(&server, "data", json!({ "data": set["name"] }));
        let label = &data["labels"][0]["name"];
        let common = json!({ "data": set["name"], "kernel": set["kernel"], "label": label, "scale": set["scale"] });
        let with = |more: Value| {
            let mut question = common.clone();
            let more = more.as_object().unwrap().clone();
            question.as_object_mut().unwrap().extend(more);
            question
        };
        let n = set["n"].as_u64().unwrap() as usize;
        let components = ask(&server, "components", with(json!({ "components": 2 })));
        assert_eq!(components["errors"].as_array().unwrap().len(), n);
        assert_eq!(
            ask(&server, "shape", with(json!({ "row": 0 })))["rows"].as_array().unwrap().len(),
            n
        );
        assert!(
            ask(&server, "gram", with(json!({ "order": "class" })))["size"].as_u64().unwrap() >= 4
        );
        let svm = ask(&server, "svm", with(json!({ "c": 1 })));
        assert!(!svm["support"].as_array().unwrap().is_empty());
        let clusters =
            ask(&server, "clusters", with(json!({ "clusters": 2, "rounds": 5, "seed": 0 })));
        assert_eq!(clusters["labels"].as_array().unwrap().len(), n);
        if set["d"] == 2 {
            let plane = json!({ "axes": [0, 1], "x": [-3, 3], "y": [-3, 3], "size": [11, 9] });
            let over = ask(&server, "contours", with(json!({ "components": 2, "plane": plane })));
            assert_eq!(over["components"][0].as_array().unwrap().len(), 99);
            let ridge = ask(&server, "ridge", with(json!({ "from": 0, "to": 1, "alpha": null })));
            assert_eq!(ridge["errors"].as_array().unwrap().len(), 49);
            let scores = [0, 1].map(|j| components["scores"][j][0].as_f64().unwrap_or(0.0));
            let preimage =
                ask(&server, "preimage", with(json!({ "components": 2, "scores": scores })));
            assert_eq!(preimage["row"].as_array().unwrap().len(), 2);
        }
    }
    let names =
        json!({ "data": "names", "kernel": "normalize(spectrum(p=3))", "text": "simpson abe" });
    assert!(ask(&server, "project", names)["scores"].as_array().unwrap().len() >= 2);
    let check = ask(&server, "check", json!({ "matrix": [[1, 2], [2, 1]] }));
    assert_eq!(check["isValid"], false);
    close(&numbers(&check["eigenvalues"]), &[3.0, -1.0], 1e-12);
}

#[test]
fn a_model_from_the_page_predicts() {
    let folder = Folder::new();
    let server = Server::start(folder.path(), &["explore", "--no-open"]);
    let question = json!({ "data": "iris", "kernel": "rbf(gamma=0.25)", "label": "species", "scale": true, "method": "svc", "c": 1,
        "names": ["sepal_length", "sepal_width", "petal_length", "petal_width"] });
    let mut stream = std::net::TcpStream::connect(&server.host).unwrap();
    let body = question.to_string();
    let head = format!(
        "POST {}/api/model HTTP/1.1\r\nHost: {}\r\nConnection: close\r\nContent-Length: {}\r\n\r\n",
        server.base,
        server.host,
        body.len()
    );
    std::io::Write::write_all(&mut stream, [head.as_bytes(), body.as_bytes()].concat().as_slice())
        .unwrap();
    let mut bytes = Vec::new();
    std::io::Read::read_to_end(&mut stream, &mut bytes).unwrap();
    let start = bytes.windows(4).position(|part| part == b"\r\n\r\n").unwrap() + 4;
    folder.write("flowers.mercer", &bytes[start..]);
    assert_eq!(run(&folder, &["demo", "--data", "iris.csv", "--quiet"]).code, Some(0));
    let run = run(&folder, &["predict", "flowers.mercer", "iris.csv", "--quiet"]);
    assert_eq!(run.code, Some(0), "{}", run.err);
    assert!(run.out.matches("setosa").count() >= 50);
}

#[test]
fn hostile_questions_are_refused() {
    let folder = Folder::new();
    let server = Server::start(folder.path(), &["explore", "--no-open"]);
    assert_eq!(server.request("GET", "/", &[], b"").status, 401);
    assert_eq!(server.request("POST", "/api/components", &[], b"{}").status, 401);
    assert_eq!(
        server
            .request("GET", &format!("{}/", server.base), &[("Host", "evil.example")], b"")
            .status,
        421
    );
    for path in ["/../Cargo.toml", "/%2e%2e/etc/passwd", "//etc/passwd", "/app.js/..", "/api/none"]
    {
        assert_eq!(server.get(path).status, 404, "{path}");
    }
    let refused = |panel: &str, question: Value| {
        let answer = server.post(&format!("/api/{panel}"), &question.to_string());
        assert!(
            [400, 404, 413, 422].contains(&answer.status),
            "{}: {}",
            answer.status,
            answer.body
        );
        answer.error()
    };
    let circles = |more: Value| {
        let mut question = json!({ "data": "circles", "kernel": "rbf" });
        question.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        question
    };
    assert!(!refused("components", json!([])).is_empty());
    assert!(
        refused("components", json!({ "data": "/etc/passwd", "kernel": "rbf", "components": 2 }))
            .contains("no data set")
    );
    assert!(
        refused("components", circles(json!({ "components": 1e9 }))).contains("components must be")
    );
    assert!(
        refused("components", circles(json!({ "kernel": "rbf(gamma=-1)", "components": 2 })))
            .contains("gamma")
    );
    assert!(
        !refused("components", circles(json!({ "kernel": "(".repeat(5000), "components": 2 })))
            .is_empty()
    );
    assert!(
        refused("components", circles(json!({ "rows": [0, 999999], "components": 2 })))
            .contains("rows")
    );
    let plane = json!({ "axes": [0, 1], "x": [0, 1], "y": [0, 1], "size": [100000, 100000] });
    assert!(
        refused("contours", circles(json!({ "components": 2, "plane": plane }))).contains("grid")
    );
    let points: Vec<Value> = (0..3000).map(|i| json!([i, i, 0])).collect();
    assert!(
        refused(
            "components",
            json!({ "data": "drawn", "kernel": "rbf", "points": points, "components": 2 })
        )
        .contains("draw")
    );
    assert!(refused("check", json!({ "matrix": [[1, 2]] })).contains("square"));
    assert!(refused("svm", circles(json!({ "c": 1 }))).contains("classes"));
}

#[test]
fn a_newer_question_ends_an_older_one() {
    let folder = Folder::new();
    let rows: String = (0..4000)
        .map(|i| {
            let t = f64::from(i);
            format!("{},{},{},{}\n", t.sin(), (1.7 * t).cos(), (t * 0.37).fract(), i % 2)
        })
        .collect();
    folder.write("t.csv", format!("a,b,c,y\n{rows}"));
    let server = Server::start(folder.path(), &["explore", "t.csv", "--label", "y", "--no-open"]);
    // A machine that takes long: a tiny C would be quick, this one is not.
    let slow = |seq: u64| json!({ "client": "x", "seq": seq, "data": "table", "kernel": "rbf(gamma=50)", "label": "y", "scale": true, "c": 1e6 });
    let started = Instant::now();
    let status = std::thread::scope(|scope| {
        let old = scope.spawn(|| server.post("/api/svm", &slow(1).to_string()).status);
        std::thread::sleep(Duration::from_millis(200));
        let matrix = json!({ "client": "x", "seq": 2, "data": "circles", "kernel": "rbf", "label": "class", "c": 1 });
        assert_eq!(server.post("/api/svm", &matrix.to_string()).status, 200);
        old.join().unwrap()
    });
    // It may have been done before the other came.
    assert!(status == 409 || status == 200, "{status}");
    assert!(started.elapsed() < Duration::from_secs(30));
}

#[test]
fn a_table_is_a_data_set_and_only_its_columns_are_used() {
    let folder = Folder::new();
    folder
        .write("t.csv", "a,b,who,note\n1,2,x,one\n2,,y,two\n3,1,x,three\n4,5,y,four\n5,0,x,five\n");
    let server = Server::start(folder.path(), &["explore", "t.csv", "--label", "who", "--no-open"]);
    let start = server.get("/api/start").json();
    assert_eq!((&start["sets"][0]["name"], &start["sets"][0]["n"]), (&json!("table"), &json!(4)));
    let data = ask(&server, "data", json!({ "data": "table" }));
    assert_eq!(data["columns"][1], json!({ "name": "b", "values": [2.0, 1.0, 5.0, 0.0] }));
    assert_eq!(data["labels"][0], json!({ "name": "who", "cells": ["x", "x", "y", "x"] }));
    let texts =
        Server::start(folder.path(), &["explore", "t.csv", "--columns", "note", "--no-open"]);
    assert_eq!(texts.get("/api/start").json()["sets"][0]["kind"], "strings");
    let (code, errors) = texts.end("-INT");
    assert_eq!(code, Some(0), "{errors}");
    assert_eq!(run(&folder, &["explore", "none.csv", "--no-open"]).code, Some(1));
    assert_eq!(run(&folder, &["explore", "t.csv", "--columns", "nope", "--no-open"]).code, Some(1));
}
