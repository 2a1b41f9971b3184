// The game in the address: rules, seats, start and moves, so that a link or a reload goes on with it.

export function toFragment({rules, start, record, seats}, usualStart) {
  const parts = [`rules=${rules}`, `seats=${seats.map(encodeURIComponent).join(",")}`];
  if (start !== usualStart) parts.push(`start=${encodeURIComponent(start).replaceAll("%2F", "/").replaceAll("%2C", ",")}`);
  if (record.length) parts.push(`moves=${record.join(".")}`);
  return `#${parts.join("&")}`;
}

export function fromFragment(fragment) {
  const found = {};
  for (const part of fragment.replace(/^#/, "").split("&")) {
    const [name, ...rest] = part.split("=");
    try {
      found[name] = decodeURIComponent(rest.join("="));
    } catch {
      found[name] = rest.join("=");
    }
  }
  if (!found.rules) return null;
  return {
    rules: found.rules,
    start: found.start ?? null,
    record: found.moves ? found.moves.split(".") : [],
    seats: (found.seats ?? "me,me").split(","),
  };
}
