// What there is to do now, in a sentence, with whatever is not chosen on the board itself.

import {COLOURS, html, icon} from "./svg.js";

const REASONS = {
  three_cats: "three cats in a row",
  eight_cats: "all eight cats on the board",
  ornaments_taken: "all the other's ornaments taken",
};

export function outcomeText(frame) {
  if (frame.reason === "truncated") return `Nobody wins: the game ends after ${frame.turn} turns.`;
  return `${COLOURS[frame.winner]} wins: ${REASONS[frame.reason]}!`;
}

// The sentence for whoever is to choose; `rows`, `singles` and so on are the legal moves.
export function question(frame, legal, rules, mode) {
  const where = rules.is_tree ? "the tree" : "the bed";
  if (frame.phase === "o") {
    return "Hang an ornament on a marked space: on the second tier, or lower when that is full. It pushes nothing.";
  }
  if (frame.phase === "h") {
    return "Your ghost is at home. Choose where it floats in, or keep it home. It moves one seam a turn and boops both sides.";
  }
  if (frame.phase === "g") {
    const rows = legal.rows.length === 1 ? "You have a row" : "You have more than one row";
    const full = `All your pieces are on ${where}`;
    const single = "take one piece back: a kitten becomes a cat, a cat stays one";
    if (!legal.rows.length) return `${full}. You may ${single}${legal.pass ? ", or leave them all" : ""}.`
      .replace("may", legal.pass ? "may" : "must");
    if (!legal.singles.length) return `${rows}. Choose the one that graduates: its kittens become cats.`;
    return mode === "single"
      ? `${full}. Choose the piece to take back: a kitten becomes a cat.`
      : `${rows}, and all your pieces are on ${where}. Choose the row that graduates, or take one piece back instead.`;
  }
  if (legal.pass) return "You have no piece to place, so you can only pass.";
  if (legal.kittens.length && legal.cats.length) return "Choose a kitten or a cat, and a space for it.";
  return `Choose a space for a ${legal.cats.length ? "cat" : "kitten"}.`;
}

export function radio(name, choices, chosen, choose) {
  return html("div", {class: "radio", role: "radiogroup", "aria-label": name}, choices.map(({value, label, letter}) => {
    const input = html("input", {type: "radio", name, value, checked: value === chosen, onchange: () => choose(value)});
    return html("label", {}, [input, letter ? icon(letter) : "", html("span", {}, label)]);
  }));
}

export function drawPrompt(root, {text, extras = [], look = ""}) {
  root.className = `prompt ${look}`;
  const chosen = root.contains(document.activeElement) && document.activeElement.type === "radio" && document.activeElement.name;
  root.replaceChildren(html("p", {id: "question"}, text), html("div", {class: "extras"}, extras));
  if (chosen) root.querySelector(`input[name="${chosen}"]:checked`)?.focus();
}
