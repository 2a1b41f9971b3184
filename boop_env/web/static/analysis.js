// The analysis of the step shown: value bar, policy on the board, best lines, and the game's value graph.

import {askJson} from "./api.js";
import {COLOURS, html, svg} from "./svg.js";

const byId = (id) => document.getElementById(id);
const percent = (value) => Math.round(50 + 50 * value);

function verdictText(value, proven) {
  if (proven) return `${COLOURS[value > 0 ? 0 : 1]} wins in ${proven} ${proven === 1 ? "step" : "steps"}`;
  const best = value >= 0 ? 0 : 1;
  return `${COLOURS[best]} ${best ? 100 - percent(value) : percent(value)} %`;
}

export class Analysis {
  constructor(table) {
    this.table = table;
    this.isOn = false;
    this.found = new Map(); // by engine, time and step
    this.values = [];
    byId("analyse").addEventListener("click", () => this.toggle());
    for (const id of ["engine", "ms"]) byId(id).addEventListener("change", () => this.update());
    byId("show-policy").addEventListener("change", () => this.draw());
    byId("ms").replaceChildren(...table.options.analysis_ms.map((ms) => html("option", {value: ms}, `${ms / 1000} s`)));
  }

  toggle() {
    this.isOn = !this.isOn;
    byId("analyse").setAttribute("aria-pressed", String(this.isOn));
    byId("analysis").hidden = byId("value-bar").hidden = !this.isOn;
    if (this.isOn) this.update();
    else this.stop();
    this.draw();
  }

  stop() {
    this.abort?.abort();
    this.abort = null;
  }

  reset() {
    this.cut(-1);
    const {name} = this.table.rules;
    const engines = this.table.options.engines.filter(({presets}) => presets.includes(name));
    const chosen = byId("engine").value;
    byId("engine").replaceChildren(...engines.map(({id, label}) => html("option", {value: id, selected: id === chosen}, label)));
  }

  // Forgets what was found after a step, because the game goes on otherwise.
  cut(step) {
    this.stop();
    for (const [key, {step: of}] of this.found) if (of > step) this.found.delete(key);
    this.values.length = Math.max(0, Math.min(this.values.length, step + 1));
  }

  get key() {
    return `${byId("engine").value} ${byId("ms").value} ${this.table.shown}`;
  }

  async update() {
    if (!this.isOn) return;
    this.stop();
    const {signal} = this.abort = new AbortController();
    this.draw();
    const {table} = this;
    try {
      const [key, step] = [this.key, table.shown];
      if (!this.found.has(key) && table.frame.phase !== "x") {
        const asked = {...table.request(), engine: byId("engine").value, ms: Number(byId("ms").value)};
        this.found.set(key, {...await askJson("/api/analyse", asked, signal), step});
        this.draw();
      }
      await this.value(signal);
    } catch (error) {
      if (error.name !== "AbortError") byId("verdict").textContent = error.message;
    }
  }

  // The values that the graph still lacks, some at a time.
  async value(signal) {
    const {table} = this;
    while (this.values.length <= table.end) {
      const first = this.values.length;
      const last = Math.min(table.end, first + table.options.values - 1);
      const {values} = await askJson("/api/values", {...table.request(table.end), first, last}, signal);
      signal.throwIfAborted();
      this.values.push(...values);
      this.drawGraph();
    }
  }

  draw() {
    const {table} = this;
    table.board.showPolicy({});
    if (!this.isOn) return;
    const {frame} = table;
    const found = this.found.get(this.key);
    const over = frame.phase === "x";
    const value = over ? (frame.winner === null ? 0 : 1 - 2 * frame.winner) : found?.value;
    const text = over ? "The game is over." : found ? verdictText(found.value, found.proven) : "Thinking…";
    const effort = found && !over ? `${found.simulations.toLocaleString("en")} simulations, ${found.seconds.toFixed(1)} s` : "";
    byId("verdict").replaceChildren(text, " ", html("span", {class: "quiet"}, effort));
    byId("value-bar").setAttribute("aria-label", `Value: ${text}`);
    if (value !== undefined) byId("value-bar").firstElementChild.style.setProperty("--share", `${percent(value)}%`);
    byId("lines").replaceChildren(...(found && !over ? found.lines.map((line) => this.makeLine(line)) : []));
    if (found && !over && !table.line && !table.isMoving && byId("show-policy").checked) table.board.showPolicy(found.policy);
    this.drawGraph();
  }

  makeLine({moves, value, proven, share}) {
    const worth = value === null ? "" : proven ? `#${proven}` : `${value > 0 ? "+" : ""}${value.toFixed(2)}`;
    return html("li", {}, html("button", {type: "button", title: "Show on the board", onclick: () => this.table.showLine(moves)}, [
      html("span", {class: `worth ${value > 0 ? "orange" : value < 0 ? "blue" : ""}`}, worth),
      html("span", {class: "line"}, moves.join(" ")),
      html("span", {class: "quiet"}, `${Math.round(share * 100)} %`),
    ]));
  }

  drawGraph() {
    const {table, values} = this;
    if (!this.isOn || values.length < 2) {
      byId("graph").replaceChildren();
      return;
    }
    const [width, height] = [300, 90];
    const x = (step) => (step / Math.max(1, table.end)) * width;
    const y = (value) => height / 2 - value * (height / 2 - 4);
    const points = values.map((value, step) => `${x(step).toFixed(1)},${y(value).toFixed(1)}`);
    const area = (side) => `M0,${height / 2}L${values.map((value, step) => `${x(step)},${y(side * Math.max(0, side * value))}`).join("L")}` +
      `L${x(values.length - 1)},${height / 2}Z`;
    const now = Math.min(table.shown, values.length - 1);
    byId("graph").replaceChildren(svg("svg", {
      viewBox: `0 0 ${width} ${height}`, preserveAspectRatio: "none", role: "img",
      "aria-label": `Value over the game; at step ${now}: ${verdictText(values[now])}. The slider above goes through the steps.`,
    }, [
      svg("path", {d: area(1), class: "area orange"}),
      svg("path", {d: area(-1), class: "area blue"}),
      svg("line", {x1: 0, x2: width, y1: height / 2, y2: height / 2, class: "zero"}),
      svg("polyline", {points: points.join(" "), class: "curve"}),
      svg("line", {x1: x(table.shown), x2: x(table.shown), y1: 0, y2: height, class: "now"}),
    ]));
    byId("graph").onclick = (event) => {
      const box = byId("graph").getBoundingClientRect();
      table.show(Math.round(((event.clientX - box.left) / box.width) * table.end));
    };
  }
}
