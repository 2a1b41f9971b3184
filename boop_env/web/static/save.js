// Copying and downloading: the link, the position, the record, and pictures.

import {isDark} from "./theme.js";

const byId = (id) => document.getElementById(id);

function download(blob, name) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

// The SVG drawn to pixels in the page.
async function toPng(svg) {
  const url = URL.createObjectURL(new Blob([svg], {type: "image/svg+xml"}));
  try {
    const image = new Image();
    image.src = url;
    await image.decode();
    const canvas = document.createElement("canvas");
    [canvas.width, canvas.height] = [image.naturalWidth, image.naturalHeight];
    canvas.getContext("2d").drawImage(image, 0, 0);
    return await new Promise((done) => canvas.toBlob(done, "image/png"));
  } finally {
    URL.revokeObjectURL(url);
  }
}

export function setUpSaving(table, ask) {
  const say = (text) => { byId("said").textContent = text; };
  const copy = async (text, what) => {
    try {
      await navigator.clipboard.writeText(text);
      say(`${what} copied.`);
    } catch {
      say(`${what}: ${text}`); // no clipboard on this page; it can be marked and copied by hand
    }
  };
  const picture = async () => (await ask("/api/picture", {...table.request(), theme: isDark() ? "dark" : "light", size: 900})).text();
  const name = (ending) => `${table.rules.name}-${table.shown}.${ending}`;
  const actions = {
    "copy-link": () => copy(location.href, "Link"),
    "copy-position": () => copy(table.frame.position, "Position"),
    "save-record": async () => download(await (await ask("/api/record", table.request(table.end))).blob(), `${table.rules.name}.txt`),
    "save-svg": async () => download(new Blob([await picture()], {type: "image/svg+xml"}), name("svg")),
    "save-png": async () => download(await toPng(await picture()), name("png")),
    "save-gif": async () => {
      say("The GIF is being drawn…");
      download(await (await ask("/api/animation", table.request(table.end))).blob(), `${table.rules.name}.gif`);
      say("");
    },
  };
  for (const [id, act] of Object.entries(actions)) {
    byId(id).addEventListener("click", async () => {
      say("");
      try {
        await act();
      } catch (error) {
        say(error.message);
      }
    });
  }
}
