// The emoji that bots use most, as characters. Others are shown by their name, as Slack does for those it lacks.

import { h } from "./dom.js";

const KNOWN = {
  "+1": "👍", thumbsup: "👍", "-1": "👎", thumbsdown: "👎", white_check_mark: "✅", heavy_check_mark: "✔️", ballot_box_with_check: "☑️",
  x: "❌", warning: "⚠️", bulb: "💡", mag: "🔍", mag_right: "🔎", books: "📚", book: "📖", page_facing_up: "📄", memo: "📝", lock: "🔒",
  unlock: "🔓", key: "🔑", eyes: "👀", tada: "🎉", wave: "👋", pray: "🙏", heart: "❤️", smile: "😄", slightly_smiling_face: "🙂", thinking_face: "🤔",
  rocket: "🚀", fire: "🔥", star: "⭐", hourglass: "⌛", hourglass_flowing_sand: "⏳", arrows_counterclockwise: "🔄", link: "🔗", calendar: "📅",
  clock1: "🕐", speech_balloon: "💬", no_entry: "⛔", no_entry_sign: "🚫", information_source: "ℹ️", question: "❓", grey_question: "❔", exclamation: "❗",
  red_circle: "🔴", large_green_circle: "🟢", large_yellow_circle: "🟡", large_orange_circle: "🟠", large_blue_circle: "🔵", white_circle: "⚪",
  gear: "⚙️", bell: "🔔", house: "🏠", bar_chart: "📊", chart_with_upwards_trend: "📈", file_folder: "📁", open_file_folder: "📂", globe_with_meridians: "🌐",
  shield: "🛡️", busts_in_silhouette: "👥", bust_in_silhouette: "👤", robot_face: "🤖", sparkles: "✨", zap: "⚡", pushpin: "📌", round_pushpin: "📍",
  pencil2: "✏️", wastebasket: "🗑️", inbox_tray: "📥", outbox_tray: "📤", email: "📧", telephone_receiver: "📞", raised_hand: "✋", clap: "👏", ok_hand: "👌",
  one: "1️⃣", two: "2️⃣", three: "3️⃣", arrow_right: "➡️", arrow_left: "⬅️", arrow_up: "⬆️", arrow_down: "⬇️", quote: "❝", scales: "⚖️", balance_scale: "⚖️",
};

export const OFFERED = ["+1", "-1", "eyes", "white_check_mark", "tada", "heart"];

export function emoji(name) {
  const plain = name.replace(/::skin-tone-\d$/, "");
  const drawn = KNOWN[plain];
  if (!drawn) return h("span", { class: "emoji unnamed" }, `:${name}:`);
  return h("span", { class: "emoji", role: "img", "aria-label": plain.replace(/_/g, " "), title: `:${name}:` }, drawn);
}
