import { showInvisible } from "@ikigai/system";

const entities: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

/** Escapes a text for an element or a quoted attribute. Invisible characters become visible, as on a terminal. */
export function escapeHtml(text: string): string {
  return showInvisible(text).replace(/[&<>"']/g, (character) => entities[character] ?? character);
}

/** A terminal's sequences for colours and styles. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: the sequences begin with one
const looks = /\u001b\[[\d;:]*m/g;

/** Escapes what a tool printed: as `escapeHtml`, without colours. */
export function escapeOutput(text: string): string {
  return escapeHtml(text.replace(looks, "").replaceAll("\r\n", "\n"));
}
