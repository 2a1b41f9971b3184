// A step as a sentence, for those who listen.

import {COLOURS, pieceName} from "./svg.js";

const capital = (text) => text[0].toUpperCase() + text.slice(1);

export function stepText(step) {
  if (!step) return "";
  const who = COLOURS[step.by];
  const letter = (kind) => (step.by ? kind.toLowerCase() : kind);
  const said = [];
  if (step.placed) said.push(`${capital(pieceName(letter(step.move[0])))} on ${step.placed}.`);
  else if (step.move === "-") said.push(`${who} passes.`);
  else if (step.move[0] === "G") said.push(`${who}'s ghost enters between ${step.move.slice(1, 3)} and ${step.move.slice(3, 5)}.`);
  for (const push of step.boops) said.push(pushText(push));
  const [was, now] = step.ghost;
  if (was && !now) said.push(`${who}'s ghost goes home.`);
  else if (was && was.at.join() !== now.at.join()) said.push(`${who}'s ghost floats between ${now.at.join(" and ")}.`);
  for (const push of step.ghost_boops) said.push(pushText(push));
  const gone = Object.keys(step.graduated);
  if (gone.length) said.push(`${gone.join(", ")} ${gone.length === 1 ? "leaves" : "graduate"}: to ${who}'s pool.`);
  return said.join(" ");
}

function pushText(push) {
  const piece = pieceName(push.piece);
  if (push.pounced) return `The ${piece} on ${push.from} pounces on the ornament on ${push.pounced}.`;
  return push.to ? `The ${piece} on ${push.from} moves to ${push.to}.` : `The ${piece} on ${push.from} falls off.`;
}
