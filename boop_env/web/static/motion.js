// A step in motion: the piece drops in, what it boops slides, the ghost floats on, a row leaves for the pool.

import {centre, middle} from "./svg.js";

export const isCalm = () => matchMedia("(prefers-reduced-motion: reduce)").matches;

const at = ([x, y], rest = "") => `translate(${x}px, ${y}px) ${rest}`;

function run(element, frames, duration, easing = "cubic-bezier(.2,.7,.3,1)") {
  return element.animate(frames, {duration, easing, fill: "forwards"}).finished.catch(() => null);
}

function slide(board, push) {
  const piece = board.pieceAt(push.from);
  if (!piece) return null;
  const start = centre(push.from);
  if (push.to) return run(piece, [{transform: at(start)}, {transform: at(centre(push.to))}], 260);
  const end = push.pounced
    ? centre(push.pounced)
    : [start[0] + push.heading[1] * 110, start[1] + push.heading[0] * 110];
  const gone = run(piece, [
    {transform: at(start), opacity: 1},
    {transform: at(end), opacity: 1, offset: 0.7},
    {transform: at(end, "scale(.4)"), opacity: 0},
  ], 420);
  const struck = push.pounced && board.pieceAt(push.pounced);
  return struck ? Promise.all([gone, run(struck, [{opacity: 1}, {opacity: 0}], 420)]) : gone;
}

export async function animateStep(board, before, step, isWanted) {
  if (isCalm() || document.hidden) return;
  if (step.placed) {
    const letter = step.by ? step.move[0].toLowerCase() : step.move[0];
    const spot = centre(step.placed);
    const piece = board.addPiece(letter, step.placed);
    await run(piece, [{transform: at(spot, "scale(1.7)"), opacity: 0}, {transform: at(spot, "scale(1)"), opacity: 1}], 180);
    if (!isWanted()) return;
    await Promise.all(step.boops.map((push) => slide(board, push)));
    settle(board, step.boops);
  }
  const [was, now] = step.ghost;
  if (!isWanted()) return;
  if (was && JSON.stringify(was) !== JSON.stringify(now)) {
    const ghost = board.ghostOf(step.by);
    const start = middle(was.at);
    if (now) await run(ghost, [{transform: at(start)}, {transform: at(middle(now.at))}], 320);
    else await run(ghost, [{transform: at(start), opacity: 1}, {transform: at(start, "scale(1.5)"), opacity: 0}], 320);
    if (!isWanted()) return;
    await Promise.all(step.ghost_boops.map((push) => slide(board, push)));
    settle(board, step.ghost_boops);
  } else if (!was && now) {
    const ghost = board.addGhost(step.by, now);
    await run(ghost, [{opacity: 0}, {opacity: 1}], 250);
  }
  if (!isWanted()) return;
  await Promise.all(Object.keys(step.graduated).map((name) => {
    const piece = board.pieceAt(name);
    return piece && run(piece, [
      {transform: at(centre(name), "scale(1)"), opacity: 1},
      {transform: at(centre(name), "scale(1.3)"), opacity: 1, offset: 0.4},
      {transform: at(centre(name), "scale(.2)"), opacity: 0},
    ], 520);
  }));
}

// Pieces are found by their space, so they take the name of the one they slid to.
function settle(board, pushes) {
  const moved = pushes.map((push) => [board.pieceAt(push.from), push.to]);
  for (const [piece, to] of moved) {
    if (piece && to) piece.dataset.at = to;
    else piece?.remove();
  }
}
