// The list of moves, turn by turn, and the buttons and slider that lead through them.

import {html} from "./svg.js";

const byId = (id) => document.getElementById(id);

export function drawMoves(table) {
  const list = byId("moves");
  const turns = new Map();
  table.record.forEach((move, index) => {
    const {turn, mover} = table.frames[index];
    if (!turns.has(turn)) turns.set(turn, {mover, steps: []});
    turns.get(turn).steps.push({move, step: index + 1});
  });
  list.replaceChildren(...[...turns].map(([turn, {mover, steps}]) => html("li", {class: `mover-${mover}`}, [
    html("span", {class: "number", "aria-hidden": "true"}, `${turn + 1}`),
    ...steps.map(({move, step}) => html("button", {
      type: "button", "data-step": step, "aria-label": `Step ${step}, ${move}`,
      "aria-current": step === table.shown ? "step" : null, onclick: () => table.show(step),
    }, move)),
  ])));
  const current = list.querySelector("[aria-current]");
  if (current) list.scrollTop = current.offsetTop - list.offsetTop - list.clientHeight / 2;
  const slider = byId("slider");
  slider.max = table.end;
  slider.value = table.shown;
  slider.setAttribute("aria-valuetext", `step ${table.shown} of ${table.end}`);
  byId("first").disabled = byId("back").disabled = table.shown === 0;
  byId("last").disabled = byId("forward").disabled = table.shown === table.end;
  byId("undo").disabled = table.record.length === 0;
}

export function setUpSteps(table) {
  const to = {first: () => 0, back: () => table.shown - 1, forward: () => table.shown + 1, last: () => table.end};
  for (const [id, step] of Object.entries(to)) byId(id).addEventListener("click", () => table.show(step()));
  byId("slider").addEventListener("input", (event) => table.show(Number(event.target.value)));
}
