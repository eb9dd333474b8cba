// The page of the service: what is served, and a form to try it.

const text = (tag, content, attributes = {}) => {
  const element = document.createElement(tag);
  if (content !== undefined) element.textContent = content;
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  return element;
};

// A row of the form that was sent before stays when a model is read again.
function article(model) {
  const { facts } = model;
  const box = text("article");
  const title = text("h2", model.name, { id: `model-${model.name}` });
  const kernel = facts.kernel ? `, kernel ${facts.kernel}` : "";
  const rows = facts.training_rows ? `, fitted on ${facts.training_rows} rows` : "";
  const columns = facts.columns.slice(0, 30).map((column) => `${column.name} (${column.kind})`).join(", ");
  const more = facts.columns.length > 30 ? ", …" : "";
  const classes = facts.classes ? [text("p", `Classes: ${facts.classes.slice(0, 30).join(", ")}`, { class: "soft" })] : [];
  const label = text("label", `Body of POST /${facts.operation}?model=${model.name}`, { for: `body-${model.name}` });
  const body = text("textarea", undefined, { id: `body-${model.name}`, spellcheck: "false" });
  body.value = JSON.stringify(model.example);
  const button = text("button", "Send", { type: "button" });
  const answer = text("pre", "", { "aria-live": "polite", hidden: "" });
  button.addEventListener("click", async () => {
    const path = `${facts.operation}?model=${encodeURIComponent(model.name)}`;
    const started = performance.now();
    answer.hidden = false;
    try {
      const response = await fetch(path, { method: "POST", headers: { "content-type": "application/json" }, body: body.value });
      const time = (performance.now() - started).toFixed(1);
      answer.textContent = `${response.status} in ${time} ms\n${await response.text()}`;
    } catch {
      answer.textContent = "The server does not answer.";
    }
  });
  box.append(
    title,
    text("p", `${facts.method}${kernel}${rows}; version ${model.version}.`),
    text("p", `Columns: ${columns}${more}`, { class: "soft" }),
    ...classes, label, body, button, answer,
  );
  return box;
}

async function start() {
  const status = document.getElementById("status");
  try {
    const [models, document_] = await Promise.all([fetch("models"), fetch("openapi.json")].map(async (got) => (await got).json()));
    document.getElementById("models").replaceChildren(...models.models.map(article));
    const rows = Object.entries(document_.paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, about]) => {
        const row = text("tr");
        row.append(text("td", method.toUpperCase()), text("td", path), text("td", about.summary));
        return row;
      }));
    document.getElementById("paths").replaceChildren(...rows);
    status.textContent = `${models.models.length} ${models.models.length === 1 ? "model" : "models"}`;
  } catch {
    status.textContent = "The server does not answer.";
  }
}

start();
