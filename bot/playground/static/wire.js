// To and from the server.

import { state } from "./state.js";
import { toast } from "./toast.js";

let source = null;
let lost = false;

export function connect(person, onFirst) {
  source?.close();
  const opened = new EventSource(`/events?person=${encodeURIComponent(person || "")}`);
  source = opened;
  let first = true;
  opened.onmessage = ({ data }) => {
    if (source !== opened) return;
    const { whole, set, gone } = JSON.parse(data);
    if (whole) state.pieces.clear();
    for (const name of gone) state.pieces.delete(name);
    for (const [name, piece] of Object.entries(set)) state.pieces.set(name, piece);
    if (lost) toast(state.words.back);
    lost = false;
    if (first) onFirst?.();
    else state.changed({ news: set });
    first = false;
  };
  opened.onerror = () => {
    if (source !== opened || lost) return;
    lost = true;
    toast(state.words.lost, true);
  };
}

// Does something as the person; returns the answer, or null when it was refused (and says why).
export async function act(what, { quiet = false } = {}) {
  let answer;
  try {
    const response = await fetch("/act", {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ person: state.me, ...what }),
    });
    answer = await response.json();
  } catch {
    toast(state.words.lost, true);
    return null;
  }
  const code = answer.refused || answer.error;
  if (code && !quiet) toast(state.words.error[code] || state.words.error.other, true);
  return code ? null : answer;
}
