// Colours that people with any colour vision can distinguish, with a shape for each class beside.

const CLASSES = {
  light: ["#0072b2", "#d55e00", "#007f5f", "#a8488a", "#8f6400", "#3a87c0", "#5d5d66", "#b3261e", "#5b4bb5", "#3f7d20"],
  dark: ["#56b4e9", "#ff9d4d", "#2fc795", "#e39bc8", "#e3c34a", "#9ad0f5", "#b9b9c4", "#ff8f85", "#b3a6ff", "#a3d977"],
};
// Anchors of scales: viridis, and from blue over paper to orange.
const RISING = {
  light: [[68, 1, 84], [59, 82, 139], [33, 145, 140], [94, 201, 98], [253, 231, 37]],
  // Brighter at its dark end, which would not be seen on dark paper.
  dark: [[112, 66, 150], [92, 114, 178], [58, 160, 160], [110, 206, 110], [253, 231, 37]],
};
const AROUND = {
  light: [[8, 81, 156], [107, 164, 214], [248, 248, 248], [244, 165, 96], [166, 54, 3]],
  dark: [[96, 178, 255], [46, 98, 158], [38, 39, 44], [163, 88, 30], [255, 172, 96]],
};

export const isDark = () => {
  const chosen = document.documentElement.dataset.theme;
  return chosen ? chosen === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
};
const theme = () => (isDark() ? "dark" : "light");
export const ink = (name) => getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
export const classColour = (place) => CLASSES[theme()][place % CLASSES.light.length];
export const classChannels = (place) => {
  const number = parseInt(classColour(place).slice(1), 16);
  return [number >> 16, (number >> 8) & 255, number & 255];
};

function between(anchors, share) {
  const at = Math.min(Math.max(share, 0), 1) * (anchors.length - 1);
  const low = Math.min(Math.floor(at), anchors.length - 2);
  return anchors[low].map((value, i) => Math.round(value + (anchors[low + 1][i] - value) * (at - low)));
}
export const rising = (share) => between(RISING[theme()], share);
// From -1 to 1.
export const around = (value) => between(AROUND[theme()], (value + 1) / 2);
export const css = ([r, g, b]) => `rgb(${r},${g},${b})`;

export const SHAPES = ["circle", "square", "triangle", "diamond", "cross", "down"];
