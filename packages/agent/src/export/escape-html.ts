const entities: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

/** Escapes a text for an element or a quoted attribute. */
export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => entities[character] ?? character);
}

/** A terminal's sequences for colours and styles. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: the sequences begin with one
const looks = /\u001b\[[\d;:]*m/g;

// biome-ignore lint/suspicious/noControlCharactersInRegex: what the function replaces
const controls = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g;

/** Escapes what a tool printed: without colours, and with characters that control a terminal or the order of text made visible. */
export function escapeOutput(text: string): string {
  const visible = text
    .replace(looks, "")
    .replaceAll("\r\n", "\n")
    .replace(controls, (character) => {
      const code = character.charCodeAt(0);
      return code < 0x20 ? String.fromCharCode(0x2400 + code) : "\ufffd";
    });
  return escapeHtml(visible);
}
