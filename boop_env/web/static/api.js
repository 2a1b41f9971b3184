// Talking to the server. Every request brings the whole game, so a restarted server goes on where the old one ended.

export class ServerError extends Error {
  constructor(message, status) {
    super(message);
    this.status = status;
  }
}

const PATIENCE = [400, 1200, 3000]; // milliseconds before asking again a server that is busy or away

const wait = (ms) => new Promise((done) => setTimeout(done, ms));

async function once(path, body, signal) {
  let answer;
  try {
    const request = body === undefined ? {} : {
      method: "POST", headers: {"Content-Type": "application/json"}, body: JSON.stringify(body),
    };
    answer = await fetch(path, {...request, signal});
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new ServerError("The server cannot be reached. The game is safe in this page's address.", 0);
  }
  if (answer.ok) return answer;
  const said = await answer.json().catch(() => ({}));
  throw new ServerError(said.error ?? `The server answered ${answer.status}.`, answer.status);
}

export async function ask(path, body, signal) {
  for (let tried = 0; ; tried += 1) {
    try {
      return await once(path, body, signal);
    } catch (error) {
      const passing = error.status === 0 || error.status === 429 || error.status === 503;
      if (!passing || tried === PATIENCE.length) throw error;
      await wait(PATIENCE[tried] * (0.75 + Math.random() / 2));
      signal?.throwIfAborted();
    }
  }
}

export const askJson = async (path, body, signal) => (await ask(path, body, signal)).json();
