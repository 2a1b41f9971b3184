// The two players' cards: who plays, what is in the pool, and whose turn it is.

import {COLOURS, html, icon} from "./svg.js";

const HEADINGS = {v: "down", "^": "up", "<": "left", ">": "right"};

export function drawPlayer(card, {player, frame, rules, who, isThinking}) {
  const letters = player ? "kcog" : "KCOG";
  const [kittens, cats, ornaments = 0] = frame.pools[player];
  const isNext = frame.phase !== "x" && frame.mover === player;
  card.className = `player${isNext ? " next" : ""}${frame.winner === player ? " won" : ""}`;
  const pool = [[letters[0], kittens, "kitten"], [letters[1], cats, "cat"]];
  if (rules.ornaments) pool.push([letters[2], ornaments, "ornament"]);
  const ghost = frame.ghosts[player];
  const where = ghost ? `ghost between ${ghost.at.join(" and ")}, heading ${HEADINGS[ghost.heading]}` : "ghost at home";
  if (rules.ghosts) pool.push([letters[3], ghost ? 0 : 1, where, where]);
  if (rules.ornaments) pool.push(["oO"[player], frame.taken[player], "ornament taken", "ornaments taken"]);
  card.replaceChildren(
    html("div", {class: "who"}, [
      html("span", {class: `badge badge-${player}`, "aria-hidden": "true"}),
      html("strong", {}, COLOURS[player]),
      html("span", {class: "quiet"}, who),
      isThinking ? html("span", {class: "thinking", "aria-hidden": "true"}, "…") : "",
    ]),
    html("div", {class: "pool"}, pool.map(([letter, count, one, many]) => html("span", {
      class: count ? "count" : "count none", role: "img", "aria-label": one === many ? one : `${count} ${count === 1 ? one : many ?? `${one}s`}`,
    }, [icon(letter), html("span", {}, `×${count}`)]))),
  );
}
