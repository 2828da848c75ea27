// The box one writes in: @ offers people, / offers commands.

import { h, icon, newId } from "./dom.js";
import { state } from "./state.js";
import { act } from "./wire.js";
import { avatar } from "./people.js";
import { words } from "./words.js";

const MOST = 8;

export class Composer {
  constructor(pane, onSent) {
    this.pane = pane;
    this.onSent = onSent;
    this.drafts = new Map();
    this.listId = newId("offers");
    this.area = h("textarea", { id: pane === "main" ? "composer" : "thread-composer", rows: 1, autocomplete: "off", spellcheck: true, role: "combobox", "aria-autocomplete": "list", "aria-expanded": "false", "aria-controls": this.listId, "aria-haspopup": "listbox" });
    this.offers = h("ul", { id: this.listId, class: "offers", role: "listbox", hidden: true });
    this.hint = h("p", { class: "hint", id: newId("hint") });
    this.stopButton = h("button", { type: "button", class: "btn stop", hidden: true, onclick: () => this.onStop?.() });
    this.sendButton = h("button", { type: "submit", class: "send" }, icon("send"));
    this.node = h("form", { class: "composer", onsubmit: (event) => { event.preventDefault(); this.send(); } },
      this.offers, h("div", { class: "composer-box" }, this.area, h("div", { class: "composer-foot" }, this.hint, this.stopButton, this.sendButton)));
    this.area.setAttribute("aria-describedby", this.hint.id);
    this.area.addEventListener("input", () => { this.fit(); this.offer(); });
    this.area.addEventListener("keydown", (event) => this.key(event));
    this.area.addEventListener("blur", () => this.close());
    this.at = 0;
  }

  show(channelId, threadTs) {
    const key = `${state.me}/${channelId}/${threadTs || ""}`;
    if (key !== this.place) {
      if (this.place) this.drafts.set(this.place, this.area.value);
      this.place = key;
      this.area.value = this.drafts.get(key) || "";
      this.fit();
      this.close();
    }
    this.channelId = channelId;
    this.threadTs = threadTs;
    const direct = state.isDirect(channelId);
    const where = direct ? state.user(state.workspace.bot).name : `#${state.channelName(channelId)}`;
    this.area.placeholder = threadTs ? words().reply : words().message(where);
    this.area.setAttribute("aria-label", threadTs ? words().reply : words().message(where));
    this.offers.setAttribute("aria-label", `${words().people}, ${words().commands}`);
    this.hint.textContent = direct ? words().hintDirect : words().hintChannel;
    this.sendButton.setAttribute("aria-label", words().send);
    this.sendButton.title = words().send;
    this.stopButton.replaceChildren(icon("stop"), ` ${words().stop}`);
  }

  // `stop` is called when the person stops what the bot is writing; null when there is nothing to stop.
  stoppable(stop) {
    this.onStop = stop;
    this.stopButton.hidden = !stop;
  }

  fit() {
    this.area.style.setProperty("height", "auto");
    this.area.style.setProperty("height", `${Math.min(this.area.scrollHeight, 220)}px`);
    this.sendButton.classList.toggle("ready", this.area.value.trim() !== "");
  }

  write(text) {
    this.area.value = text;
    this.fit();
    this.area.focus();
  }

  async send() {
    const text = this.area.value;
    if (!text.trim()) return;
    performance.mark("sent");
    this.area.value = "";
    this.fit();
    this.close();
    const answer = await act({ act: "write", channel: this.channelId, text, thread_ts: this.threadTs || null });
    if (answer === null && !this.area.value) this.write(text);
    else this.onSent?.(answer, this.channelId, this.threadTs);
  }

  key(event) {
    if (!this.offers.hidden) {
      const items = [...this.offers.children];
      const move = { ArrowDown: 1, ArrowUp: -1 }[event.key];
      if (move) {
        event.preventDefault();
        this.mark((this.at + move + items.length) % items.length);
        return;
      }
      if (event.key === "Enter" || event.key === "Tab") {
        event.preventDefault();
        items[this.at].click();
        return;
      }
      if (event.key === "Escape") {
        event.stopPropagation();
        this.close();
        return;
      }
    }
    if (event.key === "Enter" && !event.shiftKey && !event.isComposing) {
      event.preventDefault();
      this.send();
    }
  }

  offer() {
    const before = this.area.value.slice(0, this.area.selectionStart);
    const name = before.match(/(?:^|\s)@([\p{L}\p{N}.\-]*)$/u);
    const command = this.threadTs ? null : before.match(/^\/([\w-]*)$/);
    if (name) return this.list(people(name[1]), (user) => [avatar(user, "tiny"), h("b", {}, user.name), h("span", { class: "quiet" }, user.is_bot ? words().app : user.role)], (user) => `@${user.handle} `, name[1].length + 1);
    if (command) return this.list(state.workspace.commands.filter((c) => c.name.startsWith(before)), (c) => [h("b", {}, c.name), h("span", { class: "quiet" }, c.hint), h("span", { class: "what" }, c.what)], (c) => `${c.name} `, before.length);
    this.close();
  }

  list(found, draw, text, length) {
    if (!found.length) { this.close(); return; }
    const items = found.slice(0, MOST).map((each, number) => h("li", { role: "option", id: `${this.listId}-${number}`, "aria-selected": "false", onmousedown: (event) => event.preventDefault(), onclick: () => this.take(text(each), length) }, draw(each)));
    this.offers.replaceChildren(...items);
    this.offers.hidden = false;
    this.area.setAttribute("aria-expanded", "true");
    this.mark(0);
  }

  mark(number) {
    this.at = number;
    [...this.offers.children].forEach((item, at) => item.setAttribute("aria-selected", String(at === number)));
    this.area.setAttribute("aria-activedescendant", `${this.listId}-${number}`);
    this.offers.children[number].scrollIntoView({ block: "nearest" });
  }

  take(text, length) {
    const end = this.area.selectionStart;
    this.area.setRangeText(text, end - length, end, "end");
    this.close();
    this.fit();
    this.area.focus();
  }

  close() {
    this.offers.hidden = true;
    this.area.setAttribute("aria-expanded", "false");
    this.area.removeAttribute("aria-activedescendant");
  }
}

function people(typed) {
  const plain = (text) => text.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase();
  const wanted = plain(typed);
  return Object.values(state.workspace.users)
    .filter((u) => u.id !== state.me && (plain(u.handle).includes(wanted) || plain(u.name).includes(wanted)))
    .sort((a, b) => b.is_bot - a.is_bot || a.name.localeCompare(b.name));
}
