const pairs: Readonly<Record<string, string>> = { '"': '"', "'": "'", "`": "`", "“": "”", "‘": "’", "«": "»" };

const escapes: Readonly<Record<string, string>> = { n: "\n", t: "\t", '"': '"', "\\": "\\" };

/** A text without the quotes around it. Inside double quotes `\n`, `\t`, `\"` and `\\` are read. */
export function unquote(text: string): string {
  const trimmed = text.trim();
  const open = trimmed[0] ?? "";
  const close = pairs[open];
  if (trimmed.length < 2 || close === undefined || !trimmed.endsWith(close)) return trimmed;
  const inner = trimmed.slice(1, -1);
  if (open === close && hasUnescaped(inner, close)) return trimmed;
  return open === '"' ? inner.replace(/\\([nt"\\])/g, (_, letter: string) => escapes[letter] ?? letter) : inner;
}

export function isQuoted(text: string): boolean {
  return unquote(text) !== text.trim();
}

/** A pattern for a quoted text or else for what `bare` matches; no groups of its own. */
export function quotedOr(bare: string): string {
  return `${String.raw`"(?:[^"\\]|\\.)*"`}|'[^']*'|\`[^\`]*\`|“[^”]*”|‘[^’]*’|${bare}`;
}

function hasUnescaped(text: string, quote: string): boolean {
  return text.replace(/\\./gs, "").includes(quote);
}
