// The same fits as commands: for a shell, in Python, in Rust.

import { state, kernelText } from "./state.js";
import { number } from "./scatter.js";

const shell = (text) => (/^[\w./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`);
const python = (text) => JSON.stringify(text);

// Lines for each method of the panels. `ridge` is the answer of that panel, if it has one.
export function commands(page, ridge) {
  const { columns, names } = page;
  const file = page.file;
  const label = page.label;
  const kernel = kernelText();
  const used = page.isText ? columns[0].name : names.join(",");
  const isAll = page.isText ? false : !state.columns.length;
  const columnFlag = isAll ? "" : ` --columns ${shell(used)}`;
  const labelFlag = label ? ` --label ${shell(label)}` : "";
  const rest = ` --kernel ${shell(kernel)}${page.isText ? "" : ` --scale ${page.scale ? "standard" : "none"}`}`;
  const landmarks = isLarge(page) ? ` --landmarks ${page.landmarks}` : "";
  const k = ` -k ${state.k}`;
  const lines = {
    kpca: `mercer kpca ${shell(file)}${labelFlag}${columnFlag}${rest}${k}${landmarks} --plot kpca.svg --model kpca.mercer`,
    outliers: `mercer outliers ${shell(file)}${labelFlag}${columnFlag}${rest}${k}${landmarks}`,
    kmeans: `mercer kmeans ${shell(file)}${labelFlag}${columnFlag}${rest} -k ${state.clusters} --n-init 1 --max-iter ${state.rounds} --seed ${state.seed}${landmarks}`,
  };
  if (page.hasClasses) {
    const plot = !page.isText && names.length === 2 && !landmarks ? " --plot svc.svg" : "";
    lines.svc = `mercer svc ${shell(file)} --target ${shell(label)}${columnFlag}${rest} --cost ${number(state.c, 6)}${landmarks}${plot}`;
  }
  if (ridge && page.hasCurve) {
    const [x, y] = [names[state.from], names[state.to]].map(shell);
    lines.krr = `mercer krr ${shell(file)} --target ${y} --columns ${x}${rest} --alpha ${number(ridge.alpha, 6)}${landmarks}`;
  }
  return { shell: Object.values(lines).join("\n"), python: inPython(page, file, kernel, ridge), rust: inRust(page, kernel, ridge) };
}

const isLarge = (page) => page.n > page.exact;

function inPython(page, file, kernel, ridge) {
  const { names, isText, label, columns } = page;
  const X = isText ? `table[${python(columns[0].name)}]` : `table[[${names.map(python).join(", ")}]]`;
  const landmarks = isLarge(page) ? `, landmarks=${page.landmarks}` : "";
  const lines = ["import mercer", "import pandas as pd", "", `table = pd.read_csv(${python(file)})`, `X = ${X}`];
  if (page.scale && !isText) lines.push("X = (X - X.mean()) / X.std(ddof=0)");
  lines.push(`kernel = ${python(kernel)}`, "", `scores = mercer.KernelPCA(n_components=${state.k}, kernel=kernel${landmarks}).fit_transform(X)`);
  if (page.hasClasses) lines.push(`classifier = mercer.SVC(C=${number(state.c, 6)}, kernel=kernel${landmarks}).fit(X, table[${python(label)}])`);
  lines.push(`clusters = mercer.KernelKMeans(n_clusters=${state.clusters}, kernel=kernel, n_init=1, max_iter=${state.rounds}, random_state=${state.seed}${landmarks}).fit_predict(X)`);
  lines.push(`outliers = mercer.KernelPCADetector(n_components=${state.k}, kernel=kernel${landmarks}).fit(X)`);
  if (ridge && page.hasCurve) {
    const [x, y] = [names[state.from], names[state.to]].map(python);
    lines.push(`curve = mercer.KernelRidge(alpha=${number(ridge.alpha, 6)}, kernel=kernel, fit_intercept=True${landmarks}).fit(X[[${x}]], table[${y}])`);
  }
  return lines.join("\n");
}

function inRust(page, kernel, ridge) {
  const scaled = page.scale && !page.isText ? ", standardised" : "";
  const labels = page.hasClasses ? `, \`labels\` its column ${page.label}` : "";
  const what = page.isText ? "`texts` holds the strings" : `\`values\` holds the n × d numbers${scaled}, row by row,`;
  const lines = ["use mercer::prelude::*;", "", `// ${what} of ${page.file}${labels}.`,
    page.isText ? "let x = Strings::new(texts)?;" : "let x = Dense::from_vec(values, n, d)?;",
    `let kernel: KernelSpec = ${JSON.stringify(kernel)}.parse()?;`];
  const landmarks = isLarge(page) ? `.landmarks(${page.landmarks})` : "";
  lines.push(`let components = KernelPca::params(kernel.clone()).components(${state.k})${landmarks}.fit(&x)?;`);
  if (labels) lines.push(`let classifier = Svm::classifier(kernel.clone()).c(${number(state.c, 6)}_f64)${landmarks}.fit(&x, &Targets::classes(&labels))?;`);
  lines.push(`let clusters = KernelKMeans::params(${state.clusters}, kernel.clone()).starts(1).max_rounds(${state.rounds}).seed(${state.seed})${landmarks}.fit(&x)?;`);
  lines.push(`let outliers = Detector::params(kernel.clone()).components(${state.k})${landmarks}.fit(&x)?;`);
  if (ridge && page.hasCurve) {
    lines.push(`// \`input\` holds the column ${page.names[state.from]}, \`y\` the column ${page.names[state.to]}.`,
      `let curve = KernelRidge::params(kernel).alpha(${number(ridge.alpha, 6)}_f64).intercept(true)${landmarks}.fit(&input, &Targets::values(&y))?;`);
  }
  return lines.join("\n");
}
