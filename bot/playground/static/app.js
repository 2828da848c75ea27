// The page: who one is, the channels, the messages, a thread beside them.

import { h, icon, replaceChildren } from "./dom.js";
import { Composer } from "./composer.js";
import { MessageList } from "./messages.js";
import { drawHome, showModal } from "./modal.js";
import { avatar } from "./people.js";
import { state } from "./state.js";
import { wordsOf } from "./text.js";
import { hush, say, toast } from "./toast.js";
import { act, connect } from "./wire.js";
import { language, setLanguage, words } from "./words.js";

const ROOT = document.getElementById("app");

// -- the frame, made once

const bar = h("header", { class: "bar" });
const sidebar = h("nav", { class: "sidebar", id: "sidebar" });
const mainHead = h("div", { class: "pane-head" });
const mainList = new MessageList("main");
const mainBody = h("div", { class: "pane-body" }, mainList.node);
const mainComposer = new Composer("main", (answer, channelId) => {
  mainList.end();
  if (answer?.ts) watched = { channelId, ts: answer.ts };
});
const main = h("main", { class: "pane", id: "main" }, mainHead, mainBody, mainComposer.node);
const threadHead = h("div", { class: "pane-head" });
const threadList = new MessageList("thread");
const threadComposer = new Composer("thread", () => { threadList.end(); });
const thread = h("aside", { class: "pane thread", id: "thread", hidden: true }, threadHead, h("div", { class: "pane-body" }, threadList.node), threadComposer.node);
ROOT.append(bar, h("div", { class: "columns" }, sidebar, main, thread));

// The person's last question: its thread opens by itself when the bot answers in it.
let watched = null;

// -- theme

function theme() {
  const stored = localStorage.getItem("theme");
  return stored || (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light");
}

function setTheme(next) {
  localStorage.setItem("theme", next);
  document.documentElement.dataset.theme = next;
  draw();
}
document.documentElement.dataset.theme = theme();
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => {
  document.documentElement.dataset.theme = theme();
  draw();
});

// -- drawing: each part again only when what it shows has changed

const signatures = new Map();

function part(node, name, facts, drawn) {
  const signature = JSON.stringify([facts, language]);
  if (signatures.get(name) === signature) return;
  signatures.set(name, signature);
  const focus = node.contains(document.activeElement) ? document.activeElement.dataset.focus : null;
  replaceChildren(node, drawn());
  if (focus) [...node.querySelectorAll("[data-focus]")].find((e) => e.dataset.focus === focus)?.focus();
}

function draw({ redraw } = {}) {
  if (!state.workspace) return;
  const channel = state.channel(state.channelId);
  if (!channel) { state.channelId = state.workspace.direct; state.threadTs = null; }
  const id = state.channelId;
  document.title = `${state.isDirect(id) ? state.user(state.workspace.bot).name : `#${state.channelName(id)}`} – ${state.workspace.team}`;
  document.getElementById("skip").textContent = words().skip;
  document.getElementById("skip").hidden = state.tab === "home";
  if (document.visibilityState === "visible") state.markRead(id);
  drawBar();
  drawSidebar();
  drawMain(redraw);
  drawThread(redraw);
  showModal();
}

function drawBar() {
  const everybody = Object.values(state.workspace.users).filter((u) => !u.is_bot);
  const violations = state.pieces.get("violations");
  part(bar, "bar", [state.workspace.users, state.me, theme(), violations, state.workspace.team], () => {
    const me = state.user(state.me);
    const chooser = h("select", { id: "person", "aria-label": words().youAre, dataset: { focus: "person" }, onchange: () => become(chooser.value) },
      everybody.map((u) => h("option", { value: u.id, selected: u.id === state.me }, label(u))));
    const dark = theme() === "dark";
    return [
      h("button", { type: "button", class: "icon-btn burger", "aria-label": words().menu, "aria-controls": "sidebar", dataset: { focus: "burger" }, onclick: () => document.body.classList.toggle("show-sidebar") }, icon("menu")),
      h("h1", {}, state.workspace.team),
      h("div", { class: "who" }, h("span", { class: "who-label", "aria-hidden": "true" }, words().youAre), h("span", { class: "chooser" }, avatar(me, "small"), chooser)),
      h("div", { class: "switches" },
        violations && h("span", { class: "violations", tabindex: 0, title: violations.recent.join("\n") }, icon("warn"), " ", words().violations(violations.count)),
        h("button", { type: "button", class: "bar-btn", lang: language === "es" ? "en" : "es", "aria-label": words().languageLabel, dataset: { focus: "language" }, onclick: () => { setLanguage(language === "es" ? "en" : "es"); draw(); } }, words().language),
        h("button", { type: "button", class: "bar-btn round", "aria-label": dark ? words().light : words().dark, title: dark ? words().light : words().dark, dataset: { focus: "theme" }, onclick: () => setTheme(dark ? "light" : "dark") }, icon(dark ? "sun" : "moon"))),
    ];
  });
}

function label(user) {
  const notes = [user.role, user.is_admin && words().admin, user.is_guest && words().guest].filter(Boolean).join(", ");
  return notes ? `${user.name} · ${notes}` : user.name;
}

const kindOf = (channel) => (channel.shared ? words().shared : channel.kind === "channel" ? words().public : channel.kind === "im" ? words().direct : words().private);
const signOf = (channel) => icon(channel.shared ? "shared" : channel.kind === "channel" ? "hash" : "lock");

function drawSidebar() {
  const channels = state.channels();
  const facts = channels.map((c) => [c, state.unread(c.id)]);
  part(sidebar, "sidebar", [facts, state.joinable(), state.channelId, state.tab, state.me], () => {
    sidebar.setAttribute("aria-label", words().menu);
    const item = (id, sign, name, note) => {
      const isHere = state.channelId === id;
      const unread = state.unread(id);
      return h("li", {}, h("button", { type: "button", class: `item${isHere ? " here" : ""}${unread ? " unread" : ""}`, "aria-current": isHere ? "page" : null, dataset: { focus: `go-${id}` }, onclick: () => go(id) },
        sign, h("span", { class: "name" }, name), note && h("span", { class: "unseen" }, `, ${note}`), unread ? h("span", { class: "count" }, String(unread), h("span", { class: "unseen" }, ` ${words().unread(unread)}`)) : null));
    };
    const bot = state.user(state.workspace.bot);
    return [
      h("h2", {}, words().channels),
      h("ul", {}, channels.filter((c) => c.kind !== "im").map((c) => item(c.id, signOf(c), c.name, kindOf(c))),
        state.joinable().map((c) => h("li", {}, h("button", { type: "button", class: "item join", dataset: { focus: `join-${c.id}` }, "aria-label": words().joinChannel(c.name), onclick: () => join(c.id) }, icon("plus"), h("span", { class: "name" }, c.name), h("span", { class: "join-word" }, words().join))))),
      h("h2", {}, words().apps),
      h("ul", {}, item(state.workspace.direct, avatar(bot, "tiny"), bot.name, words().app)),
      h("p", { class: "disclaimer" }, words().disclaimer),
    ];
  });
}

function drawMain(redraw) {
  const channel = state.channel(state.channelId);
  const direct = channel.kind === "im";
  part(mainHead, "main-head", [channel, state.tab, state.me], () => {
    const people = channel.members.filter((m) => !state.user(m).is_bot);
    if (direct) {
      const tab = (name) => h("button", { type: "button", role: "tab", id: `tab-${name}`, "aria-selected": String(state.tab === name), tabindex: state.tab === name ? 0 : -1, dataset: { focus: `tab-${name}` }, onclick: () => openApp(name), onkeydown: (event) => {
        if (event.key === "ArrowLeft" || event.key === "ArrowRight") openApp(name === "home" ? "messages" : "home", true);
      } }, words()[name]);
      const bot = state.user(state.workspace.bot);
      return [h("div", { class: "title" }, avatar(bot, "small"), h("h2", {}, bot.name), h("span", { class: "badge" }, words().app)), h("div", { class: "tabs", role: "tablist", "aria-label": bot.name }, tab("home"), tab("messages"))];
    }
    return [h("div", { class: "title" }, signOf(channel), h("h2", {}, channel.name), h("span", { class: "kind" }, kindOf(channel))),
      h("div", { class: "members" }, people.slice(0, 3).map((m) => avatar(state.user(m), "tiny")), h("span", { title: people.map((m) => state.user(m).name).join(", ") }, icon("people"), " ", words().members(people.length)))];
  });
  const onHome = direct && state.tab === "home";
  const body = onHome ? drawHome() : mainList.node;
  if (mainBody.firstChild !== body) replaceChildren(mainBody, body);
  mainComposer.node.hidden = onHome || channel.archived;
  if (onHome) return;
  const name = direct ? state.user(state.workspace.bot).name : `#${channel.name}`;
  const messages = state.main(channel.id);
  mainList.show(`${state.me}/${channel.id}`, `${words().messages}, ${name}`, messages, {
    before: { key: [channel, state.workspace.questions, prompts(), state.me], draw: () => beginning(channel) },
    status: state.statusBeside(channel.id, state.threadTs),
    redraw,
  });
  mainComposer.show(channel.id, null);
  mainComposer.stoppable(state.threadTs ? null : stopOf(channel.id, messages));
}

// Stops what the bot is doing in one of these messages' threads; null while it does nothing that can be stopped.
function stopOf(channelId, messages) {
  if (!state.workspace.can_stop) return null;
  const isBusy = (m) => m.stream?.state === "in_progress" || state.session(channelId, m.ts)?.status === "processing";
  const busy = messages.findLast(isBusy);
  return busy ? () => act({ act: "stop", channel: channelId, thread_ts: busy.thread_ts || busy.ts }) : null;
}

function prompts() {
  return state.pieces.get(`prompts/${state.channelId}/`);
}

// What stands above the first message: what this place is, and what to ask.
function beginning(channel) {
  const direct = channel.kind === "im";
  const offered = direct && prompts();
  const about = direct ? words().beginDirectText : channel.shared ? words().beginShared : channel.kind === "channel" ? words().beginPublic : words().beginPrivate;
  const questions = offered ? offered.prompts : channel.shared ? [] : state.workspace.questions.map((q) => ({ title: q, message: q }));
  return h("div", { class: "beginning" },
    direct ? avatar(state.user(state.workspace.bot), "large") : h("span", { class: "big-sign" }, signOf(channel)),
    h("h3", {}, direct ? words().beginDirect : words().beginChannel(channel.name)),
    h("p", {}, about),
    questions.length ? h("div", { class: "prompts" }, h("p", { class: "quiet" }, offered?.title || words().tryAsking),
      questions.map((q) => h("button", { type: "button", class: "prompt", onclick: () => mainComposer.write(direct ? q.message : `@testigo ${q.message}`) }, q.title))) : null);
}

function drawThread(redraw) {
  const ts = state.threadTs;
  const first = ts && state.pieces.get(`message/${state.channelId}/${ts}`);
  const messages = ts ? state.thread(state.channelId, ts) : [];
  const isOpen = Boolean(first || messages.length);
  thread.hidden = !isOpen;
  document.body.classList.toggle("with-thread", isOpen);
  if (!isOpen) {
    threadList.clear();
    threadHead.replaceChildren();
    signatures.delete("thread-head");
    return;
  }
  const where = state.isDirect(state.channelId) ? state.user(state.workspace.bot).name : `#${state.channelName(state.channelId)}`;
  thread.setAttribute("aria-label", words().thread);
  const title = state.pieces.get(`title/${state.channelId}/${ts}`)?.text || state.session(state.channelId, ts)?.title;
  part(threadHead, "thread-head", [state.channelId, title], () => [
    h("div", { class: "title" }, h("h2", {}, title || words().thread), h("span", { class: "kind" }, where)),
    h("button", { type: "button", class: "icon-btn", "aria-label": words().closeThread, dataset: { focus: "close-thread" }, onclick: closeThread }, icon("close"))]);
  threadList.show(`${state.me}/${state.channelId}/${ts}`, words().thread, messages, { status: state.status(state.channelId, ts), redraw });
  threadComposer.show(state.channelId, ts);
  threadComposer.stoppable(stopOf(state.channelId, messages));
}

// -- doing

function go(channelId) {
  document.body.classList.remove("show-sidebar");
  state.go(channelId, null, "messages");
  say(state.isDirect(channelId) ? words().direct : words().channelNow(state.channelName(channelId)));
  if (state.isDirect(channelId)) act({ act: "open_app", tab: "messages" }, { quiet: true });
}

async function join(channelId) {
  if (await act({ act: "join", channel: channelId })) go(channelId);
}

function openApp(tab, focus = false) {
  state.go(state.workspace.direct, null, tab);
  act({ act: "open_app", tab });
  if (focus) document.getElementById(`tab-${tab}`)?.focus();
}

function closeThread() {
  const ts = state.threadTs;
  state.go(state.channelId, null, state.tab);
  const article = document.getElementById(`m-${ts}`);
  (article?.querySelector(".replies") || document.getElementById("composer")).focus();
}

function become(userId) {
  sessionStorage.setItem("person", userId);
  const from = state.channelId;
  connect(userId, () => {
    state.read.clear();
    for (const channel of state.channels()) state.markRead(channel.id);
    state.channelId = state.channel(from) && !isOwnDirect(from) ? from : state.workspace.direct;
    state.threadTs = null;
    state.tab = "messages";
    watched = null;
    announced.clear();
    hush();
    draw();
    say(words().viewing(state.user(userId).name));
    document.getElementById("person")?.focus();
  });
}

const isOwnDirect = (id) => state.channel(id)?.kind === "im";

// -- what comes in

const announced = new Set();

function hear(news = {}) {
  for (const [name, message] of Object.entries(news)) {
    if (name.startsWith("status/")) announce(`${name}/${message.text}`, words().typing(state.user(state.workspace.bot).name, message.text));
    if (!name.startsWith("message/")) continue;
    if (watched && message.channel === watched.channelId && message.thread_ts === watched.ts && message.in_thread && message.user !== state.me) {
      state.threadTs = state.channelId === watched.channelId ? watched.ts : state.threadTs;
      watched = null;
    }
    if (message.user === state.me || message.stream?.state === "in_progress") continue;
    const text = (wordsOf(message.stream?.elements) + wordsOf(message.blocks) || wordsOf(message.text)).replace(/\s+/g, " ").trim();
    if (text) announce(`${name}/${text}`, words().says(state.user(message.user).name, text));
  }
}

function announce(key, text) {
  if (announced.has(key)) return;
  announced.add(key);
  say(text);
}

let waiting = false;
let redrawn;
state.listeners.add((what) => {
  if (what.news) hear(what.news);
  redrawn = what.redraw || redrawn;
  if (waiting) return;
  waiting = true;
  requestAnimationFrame(() => {
    waiting = false;
    draw({ redraw: redrawn });
    redrawn = undefined;
    if (what.moved && !document.querySelector("dialog[open]")) document.getElementById("composer")?.focus({ preventScroll: true });
  });
});

// F6 goes from part to part, as in Slack; Escape closes the thread.
document.addEventListener("keydown", (event) => {
  if (document.querySelector("dialog[open]")) return;
  if (event.key === "F6") {
    event.preventDefault();
    const parts = [document.getElementById("person"), sidebar.querySelector("[aria-current]"), mainBody.firstChild, mainComposer.node.hidden ? null : mainComposer.area, thread.hidden ? null : threadList.node, thread.hidden ? null : threadComposer.area].filter(Boolean);
    const at = parts.findLastIndex((each) => each === document.activeElement || each.contains(document.activeElement));
    parts[(at + (event.shiftKey ? -1 : 1) + parts.length) % parts.length].focus();
  }
  if (event.key === "Escape" && state.threadTs) closeThread();
  if (event.key === "Escape") document.body.classList.remove("show-sidebar");
});

// Statuses with several texts show one after the other.
setInterval(() => {
  if (state.starting("status/").some((status) => status.loading.length > 1)) draw();
}, 2000);

window.addEventListener("error", () => toast(words().error.other, true));
document.addEventListener("visibilitychange", () => draw());

connect(sessionStorage.getItem("person") || "", () => {
  for (const channel of state.channels()) state.markRead(channel.id);
  state.channelId = state.workspace.direct;
  draw();
  act({ act: "open_app", tab: "messages" }, { quiet: true });
  document.getElementById("composer")?.focus();
});
