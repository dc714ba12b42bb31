import { showInvisible } from "@ikigai/system";

/** What a piece of code is, for its colour. */
export type CodeKind = "comment" | "keyword" | "string" | "number" | "title" | "type" | "deletion";

/** A piece of code that has one colour; that of plain text without a kind. */
export interface CodePiece {
  readonly text: string;
  readonly kind?: CodeKind;
}

/** Pieces of code, one list for each line; undefined for an unknown language. */
export type ReadCode = (code: string, language: string) => readonly (readonly CodePiece[])[] | undefined;

/** A line of a change. */
export interface ChangedLine {
  readonly sign: " " | "+" | "-";
  /** From 1: in the new text, or for a removed line in the old one; absent if it is unknown. */
  readonly number?: number;
  readonly pieces: readonly (CodePiece & { readonly isChanged?: boolean })[];
  /** Whether unchanged lines are left out before it. */
  readonly isAfterGap?: boolean;
}

export function codeHtml(pieces: ChangedLine["pieces"]): string {
  return pieces
    .map(({ text, kind, isChanged }) => {
      const escaped = escapeHtml(text);
      const coloured = kind === undefined ? escaped : `<span class="code-${kind}">${escaped}</span>`;
      return isChanged ? `<mark>${coloured}</mark>` : coloured;
    })
    .join("");
}

/** A change, a row for each line. */
export function changeHtml(lines: readonly ChangedLine[]): string {
  return `<pre class="change"><code>${lines.map(row).join("")}</code></pre>`;
}

const classes = { "+": " added", "-": " removed", " ": "" };

function row({ sign, number, pieces, isAfterGap }: ChangedLine): string {
  const gap = isAfterGap ? '<span class="row"><i>⋯</i></span>' : "";
  // The sign is text, so that a copy has it.
  return `${gap}<span class="row${classes[sign]}"><i>${number ?? ""}</i>${sign} ${codeHtml(pieces)}\n</span>`;
}

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
