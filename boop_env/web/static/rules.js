// The rules in our own words, with pictures drawn like the board. What a rule set does not have is left out.

import {html, picture} from "./svg.js";

const figure = (rules, drawing, caption) => {
  const made = html("figure", {}, html("figcaption", {}, caption));
  picture(rules, {label: caption, ...drawing}).then((board) => made.prepend(board));
  return made;
};

const part = (title, ...content) => html("section", {}, [html("h3", {}, title), ...content]);
const p = (text) => html("p", {}, text);
const list = (...items) => html("ul", {}, items.map((item) => html("li", {}, item)));

function aim(rules) {
  const ways = ["three of your cats in a row, anywhere and in any direction"];
  if (rules.eight_cats_win) ways.push(`all ${rules.pieces} of your pieces on the board as cats`);
  if (rules.ornaments) ways.push("all of the other player's ornaments taken");
  return part("How to win",
    p(`You have ${rules.pieces} kittens. Make them into cats, and win with any of these at the end of your turn:`), list(...ways),
    p(rules.cat_row === "at_once"
      ? "Three of your cats in a row count at once, even when the other player pushed them together."
      : "A row of cats that the other player pushed together counts at the end of your own turn, if it still stands."));
}

function turn(rules) {
  const bed = rules.is_tree ? "tree" : "bed";
  const base = rules.is_tree ? "halls_no_ornaments" : "boop";
  const home = rules.is_tree ? {a: "c5", b: "d4", c: "e3"} : {a: "b3", b: "c3", c: "d3"};
  return [
    part("Your turn", p(`Put one kitten or cat from your pool on an empty space of the ${bed}. It boops its neighbours: ` +
      "each is pushed one space straight away, whoever it belongs to. Only direct neighbours are pushed; a pushed piece pushes nobody.")),
    html("div", {class: "figures"}, [
      figure(base, {cells: {d4: "K", e4: "k", c3: "k"}, placed: "d4", pushes: [["e4", "f4"], ["c3", "b2"]]},
        "The kitten on d4 is placed: both neighbours go one space."),
      figure(base, {cells: {d4: "K", e4: "k", f4: "K"}, placed: "d4"},
        "Two in a line hold each other: nothing moves."),
      figure(base, rules.is_tree
        ? {cells: {b3: "K", a3: "k"}, placed: "b3", pushes: [["a3", [-38, 250]]]}
        : {cells: {b3: "K", a3: "k"}, placed: "b3", pushes: [["a3", [-38, 250]]]},
      "Off the edge: the piece goes back to its owner's pool."),
      figure(base, {cells: {d4: "K", e4: "c"}, placed: "d4"}, "A kitten cannot push a cat. A cat pushes everybody."),
    ]),
    part("Kittens become cats",
      p(rules.rows === "all"
        ? "At the end of your turn, all your rows of three leave the board together: kittens become cats, and all go to your pool."
        : "Three of your pieces in a row at the end of your turn leave the board: kittens become cats, and all three go to your " +
          "pool. If there is more than one row you choose one; four in a line are two rows."),
      p(rules.safe_rows_only ? "Here a row only graduates when the other player could not disturb it with their next placement." : ""),
      p({
        may: `With all ${rules.pieces} of your pieces on the board you may instead take one back: a kitten becomes a cat.`,
        must: `With all ${rules.pieces} of your pieces on the board and no row, you must take one back: a kitten becomes a cat.`,
        must_kitten: `With all ${rules.pieces} of your pieces on the board, and no row of either player, you must take back a kitten as a cat.`,
      }[rules.full_bed])),
    html("div", {class: "figures"}, [
      figure(base, {cells: Object.fromEntries(Object.values(home).map((name) => [name, "K"])), rows: [Object.values(home)]},
        "Three kittens in a row: three cats for the pool."),
      figure(base, {cells: Object.fromEntries(Object.values(home).map((name) => [name, "c"])), rows: [Object.values(home)]},
        "Three cats in a row win."),
    ]),
  ];
}

function ghosts() {
  return [
    part("Ghosts", p("Each player has a ghost that floats along the seams between the spaces, straight across the bed."), list(
      "At the end of a turn in which your ghost is at home (and did not come home just then) you may place it on a seam at the edge. That boops nothing.",
      "Each later turn, after your placement, it moves one seam on. There it boops the pieces on its two sides away from it, cats as well as kittens.",
      "BOOO! A piece with no room behind it jumps over everything in its way, to the first empty space or off the bed.",
      "It passes over the other ghost without stopping there, and after the far edge it goes home.",
    )),
    html("div", {class: "figures"}, [
      figure("booop", {cells: {c3: "k", d3: "K"}, ghosts: [["G", ["c3", "d3"]]], pushes: [["c3", "b3"], ["d3", "e3"]]},
        "The ghost lands between c3 and d3 and boops both."),
      figure("booop", {cells: {c3: "k", b3: "K", d3: "C"}, ghosts: [["G", ["c3", "d3"]]], pushes: [["c3", "a3"], ["d3", "e3"]]},
        "BOOO! The kitten on c3 jumps over b3 to a3."),
    ]),
  ];
}

function ornaments(rules) {
  return [
    part("Ornaments", p(`Each player has ${rules.ornaments}. If none of yours hangs when your turn begins, you hang one first: on an ` +
      "empty space of the second tier, or on a lower tier when that is full. Hanging boops nothing."), list(
      "Kittens and cats push ornaments too, but never up a tier.",
      "Push the other player's ornament off the tree and you keep it for good; your own goes back to your pool.",
      "A cat that is pushed at an ornament pounces: the cat goes back to its pool, and its owner keeps the ornament if it was the other's.",
      "Whoever has taken all of the other's ornaments wins.",
    )),
    html("div", {class: "figures"}, [
      figure("halls", {cells: {d6: "K", d7: "o"}, placed: "d6", pushes: [["d7", [350, 738]]]},
        "Off the tree: Orange takes the blue ornament."),
      figure("halls", {cells: {d3: "K", d4: "c", d5: "o"}, placed: "d3"},
        "The kitten cannot push the cat; a cat on d3 would make it pounce on d5."),
      figure("halls", {cells: {c5: "C", c4: "c", c3: "o"}, placed: "c5", pushes: [["c4", "c3"]]},
        "The blue cat pounces on its own ornament: both go back to Blue."),
    ]),
  ];
}

export function drawRules(root, rules) {
  root.replaceChildren(
    p(`${rules.title} ${rules.about}`),
    aim(rules), ...turn(rules),
    ...(rules.is_tree && !rules.flat ? [part("The tree", p("Four tiers, the top in the middle. Pieces move up and down freely; only ornaments mind the tiers."))] : []),
    ...(rules.ghosts ? ghosts() : []), ...(rules.ornaments ? ornaments(rules) : []),
    part("Nobody wins", p(`A game without a winner ends after ${rules.max_turns} turns. With no piece to place, you pass.`)),
    part("Move texts", p("Kc3 and Cc3 place a kitten or a cat, +b2d4 graduates a row, +c3 takes one piece back" +
      (rules.ghosts ? ", Ga1b1 places the ghost" : "") + (rules.ornaments ? ", Oc3 hangs an ornament" : "") + ", - passes or declines.")),
  );
}
