//! Writes the first inputs of every fuzz target into `fuzz/corpus`: `cargo run -p mercer-fuzz --example corpus`.

use std::fs;
use std::path::{Path, PathBuf};

use mercer::io::{Column, Format, Table, encode_table, from_bytes, to_bytes};
use serde_json::json;

fn folder(target: &str) -> PathBuf {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/corpus").join(target);
    fs::create_dir_all(&path).unwrap();
    path
}

fn put(target: &str, name: &str, content: impl AsRef<[u8]>) {
    fs::write(folder(target).join(name), content).unwrap();
}

fn main() {
    models();
    tables();
    texts();
    problems();
}

/// The golden files, and one with the notes that the Python package writes.
fn models() {
    let golden = Path::new(env!("CARGO_MANIFEST_DIR")).join("../mercer/tests/golden");
    for entry in fs::read_dir(golden).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap();
        put("model_file", name, fs::read(&path).unwrap());
        if name == "v1-svm.mercer" {
            put("model_file", "notes.mercer", with_notes(&fs::read(&path).unwrap()));
        }
    }
}

fn with_notes(bytes: &[u8]) -> Vec<u8> {
    let mut saved = from_bytes(Path::new("golden"), bytes).unwrap();
    let notes = json!({
        "python": {
            "C": 1.0, "kernel": {"spec": "0.5*rbf(gamma=1) + linear"}, "gamma": "scale",
            "class_weight": {"items": [["a", 2.0]]}, "probability": false, "max_iter": -1,
        },
        "estimator": "SVC", "shape_fit": [9, 3],
    });
    saved.extra = notes.as_object().unwrap().clone();
    to_bytes(&saved).unwrap()
}

fn tables() {
    let numbers = |shift: i32| (0..9).map(|i| f64::from(i % 4 + shift) / 3.0).collect();
    let words = (0..9).map(|i| format!("word {}", i % 3)).collect();
    let columns = vec![Column::F64(numbers(0)), Column::F64(numbers(-2)), Column::Text(words)];
    let table = Table::new(["a", "b", "kind"].map(String::from).to_vec(), columns);
    let bytes = |format: Format, table: &Table| {
        let mut bytes = Vec::new();
        encode_table(format, table, &mut bytes).unwrap();
        bytes
    };
    let plain = table.clone().keep(&[0, 1]);
    put("csv", "header.csv", bytes(Format::Csv, &table));
    put("csv", "quoted.csv", "\"a,b\";\"c \"\"d\"\"\"\n1,5;-2e3\n;x\r\n\"line\nbreak\";NaN\n");
    put("csv", "numbers.csv", "1,2\t3\n4,5\t6\n\n7,8\t9");
    put("npy", "double.npy", bytes(Format::Npy, &plain));
    put("npy", "single.npy", single());
    put("parquet", "mixed.parquet", bytes(Format::Parquet, &table));
    put("parquet", "numbers.parquet", bytes(Format::Parquet, &plain));
    put("arrow", "mixed.arrow", bytes(Format::Arrow, &table));
    put("arrow", "numbers.arrows", bytes(Format::ArrowStream, &plain));
    put("libsvm_text", "sparse", "+1 1:0.5 7:2 # a comment\n-1 2:1e-3\n3 \n");
    put("libsvm_text", "query", "1 qid:3 1:1 2:2\n2 qid:3 5:0\n");
}

/// Columns of single precision, one after another.
fn single() -> Vec<u8> {
    let head = "{'descr': '<f4', 'fortran_order': True, 'shape': (2, 3), }";
    let length = head.len().next_multiple_of(64) - 10;
    let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
    bytes.extend((length as u16).to_le_bytes());
    bytes.extend(format!("{head:<width$}\n", width = length - 1).bytes());
    (0..6).for_each(|i| bytes.extend((i as f32).to_le_bytes()));
    bytes
}

fn texts() {
    let machines = [
        (
            "c_svc",
            "svm_type c_svc\nkernel_type rbf\ngamma 0.5\nnr_class 2\ntotal_sv 3\nrho 0.25\nlabel 1 -1\nprobA -1.5\n\
                   probB 0.25\nnr_sv 1 2\nSV\n1 1:0.5 3:-1 \n-0.75 2:1.5 \n-0.25 1:2 \n",
        ),
        (
            "epsilon_svr",
            "svm_type epsilon_svr\nkernel_type polynomial\ndegree 3\ngamma 0.25\ncoef0 -1\nnr_class 2\n\
                         total_sv 2\nrho 0.5\nSV\n1 1:1 2:-1 \n-1 1:2 \n",
        ),
        (
            "precomputed",
            "svm_type nu_svc\nkernel_type precomputed\nnr_class 3\ntotal_sv 3\nrho 0.25 0 1\nlabel 0 1 7\n\
                         nr_sv 1 1 1\nSV\n1 0.5 0:4 \n-0.75 0 0:1 \n-0.25 1 0:9 \n",
        ),
        (
            "one_class",
            "svm_type one_class\nkernel_type linear\nnr_class 2\ntotal_sv 2\nrho 1.5\nSV\n0.5 1:1 2:-1 \n0.5 1:2 \n",
        ),
    ];
    machines.iter().for_each(|(name, text)| put("libsvm_model", name, text));
    let kernels = [
        ("sum", "0.5*rbf(sigma=2) + poly(degree=2, coef0=1)*linear"),
        ("columns", "columns(age, 'in come': rbf(gamma=0.1)) * column(title: spectrum(p=3))"),
        ("texts", "normalize(subsequences(p=2, decay=0.5)) + mismatch(p=3, m=1)"),
        ("histograms", "chi2(gamma=0.5) + hellinger + jensen_shannon(gamma=2)"),
        ("power", "matern(nu=1.5, width=2)^2 + laplacian(gamma=median)"),
    ];
    kernels.iter().for_each(|(name, text)| put("kernel_spec", name, text));
}

/// One problem of each method and kernel, with numbers without pattern.
fn problems() {
    for method in 0..3u8 {
        for kernel in 0..5u8 {
            let head = [method, 9, kernel, kernel, 1 + method, kernel % 2];
            let mut bytes = head.to_vec();
            bytes.extend((0..40u32).map(|i| (i.wrapping_mul(2_654_435_761) >> 24) as u8));
            put("problem", &format!("method-{method}-kernel-{kernel}"), bytes);
        }
    }
}
