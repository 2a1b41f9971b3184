// The page: one game, who plays it, and which step of it is shown.

import {Analysis} from "./analysis.js";
import {ask, askJson} from "./api.js";
import {Board} from "./board.js";
import {setUpDialogs} from "./dialogs.js";
import {fromFragment, toFragment} from "./link.js";
import {drawMoves, setUpSteps} from "./moves.js";
import {drawPlayer} from "./players.js";
import {drawPrompt, outcomeText, question, radio} from "./prompt.js";
import {setUpSaving} from "./save.js";
import {setUpTheme} from "./theme.js";
import {COLOURS, html, loadPieces} from "./svg.js";
import {stepText} from "./words.js";

const ME = "me";
const PAUSE = 600; // milliseconds between the moves of two bots
const byId = (id) => document.getElementById(id);

export class Table {
  constructor(options) {
    this.options = options;
    this.board = new Board(byId("board"), {
      onSpace: (name) => this.chooseSpace(name),
      onEntry: (move) => this.play(move),
      onLook: (name) => this.look(name),
    });
    this.analysis = new Analysis(this);
    this.seats = [ME, "easy"];
    this.kind = "K";
    this.mode = "row";
    this.shown = 0;
    this.turnOf = 0; // goes up with everything that makes answers still under way unwanted
    this.line = null;
    this.isPaused = false;
    this.legal = new Map();
  }

  get end() { return this.frames.length - 1; }
  get frame() { return this.line ? this.line.frames[this.line.at] : this.frames[this.shown]; }
  get isBotTurn() { return this.seats[this.frames[this.end].mover] !== ME && this.frames[this.end].phase !== "x"; }
  get hasPerson() { return this.seats.includes(ME); }
  get canPlay() {
    return !this.line && !this.isMoving && this.frame.phase !== "x" && this.seats[this.frame.mover] === ME;
  }

  // The game so far, as requests want it: up to the step shown.
  request(to = this.shown) {
    return {rules: this.rules.name, start: this.start, record: this.record.slice(0, to)};
  }

  async load({rules, start = null, record = [], seats = this.seats}) {
    const game = await askJson("/api/game", {rules, start, record});
    await this.take(game, seats);
  }

  // A game as the server answers it.
  async take(game, seats = this.seats) {
    this.interrupt();
    this.seats = [0, 1].map((player) => this.canSit(seats[player], game.rules) ? seats[player] : "easy");
    if (this.rules?.name !== game.rules) {
      this.rules = this.options.presets.find(({name}) => name === game.rules);
      await this.board.setRules(this.rules);
    }
    Object.assign(this, {start: game.start, record: game.record, frames: game.frames, shown: game.record.length});
    this.legal = new Map([[game.record.length, game.legal]]);
    this.isPaused = false;
    this.kind = "K";
    this.analysis.reset();
    this.changed();
  }

  canSit(seat, rules) {
    return seat === ME || this.options.bots.some(({id, presets}) => id === seat && presets.includes(rules));
  }

  // Whatever is under way is not wanted any more.
  interrupt() {
    this.turnOf += 1;
    this.abort?.abort();
    this.abort = new AbortController();
    this.isMoving = false;
    this.isThinking = false;
    this.line = null;
    const mine = this.turnOf;
    return () => mine === this.turnOf;
  }

  async play(move) {
    if (!this.canPlay) return;
    const isWanted = this.interrupt();
    const {signal} = this.abort;
    this.isMoving = true;
    await this.attempt(async () => {
      const kept = this.shown;
      const game = await askJson("/api/game", {...this.request(), record: [...this.record.slice(0, kept), move], first: kept + 1}, signal);
      if (isWanted()) await this.advance(game, isWanted);
    }, isWanted);
  }

  async advance(game, isWanted) {
    const from = game.record.length - 1;
    this.frames = [...this.frames.slice(0, from + 1), ...game.frames];
    this.record = game.record;
    for (const step of this.legal.keys()) if (step > from) this.legal.delete(step);
    this.legal.set(game.record.length, game.legal);
    this.analysis.cut(from);
    this.shown = game.record.length;
    this.saveLink();
    const frame = this.frames[this.end];
    byId("live").textContent = `${stepText(frame.step)} ${frame.phase === "x" ? outcomeText(frame) : this.whoseTurn(frame)}`;
    this.isMoving = true;
    this.drawAround();
    await this.board.animate(this.frames[from], frame, isWanted);
    if (!isWanted()) return;
    this.isMoving = false;
    this.changed();
  }

  async letBotPlay() {
    const isWanted = this.interrupt();
    const {signal} = this.abort;
    this.isThinking = true;
    this.draw();
    await this.attempt(async () => {
      const bot = this.seats[this.frames[this.end].mover];
      const pause = this.hasPerson ? null : new Promise((done) => setTimeout(done, PAUSE));
      const game = await askJson("/api/move", {...this.request(this.end), bot}, signal);
      await pause;
      if (!isWanted()) return;
      this.isThinking = false;
      await this.advance(game, isWanted);
    }, isWanted);
  }

  // Says what went wrong, with a way on.
  async attempt(what, isWanted) {
    byId("alert").hidden = true;
    try {
      await what();
    } catch (error) {
      if (error.name === "AbortError" || !isWanted()) return;
      this.isMoving = false;
      this.isThinking = false;
      this.isPaused = this.isBotTurn;
      this.complain(error.message, () => { this.isPaused = false; this.changed(); });
      this.draw();
    }
  }

  complain(message, again) {
    const [said, button] = byId("alert").children;
    said.textContent = message;
    button.hidden = !again;
    button.onclick = () => { byId("alert").hidden = true; again(); };
    byId("alert").hidden = false;
  }

  undo() {
    if (!this.record.length) return;
    let to = this.end;
    do to -= 1; while (to > 0 && this.hasPerson && this.seats[this.frames[to].mover] !== ME);
    this.interrupt();
    this.record = this.record.slice(0, to);
    this.frames = this.frames.slice(0, to + 1);
    this.shown = to;
    this.isPaused = !this.hasPerson;
    this.analysis.cut(to);
    byId("live").textContent = `Taken back to step ${to}.`;
    this.changed();
  }

  show(step) {
    const to = Math.max(0, Math.min(step, this.end));
    if (to === this.shown && !this.line) return;
    const before = this.shown;
    const isWanted = this.interrupt();
    this.shown = to;
    this.drawAround();
    if (to === before + 1) {
      this.board.animate(this.frames[before], this.frames[to], isWanted).then(() => isWanted() && this.changed());
    } else {
      this.changed();
    }
  }

  // A line of the analysis, played out on the board without changing the game.
  async showLine(moves) {
    const isWanted = this.interrupt();
    await this.attempt(async () => {
      const record = [...this.record.slice(0, this.shown), ...moves];
      const game = await askJson("/api/game", {...this.request(), record, first: this.shown}, this.abort.signal);
      for (let at = 1; at < game.frames.length && isWanted(); at += 1) {
        this.line = {frames: game.frames, at};
        this.drawAround();
        await this.board.animate(game.frames[at - 1], game.frames[at], isWanted);
        await new Promise((done) => setTimeout(done, 450));
      }
    }, isWanted);
  }

  changed() {
    this.saveLink();
    this.draw();
    this.analysis.update();
    if (this.shown === this.end && this.isBotTurn && !this.isPaused && !this.isMoving && !this.isThinking) this.letBotPlay();
  }

  saveLink() {
    const usual = this.options.starts[this.rules.name];
    history.replaceState(null, "", toFragment({...this.request(this.end), seats: this.seats}, usual));
  }

  whoseTurn(frame) {
    return `${COLOURS[frame.mover]} to move.`;
  }

  seatName(player) {
    const seat = this.seats[player];
    if (seat === ME) return this.seats.every((other) => other === ME) ? "person" : "you";
    return this.options.bots.find(({id}) => id === seat)?.label ?? seat;
  }

  draw() {
    this.board.draw(this.frame);
    this.drawAround();
    this.drawChoices().catch((error) => this.complain(error.message, () => this.changed()));
  }

  drawAround() {
    byId("variant").textContent = this.rules.title;
    for (const player of [0, 1]) {
      drawPlayer(byId(`player-${player}`), {
        player, frame: this.frame, rules: this.rules, who: this.seatName(player),
        isThinking: this.isThinking && this.frame.mover === player,
      });
    }
    drawMoves(this);
    if (this.isMoving || this.isThinking || this.line || !this.canPlay) this.drawWaiting();
  }

  drawWaiting() {
    const {frame} = this;
    const extras = [];
    let text = this.whoseTurn(frame);
    const button = (label, act, id) => extras.push(html("button", {type: "button", onclick: act, id}, label));
    if (this.line) {
      text = "A line of the analysis.";
      button("Back to the game", () => { this.interrupt(); this.changed(); }, "leave-line");
    } else if (frame.phase === "x") {
      text = outcomeText(frame);
      button("New game", () => byId("new").click(), "again");
    } else if (this.shown < this.end) {
      text = `Step ${this.shown} of ${this.end}.`;
      button("Back to the game", () => this.show(this.end), "to-end");
    } else if (this.isPaused) {
      text = `${COLOURS[frame.mover]} (${this.seatName(frame.mover)}) waits.`;
      button("Go on", () => { this.isPaused = false; this.changed(); }, "go-on");
    } else if (this.isBotTurn) {
      text = `${COLOURS[frame.mover]} (${this.seatName(frame.mover)}) is thinking…`;
      if (!this.hasPerson) button("Pause", () => { this.interrupt(); this.isPaused = true; this.changed(); }, "pause");
    }
    drawPrompt(byId("prompt"), {text, extras, look: frame.phase === "x" ? "over" : "waiting"});
  }

  async legalMoves() {
    const step = this.shown;
    if (!this.legal.has(step)) {
      const game = await askJson("/api/game", {...this.request(step), first: step});
      this.legal.set(step, game.legal);
    }
    return this.legal.get(step);
  }

  async drawChoices() {
    const step = this.shown;
    if (!this.canPlay) {
      this.board.setChoices({});
      return;
    }
    const legal = await this.legalMoves();
    if (step !== this.shown || !this.canPlay) return;
    const {frame} = this;
    this.choices = legal;
    this.moves = new Map();
    const extras = [];
    let options = {};
    if (frame.phase === "p") {
      if (this.kind === "K" && !legal.kittens.length) this.kind = "C";
      if (this.kind === "C" && !legal.cats.length) this.kind = "K";
      if (legal.kittens.length && legal.cats.length) extras.push(this.kindChoice(frame));
      const what = this.kind === "K" ? "place a kitten" : "place a cat";
      for (const name of this.kind === "K" ? legal.kittens : legal.cats) this.moves.set(name, [`${this.kind}${name}`]);
      options = {spaces: this.why(what)};
    } else if (frame.phase === "o") {
      for (const name of legal.ornaments) this.moves.set(name, [`O${name}`]);
      options = {spaces: this.why("hang the ornament"), look: "dot hang"};
    } else if (frame.phase === "g") {
      options = this.graduationChoices(legal, extras);
    } else if (frame.phase === "h") {
      options = {entries: legal.entries};
    }
    if (legal.pass) {
      const label = {h: "Keep it home", g: "Leave them all", p: "Pass"}[frame.phase];
      extras.push(html("button", {type: "button", id: "pass", onclick: () => this.play("-")}, label));
    }
    this.board.setChoices(options);
    const who = this.seats[0] === this.seats[1] ? `${COLOURS[frame.mover]}. ` : "";
    drawPrompt(byId("prompt"), {text: who + question(frame, legal, this.rules, this.mode), extras, look: "yours"});
    this.moveFocus(frame);
  }

  // Whoever was on the board goes on there, with what is to be chosen now.
  moveFocus(frame) {
    const now = document.activeElement;
    const isHere = now === document.body || this.board.root.contains(now);
    if (!this.wasOnBoard || !isHere) return;
    if (frame.phase === "h") this.board.focusEntry();
    else if (frame.phase === "g" && this.mode === "row") byId("prompt").querySelector(".rows button")?.focus();
    else if (now === document.body) this.board.focusSpace();
  }

  why(what) {
    return new Map([...this.moves.keys()].map((name) => [name, what]));
  }

  kindChoice(frame) {
    const letters = frame.mover ? "kc" : "KC";
    const [kittens, cats] = frame.pools[frame.mover];
    return radio("Piece", [
      {value: "K", label: `Kitten ×${kittens}`, letter: letters[0]},
      {value: "C", label: `Cat ×${cats}`, letter: letters[1]},
    ], this.kind, (kind) => this.setKind(kind));
  }

  setKind(kind) {
    this.kind = kind;
    this.drawChoices();
  }

  // Rows are buttons and bands on the board; a space belongs to one or more of them, or is taken back itself.
  graduationChoices(legal, extras) {
    if (!legal.rows.length) this.mode = "single";
    else if (!legal.singles.length) this.mode = "row";
    if (legal.rows.length && legal.singles.length) {
      extras.push(radio("Graduate", [{value: "row", label: "A row"}, {value: "single", label: "One piece"}], this.mode,
        (mode) => { this.mode = mode; this.drawChoices(); }));
    }
    if (this.mode === "single") {
      for (const name of legal.singles) this.moves.set(name, [`+${name}`]);
      return {spaces: this.why("take it back"), look: "ring"};
    }
    for (const {move, cells} of legal.rows) {
      for (const name of cells) this.moves.set(name, [...this.moves.get(name) ?? [], move]);
    }
    const light = (cells) => this.board.setChoices({spaces: this.why("graduate"), look: "ring", rows: cells});
    extras.push(html("div", {class: "rows", role: "group", "aria-label": "Rows"}, legal.rows.map(({move, cells}) => html("button", {
      type: "button", "data-move": move, onclick: () => this.play(move),
      onmouseenter: () => light([cells]), onfocus: () => light([cells]),
      onmouseleave: () => light(legal.rows.map((row) => row.cells)),
    }, `Row ${cells.join(" ")}`))));
    return {spaces: this.why("graduate"), look: "ring", rows: legal.rows.map(({cells}) => cells)};
  }

  chooseSpace(name) {
    const moves = this.moves?.get(name) ?? [];
    if (!this.canPlay || !moves.length) return;
    if (moves.length === 1) this.play(moves[0]);
    else this.chooseAmong(moves);
  }

  // The space is in several rows: only those stay, as buttons.
  chooseAmong(moves) {
    for (const button of byId("prompt").querySelectorAll(".rows button")) button.hidden = !moves.includes(button.dataset.move);
    byId("question").textContent = "That piece is in more than one row. Which of them?";
    byId("prompt").querySelector(".rows button:not([hidden])").focus();
  }

  // What placing there would push, asked for when the pointer rests.
  async look(name) {
    clearTimeout(this.looking);
    const moves = name && this.canPlay && this.frame.phase === "p" ? this.moves?.get(name) : null;
    if (!moves) {
      this.board.showPreview(null);
      return;
    }
    const mine = this.turnOf;
    this.looking = setTimeout(async () => {
      if (mine !== this.turnOf) return;
      const record = [...this.record.slice(0, this.shown), moves[0]];
      const game = await askJson("/api/game", {...this.request(), record, first: record.length}).catch(() => null);
      if (game && mine === this.turnOf && this.canPlay) this.board.showPreview(game.frames[0]);
    }, 120);
  }
}

function setUpKeys(table) {
  document.addEventListener("focusin", (event) => {
    table.wasOnBoard = byId("board").contains(event.target) || byId("prompt").contains(event.target);
  });
  document.querySelector(".skip").addEventListener("click", (event) => {
    event.preventDefault(); // the address is the game's
    table.board.focusSpace();
  });
  const keys = {
    k: () => table.setKind("K"),
    c: () => table.setKind("C"),
    u: () => table.undo(),
    a: () => byId("analyse").click(),
    n: () => byId("new").click(),
    arrowleft: () => table.show(table.shown - 1),
    arrowright: () => table.show(table.shown + 1),
  };
  document.addEventListener("keydown", (event) => {
    const isTyping = event.target.closest("input:not([type=radio]):not([type=checkbox]), select, textarea, dialog");
    if (isTyping || event.altKey || event.ctrlKey || event.metaKey || event.defaultPrevented) return;
    if (event.target.closest("[role=radiogroup]") && event.key.startsWith("Arrow")) return;
    const act = keys[event.key.toLowerCase()];
    if (!act) return;
    event.preventDefault();
    act();
  });
}

async function begin() {
  setUpTheme();
  const [options] = await Promise.all([askJson("/api/options"), loadPieces()]);
  const table = new Table(options);
  byId("undo").addEventListener("click", () => table.undo());
  setUpSteps(table);
  setUpDialogs(table);
  setUpSaving(table, ask);
  setUpKeys(table);
  const usual = {rules: "boop", seats: [ME, "easy"]};
  const open = () => {
    const wanted = fromFragment(location.hash) ?? usual;
    return table.load(wanted).catch(async (error) => {
      if (!table.frames) await table.load(usual);
      table.complain(`This link cannot be opened: ${error.message}`);
    });
  };
  addEventListener("hashchange", open);
  await open();
}

begin().catch((error) => {
  const alert = byId("alert");
  alert.firstElementChild.textContent = error.message;
  alert.lastElementChild.onclick = () => location.reload();
  alert.hidden = false;
});
