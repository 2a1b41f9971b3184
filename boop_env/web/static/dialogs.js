// The dialogs: a new game, the rules, and a game to paste.

import {askJson} from "./api.js";
import {fromFragment} from "./link.js";
import {drawRules} from "./rules.js";
import {emptyBoard, html} from "./svg.js";

const byId = (id) => document.getElementById(id);
const PEOPLE = {id: "me", label: "A person"};

export function setUpDialogs(table) {
  for (const dialog of document.querySelectorAll("dialog")) {
    for (const button of dialog.querySelectorAll(".close")) button.addEventListener("click", () => dialog.close());
    dialog.addEventListener("click", (event) => event.target === dialog && dialog.close());
  }
  setUpNewGame(table);
  setUpLoading(table);
  byId("rules").addEventListener("click", () => {
    drawRules(byId("rules-text"), table.rules);
    byId("rules-dialog").showModal();
    byId("rules-text").scrollTop = 0;
  });
}

function setUpNewGame(table) {
  const {presets} = table.options;
  const seats = [byId("seat-0"), byId("seat-1")];
  let rules = presets[0].name;

  const fillSeats = () => seats.forEach((select, player) => {
    const wanted = select.value || table.seats[player];
    const bots = table.options.bots.filter((bot) => bot.presets.includes(rules));
    select.replaceChildren(...[PEOPLE, ...bots].map(({id, label}) => html("option", {value: id}, label)));
    select.value = [...select.options].some(({value}) => value === wanted) ? wanted : "easy";
  });

  byId("variant-cards").replaceChildren(...presets.map(({name, title, about}) => {
    const thumbnail = html("span", {class: "thumbnail"});
    emptyBoard(name).then((board) => { board.setAttribute("aria-hidden", "true"); thumbnail.append(board); });
    return html("label", {class: "card"}, [
      html("input", {type: "radio", name: "variant", value: name, onchange: () => { rules = name; fillSeats(); }}),
      thumbnail, html("span", {}, [html("strong", {}, title), html("span", {class: "quiet"}, about)]),
    ]);
  }));

  const bot = () => seats.map((select) => select.value).find((value) => value !== PEOPLE.id) ?? "easy";
  const usual = {
    "I begin": () => [PEOPLE.id, bot()], "I go second": () => [bot(), PEOPLE.id],
    "Two people": () => [PEOPLE.id, PEOPLE.id], "Watch two bots": () => seats.map(({value}) => value === PEOPLE.id ? bot() : value),
  };
  byId("seat-presets").replaceChildren(...Object.entries(usual).map(([label, choose]) => html("button", {
    type: "button", onclick: () => choose().forEach((value, player) => { seats[player].value = value; }),
  }, label)));

  byId("new").addEventListener("click", async () => {
    table.options.bots = (await askJson("/api/options").catch(() => table.options)).bots;
    rules = table.rules.name;
    seats.forEach((select, player) => { select.replaceChildren(); select.dataset.was = table.seats[player]; });
    fillSeats();
    seats.forEach((select, player) => { select.value = table.seats[player]; });
    const chosen = byId("variant-cards").querySelector(`[value="${rules}"]`);
    chosen.checked = true;
    byId("new-dialog").showModal();
    chosen.focus();
  });

  byId("new-dialog").querySelector("form").addEventListener("submit", () => {
    table.attempt(() => table.load({rules, seats: seats.map(({value}) => value)}), () => true);
  });
}

function setUpLoading(table) {
  const [text, error] = [byId("load-text"), byId("load-error")];
  byId("load").addEventListener("click", () => {
    error.hidden = true;
    byId("load-dialog").showModal();
  });
  byId("load-dialog").querySelector("form").addEventListener("submit", async (event) => {
    event.preventDefault();
    error.hidden = true;
    try {
      const link = fromFragment(/#(.*)$/s.exec(text.value.trim())?.[1] ?? "");
      if (link) await table.load(link);
      else await table.take(await askJson("/api/read", {rules: table.rules.name, text: text.value}), ["me", "me"]);
      text.value = "";
      byId("load-dialog").close();
    } catch (problem) {
      error.textContent = problem.message;
      error.hidden = false;
    }
  });
}
