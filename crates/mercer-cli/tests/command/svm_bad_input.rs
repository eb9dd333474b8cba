//! Support vector machines that cannot be: the exit code, the words, and that no file appears.

use crate::bad_input::check;
use crate::folder::{Folder, houses, ring_table, rings, small_table};

const OUTPUTS: &str = "-o o.csv -m m.mercer";

#[test]
fn tables() {
    let folder = Folder::new();
    folder.write("h.csv", houses(30));
    folder.write("t.csv", small_table(30));
    let files = [
        ("same.csv", "a,b,y\n1,2,red\n2,3,red\n"),
        ("one.csv", "a,b,y\n1,2,7\n"),
        ("nan.csv", "a,b,y\n1,2,p\n2,NaN,q\n3,4,p\n"),
        ("inf.csv", "a,b,y\n1,2,3\n2,1,inf\n3,4,5\n"),
        ("gap.csv", "a,b,y\n1,2,p\n2,3,\n4,3,p\n"),
        ("zero.csv", "a,b,y,w\n1,2,p,0\n2,3,q,1\n5,3,q,1\n"),
        ("few.csv", "a,b,y\n1,2,p\n2,3,q\n4,3,q\n5,5,q\n1,1,q\n0,1,q\n0,2,q\n9,9,q\n"),
    ];
    files.iter().for_each(|(name, content)| folder.write(name, content));
    folder.write(
        "many.csv",
        format!("x,y\n{}", (0..60).map(|i| format!("{i},{}\n", i % 40)).collect::<String>()),
    );
    let cases: [(&str, &[&str]); 25] = [
        ("svc t.csv", &["--target: choose the target column: one of x, y, z, kind"]),
        ("svc t.csv --target colour", &["t.csv", "no column \"colour\"", "x, y, z, kind"]),
        ("svc h.csv --target rooms", &["\"id\" holds text with 30 different values", "--label"]),
        (
            "svc same.csv --target y",
            &["same.csv", "only one class", "red", "at least two are required"],
        ),
        ("svc one.csv --target y", &["one.csv", "only one class"]),
        ("svr one.csv --target y", &["one row", "at least"]),
        ("svc nan.csv --target y --missing refuse", &["nan.csv", "line 3", "\"b\"", "missing"]),
        ("svr inf.csv --target y", &["inf.csv", "line 3", "infinite"]),
        ("svc gap.csv --target y", &["gap.csv", "line 3", "missing"]),
        ("svr t.csv --target kind", &["t.csv", "line 2", "\"kind\" is not a number", "mercer svc"]),
        ("svr h.csv --target price,age --label id", &["--target", "only one target column"]),
        ("svc h.csv --target price --label id", &["a different class"]),
        ("svc many.csv --target y", &["--target", "40 different numbers in 60 rows", "mercer svr"]),
        ("svc t.csv --target kind --columns x,kind", &["\"kind\" is the target"]),
        ("svc zero.csv --target y --weights w", &["--weights", "\"p\" have weight 0"]),
        (
            "svc t.csv --target kind --class-weight pink=2",
            &["--class-weight", "\"pink\"", "blue, green, red"],
        ),
        ("svc few.csv --target y --nu 0.9", &["--nu", "at most"]),
        ("oneclass t.csv --columns king", &["did you mean \"kind\"?"]),
        ("oneclass t.csv --categories w", &["no column \"w\""]),
        (
            "search h.csv --target price --label id --class-weight balanced",
            &["--class-weight", "--classify"],
        ),
        (
            "search h.csv --target price --label id --probability sigmoid",
            &["--probability", "--classify"],
        ),
        ("search t.csv --target kind --epsilon 1", &["--epsilon", "classifier"]),
        ("search t.csv --target kind --folds 31", &["--folds", "30"]),
        ("search absent.csv --target y", &["absent.csv", "No such file"]),
        ("svc t.csv --target kind --memory 300", &["--memory"]),
    ];
    for (line, parts) in cases {
        check(&folder, &format!("{line} {OUTPUTS}"), 1, parts);
    }
}

#[test]
fn flags() {
    let folder = Folder::new();
    folder.write("t.csv", small_table(30));
    let cases: [(&str, &[&str]); 17] = [
        ("svc t.csv --target kind -C 0", &["--cost", "greater than 0"]),
        ("svc t.csv --target kind -C -1", &["--cost", "greater than 0"]),
        ("svc t.csv --target kind --cost nan", &["--cost", "greater than 0"]),
        ("svc t.csv --target kind --nu 0", &["--nu", "greater than 0"]),
        ("svc t.csv --target kind --nu 1.5", &["--nu", "at most 1"]),
        ("svc t.csv --target kind --nu 0.5 -C 2", &["cannot be used with"]),
        ("svr t.csv --target x --epsilon -1", &["--epsilon", "at least 0"]),
        ("svr t.csv --target x --nu 0.5 --epsilon 1", &["cannot be used with"]),
        ("svc t.csv --target kind --class-weight red", &["--class-weight", "balanced"]),
        ("svc t.csv --target kind --tolerance 0", &["--tolerance"]),
        ("svc t.csv --target kind --max-iter 0", &["--max-iter"]),
        ("svc t.csv --target kind --cache lots", &["--cache", "2GiB"]),
        ("svc t.csv --target kind --kernel 'rbf(gama=1)'", &["did you mean 'gamma'"]),
        ("svc t.csv --target kind --libsvm-model a.model", &["--scale none"]),
        ("search t.csv --target kind --costs 1,0", &["--costs", "greater than 0"]),
        ("search t.csv --target kind --gammas 1 --kernel linear", &["cannot be used with"]),
        (
            "svc t.csv --target kind -m a -o a.csv --libsvm-model a --scale none",
            &["--model and --libsvm-model"],
        ),
    ];
    for (line, parts) in cases {
        check(&folder, line, 2, parts);
    }
}

#[test]
fn pictures_need_two_columns() {
    let folder = Folder::new();
    folder.write("t.csv", small_table(30));
    folder.write("h.csv", houses(30));
    let three = ["--plot: a plot needs two feature columns", "has 3", "--columns x,y"];
    check(&folder, "svc t.csv --target kind -p p.svg -m m.mercer", 1, &three);
    check(&folder, "oneclass t.csv --label kind -p p.svg", 1, &three);
    check(
        &folder,
        "svc t.csv --target kind --columns x -p p.svg",
        1,
        &["--plot", "has 1", "another feature column"],
    );
    let line = "svr h.csv --target price --label id -p p.svg";
    check(&folder, line, 1, &["one or two feature columns", "--columns area,age"]);
}

#[test]
fn predictions() {
    let folder = Folder::new();
    folder.write("t.csv", small_table(30));
    folder.write("two.csv", ring_table(30));
    folder.write("r.libsvm", rings(30));
    folder.write("h.csv", houses(30));
    folder.done("svc t.csv --target kind -q -m c.mercer");
    folder.done("svr h.csv --target price --label id -q -m r.mercer");
    folder.done("oneclass h.csv --label id -q -m o.mercer");
    folder.done("krr t.csv --target kind -q -m k.mercer");
    let cases: [(&str, &[&str]); 10] = [
        (
            "predict c.mercer t.csv --probability",
            &["--probability", "not calibrated", "svc --probability"],
        ),
        ("predict k.mercer t.csv --probability", &["--probability", "not calibrated"]),
        ("predict k.mercer t.csv --decisions", &["--decisions", "support vector"]),
        ("predict r.mercer h.csv --decisions", &["--decisions", "classifier"]),
        ("predict r.mercer h.csv --scores", &["--scores", "not a classifier"]),
        ("predict r.mercer h.csv --std", &["--std", "krr"]),
        ("predict o.mercer h.csv --probability", &["--probability", "one-class decisions"]),
        ("predict c.mercer two.csv", &["two.csv", "the model needs column \"z\"", "--columns"]),
        ("predict c.mercer t.csv --columns x,y", &["needs 3 columns", "--columns selects 2"]),
        ("transform c.mercer t.csv", &["this model makes predictions", "mercer predict"]),
    ];
    for (line, parts) in cases {
        check(&folder, line, 1, parts);
    }
    folder.write("cut.model", "svm_type c_svc\nkernel_type rbf\ngamma 1\n");
    check(&folder, "predict cut.model t.csv", 1, &["cut.model", "line"]);
    let line = "svc t.csv --target kind --scale none --libsvm-model a.model";
    check(&folder, line, 1, &["--libsvm-model", "integer"]);
    let line = "svc r.libsvm --scale none --kernel laplacian --libsvm-model a.model";
    check(&folder, line, 1, &["--kernel", "LIBSVM has no kernel"]);
}
