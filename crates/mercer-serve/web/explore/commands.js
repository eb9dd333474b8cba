// The same fits as commands: for a shell, in Python, in Rust.

import { state, kernelText } from "./state.js";
import { number } from "./scatter.js";

const shell = (text) => (/^[\w./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`);
const python = (text) => JSON.stringify(text);

// Lines for each method of the panels.
export function commands(page) {
  const { set, columns, names } = page;
  const file = set.file || "points.csv";
  const label = page.label;
  const kernel = kernelText();
  const used = page.isText ? columns[0].name : names.join(",");
  const isAll = page.isText ? false : !state.columns.length;
  const columnFlag = isAll ? "" : ` --columns ${shell(used)}`;
  const labelFlag = label ? ` --label ${shell(label)}` : "";
  const scale = page.isText ? "" : ` --scale ${page.scale ? "standard" : "none"}`;
  const target = label ? ` --target ${shell(label)}` : "";
  const other = `--kernel ${shell(kernel)}`;
  const x = names[state.from], y = names[state.to];
  const lines = {
    kpca: `mercer kpca ${shell(file)}${labelFlag}${columnFlag} ${other} -k ${state.k}${scale} --plot kpca.svg --model kpca.mercer`,
    outliers: `mercer outliers ${shell(file)}${labelFlag}${columnFlag} ${other} -k ${state.k}${scale}`,
    kmeans: `mercer kmeans ${shell(file)}${labelFlag}${columnFlag} ${other} -k ${state.clusters} --seed ${state.seed} --n-init 1${scale}`,
  };
  if (label) lines.svc = `mercer svc ${shell(file)}${target}${columnFlag} ${other} --cost ${number(state.c, 6)}${scale} --plot svc.svg`;
  if (!page.isText && names.length > 1 && x && y) {
    const alpha = state.alpha === null ? "" : ` --alpha ${state.alpha}`;
    lines.krr = `mercer krr ${shell(file)} --target ${shell(y)} --columns ${shell(x)} ${other}${alpha}${scale}`;
  }
  return { shell: Object.values(lines).join("\n"), python: inPython(page, file, kernel), rust: inRust(page, kernel) };
}

function inPython(page, file, kernel) {
  const { names, isText, label, columns } = page;
  const X = isText ? `table[${python(columns[0].name)}]` : `table[[${names.map(python).join(", ")}]]`;
  const lines = ["import mercer", "import pandas as pd", "", `table = pd.read_csv(${python(file)})`, `X = ${X}`];
  if (page.scale && !isText) lines.push("X = (X - X.mean()) / X.std(ddof=0)");
  lines.push(`kernel = ${python(kernel)}`, "", `scores = mercer.KernelPCA(n_components=${state.k}, kernel=kernel).fit_transform(X)`);
  if (label) lines.push(`classifier = mercer.SVC(C=${number(state.c, 6)}, kernel=kernel).fit(X, table[${python(label)}])`);
  lines.push(`clusters = mercer.KernelKMeans(n_clusters=${state.clusters}, kernel=kernel, n_init=1, random_state=${state.seed}).fit_predict(X)`);
  lines.push(`outliers = mercer.KernelPCADetector(n_components=${state.k}, kernel=kernel).fit(X)`);
  if (!isText && names.length > 1) {
    const [x, y] = [names[state.from], names[state.to]].map(python);
    lines.push(`curve = mercer.KernelRidgeCV(kernel=kernel).fit(X[[${x}]], table[${y}])`);
  }
  return lines.join("\n");
}

function inRust(page, kernel) {
  const samples = page.isText ? "let x = Strings::new(texts)?;" : "let x = Dense::from_vec(values, n, d)?;";
  const lines = ["use mercer::prelude::*;", "", samples, `let kernel: KernelSpec = ${JSON.stringify(kernel)}.parse()?;`];
  lines.push(`let components = KernelPca::params(kernel.clone()).components(${state.k}).fit(&x)?;`);
  if (page.label) lines.push(`let classifier = Svm::classifier(kernel.clone()).c(${number(state.c, 6)}_f64).fit(&x, &Targets::classes(&labels))?;`);
  lines.push(`let clusters = KernelKMeans::params(${state.clusters}, kernel.clone()).starts(1).seed(${state.seed}).fit(&x)?;`);
  lines.push(`let outliers = Detector::params(kernel).components(${state.k}).fit(&x)?;`);
  return lines.join("\n");
}
