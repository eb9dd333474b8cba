// Texts of pictures that are cut off at the edge of their card or lie on each other.
() => {
  const wrong = [];
  for (const svg of document.querySelectorAll("figure svg")) {
    const card = svg.getBoundingClientRect();
    const texts = [...svg.querySelectorAll("text")];
    const boxes = texts.map((text) => text.getBoundingClientRect());
    boxes.forEach((box, place) => {
      const name = texts[place].textContent;
      const isOut = box.left < card.left - 1 || box.right > card.right + 1;
      if (isOut || box.top < card.top - 1 || box.bottom > card.bottom + 1) wrong.push(`cut off: ${name}`);
      boxes.slice(0, place).forEach((other, index) => {
        const width = Math.min(box.right, other.right) - Math.max(box.left, other.left);
        const height = Math.min(box.bottom, other.bottom) - Math.max(box.top, other.top);
        const isOver = width > 2 && height > 0.4 * Math.min(box.height, other.height);
        if (isOver) wrong.push(`on each other: ${name} and ${texts[index].textContent}`);
      });
    });
  }
  return wrong;
}
