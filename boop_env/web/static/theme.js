// Light or dark: what the system has, unless chosen here; remembered by the browser, not by a cookie.

const THEMES = ["auto", "light", "dark"];
const TEXTS = {auto: "as the system has them", light: "light", dark: "dark"};
const SIGNS = {auto: "◐", light: "☀", dark: "☾"};
const dark = matchMedia("(prefers-color-scheme: dark)");

function remembered() {
  try {
    const theme = localStorage.getItem("theme");
    return THEMES.includes(theme) ? theme : "auto";
  } catch {
    return "auto"; // storage is switched off
  }
}

export const isDark = () => document.documentElement.classList.contains("boop-dark");

export function setUpTheme() {
  const button = document.getElementById("theme");
  let theme = remembered();
  const apply = () => {
    const isNight = theme === "dark" || (theme === "auto" && dark.matches);
    document.documentElement.className = isNight ? "boop-dark" : "boop-light";
    button.textContent = SIGNS[theme];
    button.setAttribute("aria-label", `Colours: ${TEXTS[theme]}`);
  };
  button.addEventListener("click", () => {
    theme = THEMES[(THEMES.indexOf(theme) + 1) % THEMES.length];
    try {
      localStorage.setItem("theme", theme);
    } catch {
      // Storage is switched off: the choice lasts as long as the page.
    }
    apply();
  });
  dark.addEventListener("change", apply);
  apply();
}
