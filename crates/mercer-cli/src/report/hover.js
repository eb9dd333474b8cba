// The values of marks at once instead of after the browser's wait; without scripts the browser shows them by itself.
const hint = document.getElementById("hint");
for (const title of document.querySelectorAll("figure svg :not(svg) > title")) {
  title.parentNode.dataset.hint = title.textContent;
  title.remove();
}
const show = (event) => {
  const mark = event.target.closest("[data-hint]");
  hint.hidden = !mark;
  if (!mark) return;
  hint.textContent = mark.dataset.hint;
  const left = Math.min(event.clientX + 14, innerWidth - hint.offsetWidth - 8);
  const above = event.clientY - hint.offsetHeight - 12;
  hint.style.left = Math.max(left, 8) + "px";
  hint.style.top = (above < 8 ? event.clientY + 18 : above) + "px";
};
// A finger does not move over a mark before it touches it.
document.addEventListener("pointermove", show);
document.addEventListener("pointerdown", show);
document.addEventListener("scroll", () => (hint.hidden = true), true);
// On a narrow screen a picture is as wide as the page; its texts are readable when it is enlarged and scrolled.
for (const figure of document.querySelectorAll("figure")) {
  const button = document.createElement("button");
  button.type = "button";
  button.textContent = "Enlarge";
  button.onclick = () => (button.textContent = figure.classList.toggle("large") ? "Fit to width" : "Enlarge");
  figure.prepend(button);
}
