// Files: pictures, tables, models, and the page as it is.

export function save(name, content, type) {
  const blob = content instanceof Blob ? content : new Blob([content], { type });
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

const cell = (value) => {
  const text = String(value ?? "");
  return /[",\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
};

export const csv = (names, rows) => [names, ...rows].map((row) => row.map(cell).join(",")).join("\n") + "\n";

// The pictures of a panel beside each other.
export function svgOf(panel) {
  const parts = panel.plots.filter((plot) => plot.picture).map((plot) => ({ plot, markup: plot.svg() }));
  if (parts.length === 1) return parts[0].markup;
  let left = 0;
  const inner = parts.map(({ plot, markup }) => {
    const moved = markup.replace("<svg ", `<svg x="${left}" `);
    left += Math.round(plot.width) + 8;
    return moved;
  });
  const height = Math.max(...parts.map(({ plot }) => Math.round(plot.height)));
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${left} ${height}" width="${left}" height="${height}">${inner.join("")}</svg>`;
}

export async function savePng(panel, name) {
  const plots = panel.plots.filter((plot) => plot.picture);
  const canvas = document.createElement("canvas");
  canvas.width = plots.reduce((sum, plot) => sum + plot.canvas.width, 0);
  canvas.height = Math.max(...plots.map((plot) => plot.canvas.height));
  const context = canvas.getContext("2d");
  let left = 0;
  for (const plot of plots) {
    context.drawImage(plot.canvas, left, 0);
    left += plot.canvas.width;
  }
  save(name, await encoded(canvas));
}

// A browser that is short of memory for a moment has no picture at first.
async function encoded(canvas) {
  for (let attempt = 0; attempt < 5; attempt++) {
    const blob = await new Promise((resolve) => canvas.toBlob(resolve, "image/png"));
    if (blob) return blob;
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
  throw new Error("the browser could not make the picture: save it as SVG");
}

const escaped = (text) => String(text).replace(/[&<>]/g, (c) => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;" })[c]);

// A page that needs nothing: the pictures as they are, with their captions and the commands that make them.
export function snapshot(title, panels, lines, colours) {
  const figures = panels.map(({ name, markup, caption }) =>
    `<figure><h2>${escaped(name)}</h2>${markup}<figcaption>${escaped(caption)}</figcaption></figure>`).join("\n");
  const blocks = Object.entries(lines).map(([name, text]) => `<h2>${escaped(name)}</h2><pre>${escaped(text)}</pre>`).join("\n");
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="content-security-policy" content="default-src 'none'; style-src 'unsafe-inline'; img-src data:">
<title>${escaped(title)}</title>
<style>body{font:16px/1.5 system-ui,sans-serif;max-width:72rem;margin:0 auto;padding:1rem;background:${colours.back};color:${colours.ink}}
figure{margin:0 0 1.5rem;background:${colours.paper};padding:.8rem;border-radius:8px}main{display:grid;grid-template-columns:repeat(auto-fill,minmax(min(24rem,100%),1fr));gap:1rem}
svg{max-width:100%;height:auto}h2{font-size:1rem;margin:.2rem 0}pre{overflow-x:auto;background:${colours.paper};padding:.6rem;border-radius:6px}figcaption{color:${colours.soft}}</style></head>
<body><h1>${escaped(title)}</h1><main>${figures}</main>${blocks}</body></html>
`;
}
