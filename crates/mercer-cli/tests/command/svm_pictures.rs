//! Pictures of support vector machines.

use crate::folder::{Folder, houses, ring_table, small_table};

pub fn check(text: &str, parts: &[&str]) {
    for part in parts {
        assert!(text.contains(part), "no {part:?}");
    }
    assert!(!text.contains("NaN") && !text.contains("inf "), "NaN or infinity in the picture");
}

#[test]
fn the_boundary_of_two_classes() {
    let folder = Folder::new();
    folder.write("t.csv", ring_table(80));
    folder.done("svc t.csv --target side -q -p p.svg -p p.png");
    assert!(folder.bytes("p.png").starts_with(b"\x89PNG"));
    check(
        &folder.read("p.svg"),
        &[
            "Support vector classification of side (t.csv)",
            "80 rows; rbf(gamma=0.5",
            ">x<",
            ">y<",
            ">side<",
            ">in<",
            ">out<",
            ">support vector<",
            ">boundary (f = 0)<",
            ">margins (f = ±1)<",
            "stroke-dasharray",
        ],
    );
}

#[test]
fn regions_of_several_classes() {
    let folder = Folder::new();
    folder.write("t.csv", small_table(90));
    folder.done("svc t.csv --target kind --columns x,y -q -p p.svg");
    let svg = folder.read("p.svg");
    check(&svg, &[">blue<", ">green<", ">red<", ">boundary<", ">support vector<"]);
    assert!(!svg.contains("stroke-dasharray"));
}

#[test]
fn a_function_with_its_tube_and_a_field() {
    let folder = Folder::new();
    folder.write("h.csv", houses(80));
    folder.done(
        "svr h.csv --target price --columns area -C 1000 --absolute --epsilon 20 -q -p p.svg",
    );
    check(
        &folder.read("p.svg"),
        &[">area<", ">price<", ">tube ± 20<", ">function<", ">support vector<"],
    );
    folder.done(
        "svr h.csv --target price --columns area,age -C 1000 --absolute --epsilon 20 -q -p q.svg",
    );
    check(&folder.read("q.svg"), &[">area<", ">age<", ">price<", "linearGradient"]);
}

#[test]
fn what_is_outside() {
    let folder = Folder::new();
    folder.write("t.csv", ring_table(80));
    folder.done("oneclass t.csv --columns x,y -q -p p.svg");
    check(
        &folder.read("p.svg"),
        &[
            "One-class support vector machine (t.csv)",
            ">inside: ",
            ">outside: ",
            ">boundary (f = 0)<",
        ],
    );
}

#[test]
fn odd_tables_are_drawn() {
    let folder = Folder::new();
    folder.write("constant.csv", "a,b,y\n1,5,p\n2,5,q\n3,5,p\n4,5,q\n");
    folder.done("svc constant.csv --target y -q -p p.svg -p p.png");
    folder.write("large.csv", "a,b,y\n1e9,5e-9,p\n2e9,6e-9,q\n3e9,7e-9,p\n4e9,5e-9,q\n");
    folder.done("svc large.csv --target y -q -p p.svg");
    check(&folder.read("p.svg"), &["× 1e"]);
    folder.write("same.csv", "a,y\n1,2\n1,2\n1,2\n");
    folder.done("svr same.csv --target y -q -p p.svg -p p.png");
    check(&folder.read("p.svg"), &[">function<"]);
}
