// The board: a picture, and over it a grid of buttons for mouse, touch and keyboard.

import {animateStep} from "./motion.js";
import {
  EDGE, centre, column, emptyBoard, html, middle, pieceName, pushArrow, row, rowBand, spaceGlow, spaceName, svg, use,
} from "./svg.js";

const ARROWS = {ArrowUp: [0, -1], ArrowDown: [0, 1], ArrowLeft: [-1, 0], ArrowRight: [1, 0]};
const HEADINGS = {v: "down", "^": "up", "<": "left", ">": "right"};
const SYMBOLS = {v: "↓", "^": "↑", "<": "←", ">": "→"};

export class Board {
  // `onSpace(name)` and `onEntry(move)` are called for what is chosen, `onLook(name or null)` for what is pointed at.
  constructor(root, {onSpace, onEntry, onLook}) {
    this.root = root;
    Object.assign(this, {onSpace, onEntry, onLook});
    this.spaces = new Map();
    this.current = null; // the space that Tab leads to
  }

  async setRules(rules) {
    const picture = await emptyBoard(rules.name);
    this.rules = rules;
    const layer = (name) => svg("g", {class: name});
    this.under = layer("under");
    this.pieces = layer("pieces");
    this.preview = layer("preview");
    this.over = layer("over");
    picture.append(this.under, this.pieces, this.preview, this.over);
    picture.setAttribute("aria-hidden", "true");
    this.root.style.aspectRatio = `${rules.width * 100 + 2 * EDGE} / ${rules.height * 100 + 2 * EDGE}`;
    this.entries = html("div", {class: "entries", role: "group", "aria-label": "Ghost entries"});
    this.root.replaceChildren(picture, this.makeGrid(), this.entries);
    this.root.dataset.rules = rules.name;
  }

  makeGrid() {
    const {width, height, levels} = this.rules;
    this.spaces.clear();
    const grid = html("div", {role: "grid", "aria-label": "Board", class: "grid"});
    for (let down = 0; down < height; down += 1) {
      const line = html("div", {role: "row"});
      for (let across = 0; across < width; across += 1) {
        if (!levels[down * width + across]) continue;
        const name = spaceName(across, down);
        const button = html("button", {
          type: "button", role: "gridcell", tabindex: "-1", "data-space": name, class: "space",
          onclick: () => this.choose(name), onmouseenter: () => this.onLook(name), onmouseleave: () => this.onLook(null),
          onfocus: () => { this.moveTo(name); this.onLook(button.matches(":focus-visible") ? name : null); },
          onblur: () => this.onLook(null),
        });
        this.place(button, across * 100, down * 100, 100, 100);
        this.spaces.set(name, button);
        line.append(button);
      }
      grid.append(line);
    }
    grid.addEventListener("keydown", (event) => this.onKey(event));
    this.moveTo(spaceName(Math.floor(width / 2), Math.floor(height / 2)));
    return grid;
  }

  place(element, x, y, width, height) {
    const [whole, tall] = [this.rules.width * 100 + 2 * EDGE, this.rules.height * 100 + 2 * EDGE];
    element.style.left = `${((x + EDGE) / whole) * 100}%`;
    element.style.top = `${((y + EDGE) / tall) * 100}%`;
    element.style.width = `${(width / whole) * 100}%`;
    element.style.height = `${(height / tall) * 100}%`;
  }

  choose(name) {
    if (this.spaces.get(name).getAttribute("aria-disabled") !== "true") this.onSpace(name);
  }

  onKey(event) {
    const way = ARROWS[event.key];
    if (!way || event.altKey || event.ctrlKey || event.metaKey) return;
    let [across, down] = [column(this.current), row(this.current)];
    do {
      across += way[0];
      down += way[1];
    } while (!this.spaces.has(spaceName(across, down)) && across >= 0 && down >= 0 && across < 8 && down < 8);
    event.preventDefault();
    event.stopPropagation();
    const button = this.spaces.get(spaceName(across, down));
    if (button) button.focus();
  }

  moveTo(name) {
    this.spaces.get(this.current)?.setAttribute("tabindex", "-1");
    this.current = name;
    this.spaces.get(name).setAttribute("tabindex", "0");
  }

  focusSpace() {
    this.spaces.get(this.current).focus({preventScroll: true});
  }

  focusEntry() {
    this.entries.querySelector("[tabindex='0']")?.focus({preventScroll: true});
  }

  // Draws a position as it stands.
  draw(frame, {arrows = true} = {}) {
    this.pieces.replaceChildren();
    this.under.replaceChildren();
    this.over.replaceChildren();
    this.preview.replaceChildren();
    for (const [name, letter] of Object.entries(frame.cells)) this.addPiece(letter, name);
    frame.ghosts.forEach((ghost, player) => ghost && this.addGhost(player, ghost));
    const step = frame.step;
    if (step?.placed) this.under.append(spaceGlow(step.placed));
    if (step && arrows) [...step.boops, ...step.ghost_boops].forEach((push) => this.over.append(pushArrow(push)));
    for (const cells of winningRows(this.rules, frame)) this.under.append(rowBand(cells, "won"));
    this.describe(frame);
  }

  addPiece(letter, name) {
    const piece = svg("g", {class: "piece", "data-at": name, "data-piece": letter}, [use(letter)]);
    const [x, y] = centre(name);
    piece.style.transform = `translate(${x}px, ${y}px)`;
    this.pieces.append(piece);
    return piece;
  }

  addGhost(player, {at, heading}) {
    const arrow = svg("text", {class: "ghost-heading", "text-anchor": "middle", y: 44, "font-size": 34}, [SYMBOLS[heading]]);
    const piece = svg("g", {class: "piece ghost", "data-ghost": player}, [use("Gg"[player], 62), arrow]);
    const [x, y] = middle(at);
    piece.style.transform = `translate(${x}px, ${y}px)`;
    this.pieces.append(piece);
    return piece;
  }

  pieceAt(name) {
    return this.pieces.querySelector(`[data-at="${name}"]`);
  }

  ghostOf(player) {
    return this.pieces.querySelector(`[data-ghost="${player}"]`);
  }

  // Shows the step that led from one position to the next, then the next.
  async animate(before, frame, isWanted) {
    this.draw(before, {arrows: false});
    this.setChoices({});
    await animateStep(this, before, frame.step, isWanted);
    if (isWanted()) this.draw(frame);
  }

  // Names of the spaces for those who cannot see them.
  describe(frame) {
    const {width, levels, is_tree: isTree} = this.rules;
    for (const [name, button] of this.spaces) {
      const level = isTree ? `, tier ${levels[row(name) * width + column(name)]}` : "";
      button.label = `${name}, ${frame.cells[name] ? pieceName(frame.cells[name]) : "empty"}${level}`;
      button.setAttribute("aria-label", button.label);
    }
  }

  // What may be chosen: `spaces` a map from name to why, `look` how they are marked, `rows`, `entries`.
  setChoices({spaces = new Map(), look = "dot", rows = [], entries = []}) {
    for (const [name, button] of this.spaces) {
      const why = spaces.get(name);
      button.className = why ? `space legal ${look}` : "space";
      button.setAttribute("aria-disabled", String(!why));
      if (button.label) button.setAttribute("aria-label", why ? `${button.label}: ${why}` : button.label);
    }
    this.preview.replaceChildren(...rows.map((cells) => rowBand(cells, "option")));
    this.entries.replaceChildren(...entries.map((entry, number) => this.makeEntry(entry, number)));
  }

  makeEntry({move, at, heading}, number) {
    const [x, y] = middle(at);
    const outward = {v: [0, -72], "^": [0, 72], ">": [-72, 0], "<": [72, 0]}[heading];
    const button = html("button", {
      type: "button", class: "entry", "data-move": move, tabindex: number ? "-1" : "0",
      "aria-label": `Ghost in between ${at[0]} and ${at[1]}, heading ${HEADINGS[heading]}`,
      onclick: () => this.onEntry(move),
      onkeydown: (event) => {
        const by = {ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1}[event.key];
        if (!by) return;
        event.preventDefault();
        event.stopPropagation();
        const all = [...this.entries.children];
        const next = all[(all.indexOf(button) + by + all.length) % all.length];
        button.setAttribute("tabindex", "-1");
        next.setAttribute("tabindex", "0");
        next.focus();
      },
    }, SYMBOLS[heading]);
    this.place(button, x + outward[0] - 29, y + outward[1] - 29, 58, 58);
    return button;
  }

  // Shares of the moves, as discs on the spaces.
  showPolicy(policy) {
    this.over.querySelectorAll(".policy").forEach((old) => old.remove());
    const best = new Map();
    for (const [move, share] of Object.entries(policy)) {
      const at = move[0] === "G" ? middle([move.slice(1, 3), move.slice(3, 5)]) : move.length === 3 ? centre(move.slice(1)) : null;
      if (!at || share < 0.01) continue;
      const key = at.join();
      if (!best.has(key) || best.get(key).share < share) best.set(key, {at, move, share});
    }
    this.root.classList.toggle("with-policy", best.size > 0);
    const most = Math.max(...[...best.values()].map(({share}) => share), 0.01);
    for (const {at: [x, y], move, share} of best.values()) {
      const text = `${move[0] === "C" ? "C " : ""}${Math.round(share * 100)}`;
      this.over.append(svg("g", {class: "policy", opacity: 0.45 + 0.55 * (share / most)}, [
        svg("circle", {cx: x, cy: y, r: 22 + 16 * (share / most)}),
        svg("text", {x, y: y + 9, "text-anchor": "middle", "font-size": 26}, [text]),
      ]));
    }
  }

  // What a move would do, seen through.
  showPreview(frame) {
    this.preview.querySelectorAll(".would").forEach((old) => old.remove());
    if (!frame) return;
    const {step} = frame;
    const would = svg("g", {class: "would"});
    if (step.placed) {
      const letter = step.move[0];
      const piece = svg("g", {opacity: 0.5}, [use(step.by ? letter.toLowerCase() : letter)]);
      piece.setAttribute("transform", `translate(${centre(step.placed)})`);
      would.append(piece);
    }
    [...step.boops, ...step.ghost_boops].forEach((push) => would.append(pushArrow(push)));
    this.preview.append(would);
  }
}

function winningRows(rules, frame) {
  if (frame.reason !== "three_cats") return [];
  const cat = frame.winner ? "c" : "C";
  const found = [];
  for (const name of Object.keys(frame.cells)) {
    for (const [across, down] of [[1, 0], [0, 1], [1, 1], [-1, 1]]) {
      const cells = [0, 1, 2].map((far) => spaceName(column(name) + far * across, row(name) + far * down));
      if (cells.every((cell) => frame.cells[cell] === cat)) found.push(cells);
    }
  }
  return found;
}
