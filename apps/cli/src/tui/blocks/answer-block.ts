import { sanitise } from "../../screen/sanitise.ts";
import type { Theme } from "../theme.ts";
import { renderMarkdown } from "../toolkit/markdown.ts";
import { wrapStyled } from "../toolkit/text.ts";
import type { Block } from "./block.ts";
import { canHighlight, highlight, loadHighlighter } from "./highlight.ts";
import { type MarkdownCursor, type Piece, takePiece } from "./split-markdown.ts";

/** An answer as it arrives. */
export interface AnswerBlock extends Block {
  add(text: string): void;
  end(): void;
  /** Whether there is anything of it. */
  hasText(): boolean;
}

/** Lines of code that the next ones are coloured with: a string or a comment may have begun there. */
const contextLines = 100;

export function createAnswerBlock(theme: () => Theme, redraw: () => void): AnswerBlock {
  const cursor: MarkdownCursor = { rest: "", fence: undefined };
  const wholeCharacters = holdHalves();
  let isEnded = false;
  let isBegun = false;
  let hasCode = false;
  let hasGapBefore = false;
  let context: readonly string[] = [];
  let cache: { key: string; lines: readonly string[] } | undefined;
  return {
    kind: "answer",
    add(text) {
      const whole = wholeCharacters(text);
      // What only makes room at the start is not worth a line.
      cursor.rest += isBegun || cursor.rest !== "" ? whole : whole.replace(/^\s*\n/, "");
      if (whole !== "" && cursor.rest.trim() !== "") isBegun = true;
      if (!hasCode && /`{3}|~{3}/.test(cursor.rest)) {
        hasCode = true;
        loadHighlighter(redraw);
      }
    },
    end() {
      isEnded = true;
    },
    hasText: () => isBegun,
    takeSettled(columns) {
      // What is settled cannot be coloured later.
      if (hasCode && !canHighlight()) return [];
      const lines: string[] = [];
      for (let piece = takePiece(cursor, isEnded); piece; piece = takePiece(cursor, isEnded)) {
        lines.push(...withGap(renderPiece(piece, columns)));
        hasGapBefore = piece.type === "markdown" ? piece.hasGap || cursor.fence !== undefined : piece.isEnd;
      }
      return lines;
    },
    render(columns) {
      const key = `${columns}\n${context.length}\n${cursor.fence?.language}\n${cursor.rest}`;
      if (cache?.key !== key) cache = { key, lines: withGap(renderRest(columns)) };
      return cache.lines;
    },
    isDone: () => isEnded && cursor.rest === "" && !cursor.fence,
  };

  function withGap(lines: readonly string[]): readonly string[] {
    return hasGapBefore && lines.length > 0 ? ["", ...lines] : lines;
  }

  function renderPiece(piece: Piece, columns: number): string[] {
    if (piece.type === "markdown") return toLines(piece.text, columns);
    const lines = codeLines(piece.lines, piece.language, columns);
    context = piece.isEnd ? [] : [...context, ...piece.lines].slice(-contextLines);
    return lines;
  }

  /** What may still change. */
  function renderRest(columns: number): string[] {
    const { fence, rest } = cursor;
    if (!fence) return rest.trim() === "" ? [] : toLines(rest, columns);
    const lines = rest.split("\n");
    // The last line may become the end of the fence.
    if (/^\s*(`+|~+)?$/.test(lines.at(-1) ?? "")) lines.pop();
    return codeLines(lines, fence.language, columns);
  }

  function toLines(text: string, columns: number): string[] {
    return renderMarkdown(text, columns, theme(), (code, language) => highlight(code, language, theme()));
  }

  function codeLines(lines: readonly string[], language: string, columns: number): string[] {
    const coloured = highlight([...context, ...lines].join("\n"), language, theme()).slice(context.length);
    return coloured.flatMap((line) => wrapStyled(line.replaceAll("\t", "    "), columns - 2).map((row) => `  ${row}`));
  }
}

/** Holds back the first half of a character that came in two pieces. Sanitises. */
function holdHalves(): (text: string) => string {
  let half = "";
  return (text) => {
    const come = half + text;
    half = /[\ud800-\udbff]$/.test(come) ? come.slice(-1) : "";
    return sanitise(come.slice(0, come.length - half.length).replaceAll("\r\n", "\n"));
  };
}
