// Code and Markdown as HTML that runs and loads nothing.
import { showInvisible, signOf } from "@ikigai/system";
import type { MarkdownIt, StateBlock } from "markdown-it";

/** What a program knows about code and formulas. */
interface MarkdownOptions {
  /** Reads the code of answers for its colours. */
  readonly readCode?: ReadCode | undefined;
  /** A formula in LaTeX as text; undefined for one that it cannot read, which stays as it is. */
  readonly readFormula?: ((latex: string) => string | undefined) | undefined;
}

/** Creates what renders the Markdown of an answer. */
export async function markdownRenderer(options: MarkdownOptions): Promise<(markdown: string) => string> {
  const { default: MarkdownIt } = await import("markdown-it");
  const highlight = (code: string, language: string) => {
    const lines = options.readCode?.(code, language);
    return lines ? lines.map(codeHtml).join("\n") : escapeHtml(code);
  };
  // HTML in a response is shown as text.
  const markdown = new MarkdownIt({ html: false, linkify: true, highlight }).disable("image");
  // Only what begins with a scheme is a link: file names look like hosts.
  markdown.linkify.set({ fuzzyLink: false, fuzzyEmail: false, fuzzyIP: false });
  addFootnotes(markdown);
  addTasks(markdown);
  if (options.readFormula) addFormulas(markdown, options.readFormula);
  // In what is rendered: Markdown can also write a character as an entity.
  return (text) => showInvisible(markdown.render(text), (character) => escapeHtml(signOf(character)));
}

/** The mark of a footnote, in the text and before the note. */
const mark = /\[\^([^\]\s]{1,40})\]/y;
const note = /^\[\^[^\]\s]{1,40}\]:[ \t]*/;

/** Shows the marks of footnotes as numbers, and the notes as paragraphs. Without these rules a note may vanish as the target of a link. */
function addFootnotes(markdown: MarkdownIt): void {
  markdown.inline.ruler.before("link", "footnote", (state, silent) => {
    mark.lastIndex = state.pos;
    const found = mark.exec(state.src);
    if (!found) return false;
    if (!silent) state.push("footnote", "", 0).content = found[1] ?? "";
    state.pos += found[0].length;
    return true;
  });
  markdown.renderer.rules.footnote = (tokens, index) => `<sup>[${escapeHtml(tokens[index]?.content ?? "")}]</sup>`;
  const isNote = (state: Pick<StateBlock, "getLines">, line: number, indent: number) =>
    note.test(state.getLines(line, line + 1, indent, false));
  markdown.block.ruler.before(
    "reference",
    "footnote",
    (state, start, end, silent) => {
      if (!isNote(state, start, state.blkIndent)) return false;
      if (silent) return true;
      let next = start + 1;
      while (next < end && !state.isEmpty(next) && !isNote(state, next, state.blkIndent)) next++;
      state.push("paragraph_open", "p", 1);
      const inline = state.push("inline", "", 0);
      inline.content = state.getLines(start, next, state.blkIndent, false).trim().replace("]:", "]");
      inline.children = [];
      state.push("paragraph_close", "p", -1);
      state.line = next;
      return true;
    },
    { alt: ["paragraph"] },
  );
}

/** Shows `[x]` and `[ ]` at the start of a list's item as boxes. */
function addTasks(markdown: MarkdownIt): void {
  markdown.core.ruler.after("inline", "tasks", ({ tokens }) => {
    for (const [index, { type, children }] of tokens.entries()) {
      const item = tokens[index - 2];
      const [first] = children ?? [];
      if (type !== "inline" || item?.type !== "list_item_open" || first?.type !== "text") continue;
      const box = /^\[([ xX])\] /.exec(first.content)?.[1];
      if (box === undefined) continue;
      first.content = `${box === " " ? "☐" : "☑"} ${first.content.slice("[x] ".length)}`;
      item.attrJoin("class", "task");
    }
  });
}

/** A formula on one line. Not amounts of money, nor shell variables: "$5 and $10", "$HOME:$PATH". */
const formula = /\$\$(?=\S)([^$`\n]{1,400}?)(?<=\S)\$\$|\$(?=[^\s$])([^$`\n]{1,400}?)(?<=\S)\$(?![\w$])/y;

function addFormulas(markdown: MarkdownIt, read: (latex: string) => string | undefined): void {
  markdown.inline.ruler.before("escape", "formula", (state, silent) => {
    formula.lastIndex = state.pos;
    const found = state.src[state.pos] === "$" ? formula.exec(state.src) : undefined;
    const text = found ? read(found[1] ?? found[2] ?? "") : undefined;
    if (!found || text === undefined) return false;
    if (!silent) state.push("formula", "", 0).content = text;
    state.pos += found[0].length;
    return true;
  });
  markdown.renderer.rules.formula = (tokens, index) =>
    `<span class="formula">${escapeHtml(tokens[index]?.content ?? "")}</span>`;
}

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

function codeHtml(pieces: ChangedLine["pieces"]): string {
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
