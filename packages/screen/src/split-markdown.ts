// Splits Markdown that is still being written where later text cannot change what came before.

/** A piece of Markdown that can be rendered on its own. */
export type Piece =
  | { readonly type: "markdown"; readonly text: string; readonly hasGap: boolean }
  /** Lines of a fenced block; `isEnd`: the block ends with them. */
  | { readonly type: "code"; readonly language: string; readonly lines: readonly string[]; readonly isEnd: boolean };

/** A position in a Markdown text. */
export interface MarkdownCursor {
  /** The text not taken yet. */
  rest: string;
  /** The open fenced block. */
  fence: { readonly mark: string; readonly language: string } | undefined;
}

/** A block with more lines is split, so that it appears before it is complete. */
const maxHeldLines = 40;

const openingFence = /^ {0,3}(`{3,}|~{3,})[ \t]*([^\s`]*)[^`\n]*$/;
const listItem = /^(?:[-+*]|\d{1,9}[.)])(?:\s|$)/;
/** Characters that say what kind of line it is. */
const tellingLength = 6;

/**
 * Takes the next piece that later text cannot change; undefined if no piece is complete.
 *
 * @param maxLines of a block that is not split
 */
export function takePiece(cursor: MarkdownCursor, isEnd: boolean, maxLines = maxHeldLines): Piece | undefined {
  return cursor.fence ? takeCode(cursor, cursor.fence, isEnd, maxLines) : takeMarkdown(cursor, isEnd, maxLines);
}

function takeCode(
  cursor: MarkdownCursor,
  fence: { mark: string; language: string },
  isEnd: boolean,
  maxLines: number,
): Piece | undefined {
  const lines = cursor.rest.split("\n");
  const close = lines.findIndex((line, index) => closes(line, fence.mark) && (isEnd || index < lines.length - 1));
  const { language } = fence;
  if (close >= 0) {
    cursor.rest = lines.slice(close + 1).join("\n");
    cursor.fence = undefined;
    return { type: "code", language, lines: lines.slice(0, close), isEnd: true };
  }
  if (isEnd) {
    cursor.rest = "";
    cursor.fence = undefined;
    if (lines.at(-1) === "") lines.pop();
    return { type: "code", language, lines, isEnd: true };
  }
  if (lines.length <= maxLines) return undefined;
  cursor.rest = lines.slice(-2).join("\n");
  return { type: "code", language, lines: lines.slice(0, -2), isEnd: false };
}

function closes(line: string, mark: string): boolean {
  return (/^ {0,3}(`{3,}|~{3,})[ \t]*$/.exec(line)?.[1] ?? "").startsWith(mark);
}

function takeMarkdown(cursor: MarkdownCursor, isEnd: boolean, maxLines: number): Piece | undefined {
  const lines = cursor.rest.split("\n");
  const first = lines.findIndex((line) => line.trim() !== "");
  if (first < 0) {
    if (isEnd) cursor.rest = "";
    return undefined;
  }
  const isList = listItem.test(lines[first] ?? "");
  for (let index = first; index < lines.length; index++) {
    const line = lines[index] ?? "";
    const isWhole = isEnd || index < lines.length - 1;
    const fence = isWhole ? openingFence.exec(line) : null;
    if (fence && !(isList && line.startsWith(" "))) {
      if (index > first) return cut(cursor, lines, index);
      cursor.rest = lines.slice(index + 1).join("\n");
      cursor.fence = { mark: fence[1] ?? "```", language: fence[2] ?? "" };
      return takePiece(cursor, isEnd, maxLines);
    }
    if (index > first && startsBlock(line, lines[index - 1] ?? "", { isList, isWhole }))
      return cut(cursor, lines, index);
  }
  if (isEnd) return cut(cursor, lines, lines.length);
  const split = lines.length > maxLines + first ? splitOf(lines, first, isList) : undefined;
  return split === undefined ? undefined : cut(cursor, lines, split);
}

/** Whether a line begins a new block. */
function startsBlock(
  line: string,
  before: string,
  { isList, isWhole }: { isList: boolean; isWhole: boolean },
): boolean {
  if (before.trim() !== "" || !/^\S/.test(line)) return false;
  if (!isWhole && line.length < tellingLength) return false;
  return !(isList && listItem.test(line));
}

/** Where a block that is too long can be split; undefined if nowhere. */
function splitOf(lines: readonly string[], first: number, isList: boolean): number | undefined {
  if (isList) {
    const last = lines.findLastIndex((line, index) => index < lines.length - 1 && listItem.test(line));
    return last > first ? last : undefined;
  }
  const isTable = /^[\s|:-]+$/.test(lines[first + 1] ?? "") && (lines[first] ?? "").includes("|");
  return isTable ? undefined : lines.length - 2;
}

function cut(cursor: MarkdownCursor, lines: readonly string[], end: number): Piece {
  cursor.rest = lines.slice(end).join("\n");
  return { type: "markdown", text: lines.slice(0, end).join("\n"), hasGap: (lines[end - 1] ?? "").trim() === "" };
}

/** A fenced block of code, without its fences. */
export interface CodeBlock {
  readonly language: string;
  readonly text: string;
}

/** The fenced blocks of a complete Markdown text, also those in lists, without their common indentation. */
export function codeBlocks(text: string): CodeBlock[] {
  const blocks: CodeBlock[] = [];
  let open: { mark: string; indent: number; language: string; lines: string[] } | undefined;
  for (const line of text.replaceAll("\r\n", "\n").split("\n")) {
    const begun = open;
    if (begun && closes(line.trimStart(), begun.mark)) {
      blocks.push({ language: begun.language, text: begun.lines.join("\n") });
      open = undefined;
    } else if (begun) begun.lines.push(line.replace(new RegExp(`^ {0,${begun.indent}}`), ""));
    else {
      const [, mark, language = ""] = openingFence.exec(line.trimStart()) ?? [];
      if (mark !== undefined) open = { mark, indent: line.length - line.trimStart().length, language, lines: [] };
    }
  }
  return blocks;
}
