// What the page knows: the pieces that the server sends, and where the person is looking.

import { words } from "./words.js";

const NOBODY = { name: "?", handle: "?", role: "" };

export const state = {
  pieces: new Map(),
  channelId: null,
  threadTs: null,
  tab: "messages",
  read: new Map(),
  listeners: new Set(),

  get workspace() { return this.pieces.get("workspace"); },
  get me() { return this.workspace?.me; },
  get words() { return words(); },

  user(id) {
    if (id === "USLACKBOT") return { id, name: "Slackbot", handle: "slackbot", role: "", is_bot: true };
    return this.workspace?.users[id] || { ...NOBODY, id };
  },
  group(id) { return this.workspace?.groups[id] || id; },
  channel(id) { return this.pieces.get(`channel/${id}`); },
  channelName(id) { return this.channel(id)?.name || this.workspace?.channels[id] || "…"; },
  isDirect(id) { return this.channel(id)?.kind === "im"; },

  channels() { return this.starting("channel/").sort((a, b) => a.name.localeCompare(b.name)); },
  joinable() { return this.starting("joinable/").sort((a, b) => a.name.localeCompare(b.name)); },
  starting(prefix) { return [...this.pieces].filter(([name]) => name.startsWith(prefix)).map(([, piece]) => piece); },

  messages(channelId) {
    return this.starting(`message/${channelId}/`).sort((a, b) => (a.ts < b.ts ? -1 : 1));
  },
  // An ephemeral answer to somebody outside a thread stands in the channel, as in Slack.
  main(channelId) { return this.messages(channelId).filter((m) => !m.in_thread || m.broadcast); },
  thread(channelId, ts) { return this.messages(channelId).filter((m) => m.ts === ts || m.thread_ts === ts); },
  status(channelId, ts) { return this.pieces.get(`status/${channelId}/${ts}`); },
  session(channelId, ts) { return this.pieces.get(`session/${channelId}/${ts}`); },
  // The latest status in a channel of a thread that is not open.
  statusBeside(channelId, openTs) {
    const prefix = `status/${channelId}/`;
    return [...this.pieces].findLast(([name]) => name.startsWith(prefix) && name !== `${prefix}${openTs}`)?.[1];
  },

  unread(channelId) {
    const seen = this.read.get(channelId) || "";
    return this.messages(channelId).filter((m) => m.ts > seen && m.user !== this.me).length;
  },
  markRead(channelId) {
    const last = this.messages(channelId).at(-1);
    if (last) this.read.set(channelId, last.ts);
  },

  go(channelId, threadTs = null, tab = "messages") {
    const moved = this.channelId !== channelId || this.tab !== tab;
    this.channelId = channelId;
    this.threadTs = threadTs;
    this.tab = tab;
    this.changed({ moved });
  },
  changed(what = {}) { this.listeners.forEach((listener) => listener(what)); },
};

// Links to messages of this workspace open here, as in Slack's own client.
export function follow(event, address) {
  const { hostname, pathname, searchParams } = new URL(address);
  if (hostname !== `${state.workspace?.domain}.slack.com`) return;
  const [, channelId, digits] = pathname.match(/^\/archives\/(\w+)(?:\/p(\d+))?/) || [];
  event.preventDefault();
  if (!channelId || !state.channel(channelId)) return;
  const ts = digits && `${digits.slice(0, -6)}.${digits.slice(-6)}`;
  state.go(channelId, searchParams.get("thread_ts") || (ts && state.pieces.get(`message/${channelId}/${ts}`)?.replies ? ts : null));
  if (ts) requestAnimationFrame(() => document.getElementById(`m-${ts}`)?.focus());
}
