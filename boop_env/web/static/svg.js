// Drawing on boards: a space is 100 wide, and the corner of a1 is the origin.

const NS = "http://www.w3.org/2000/svg";
const KINDS = {K: "kitten", C: "cat", O: "ornament", G: "ghost"};
export const COLOURS = ["Orange", "Blue"];
export const EDGE = 48; // the frame with the coordinates

const documents = new Map();

export function svg(tag, attributes = {}, children = []) {
  const made = document.createElementNS(NS, tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  made.append(...children);
  return made;
}

export function html(tag, attributes = {}, children = []) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) made.addEventListener(name.slice(2), value);
    else if (value === true) made.setAttribute(name, "");
    else if (value !== false && value !== null && value !== undefined) made.setAttribute(name, value);
  }
  made.append(...[children].flat());
  return made;
}

async function load(path) {
  if (!documents.has(path)) {
    const answer = await fetch(path);
    if (!answer.ok) throw new Error(`the server has no ${path}`);
    documents.set(path, new DOMParser().parseFromString(await answer.text(), "image/svg+xml").documentElement);
  }
  return document.importNode(documents.get(path), true);
}

export async function loadPieces() {
  const pieces = await load("/pieces.svg");
  pieces.setAttribute("class", "unseen");
  pieces.setAttribute("aria-hidden", "true");
  document.body.prepend(pieces);
}

export const emptyBoard = (rules) => load(`/boards/${rules}.svg`);

export const isBlue = (letter) => letter === letter.toLowerCase();
export const column = (name) => name.charCodeAt(0) - 97;
export const row = (name) => Number(name[1]) - 1;
export const spaceName = (across, down) => "abcdefgh"[across] + (down + 1);
export const centre = (name) => [column(name) * 100 + 50, row(name) * 100 + 50];

export function middle(at) {
  const [[x0, y0], [x1, y1]] = at.map(centre);
  return [(x0 + x1) / 2, (y0 + y1) / 2];
}

export function pieceName(letter) {
  return `${isBlue(letter) ? "blue" : "orange"} ${KINDS[letter.toUpperCase()]}`;
}

export function use(letter, size = 100) {
  const id = `#boop-${KINDS[letter.toUpperCase()]}-${isBlue(letter) ? 1 : 0}`;
  return svg("use", {href: id, x: -size / 2, y: -size / 2, width: size, height: size});
}

export function icon(letter, label = "") {
  const looks = {viewBox: "-50 -50 100 100", class: "icon"};
  return svg("svg", label ? {...looks, role: "img", "aria-label": label} : {...looks, "aria-hidden": "true"}, [use(letter)]);
}

export function arrow([x0, y0], [xt, yt], short = 0) {
  const far = Math.hypot(xt - x0, yt - y0) || 1;
  const [x1, y1] = [xt - ((xt - x0) / far) * short, yt - ((yt - y0) / far) * short];
  const length = Math.hypot(x1 - x0, y1 - y0) || 1;
  const [dx, dy] = [(x1 - x0) / length, (y1 - y0) / length];
  const [sx, sy] = [x0 + dx * 20, y0 + dy * 20];
  const [ex, ey] = [x1 - dx * 20, y1 - dy * 20];
  const line = `M${sx} ${sy}L${ex} ${ey}`;
  const head = `M${x1 - dx * 4} ${y1 - dy * 4}L${ex - dx * 8 - dy * 16} ${ey - dy * 8 + dx * 16}` +
    `L${ex - dx * 8 + dy * 16} ${ey - dy * 8 - dx * 16}Z`;
  return svg("g", {class: "push"}, [
    svg("path", {d: `${line}${head}`, class: "casing", fill: "none", "stroke-width": 15, "stroke-linejoin": "round"}),
    svg("path", {d: line, class: "arrow", fill: "none", "stroke-width": 8}),
    svg("path", {d: head, class: "arrow-head"}),
  ]);
}

export function pushArrow(push) {
  const [x, y] = centre(push.from);
  if (push.pounced) return arrow([x, y], centre(push.pounced));
  if (push.to) return arrow([x, y], centre(push.to), 34); // so that the piece there is seen
  return arrow([x, y], [x + push.heading[1] * 88, y + push.heading[0] * 88]);
}

export function spaceGlow(name) {
  return svg("rect", {
    class: "glow glow-fill", x: column(name) * 100 + 5, y: row(name) * 100 + 5, width: 90, height: 90, rx: 14,
    "fill-opacity": 0.35, "stroke-width": 5,
  });
}

export function rowBand(cells, look = "") {
  const [[x0, y0], [x1, y1]] = [centre(cells[0]), centre(cells.at(-1))];
  return svg("path", {
    class: `glow band ${look}`, d: `M${x0} ${y0}L${x1} ${y1}`, fill: "none", "stroke-width": 84,
    "stroke-linecap": "round", opacity: 0.5,
  });
}

// A small picture for the rules: pieces by letter, what is placed, and arrows.
export async function picture(rules, {cells = {}, placed = null, pushes = [], rows = [], ghosts = [], label}) {
  const board = await emptyBoard(rules);
  board.setAttribute("role", "img");
  board.setAttribute("aria-label", label);
  rows.forEach((cells) => board.append(rowBand(cells)));
  if (placed) board.append(spaceGlow(placed));
  for (const [name, letter] of Object.entries(cells)) {
    board.append(svg("g", {transform: `translate(${centre(name)})`}, [use(letter)]));
  }
  for (const [letter, at] of ghosts) board.append(svg("g", {transform: `translate(${middle(at)})`}, [use(letter, 62)]));
  pushes.forEach(([from, to]) => board.append(arrow(centre(from), typeof to === "string" ? centre(to) : to)));
  return board;
}
