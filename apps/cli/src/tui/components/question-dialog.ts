import { readingMs } from "../../host/typed-ahead.ts";
import { layOutLines, proseWidth } from "../../render/question-rows.ts";
import type { QuestionAnswer } from "../../render/render-question.ts";
import type { Frame } from "../pi-tui/editor.ts";
import { characterOf, isKey } from "../pi-tui/keys.ts";
import { columnsOf, cutStyled, wrapHanging } from "../pi-tui/text.ts";
import type { Look } from "../pi-tui/theme.ts";
import type { Dialog } from "./dialog.ts";

/** What a question shows now: it changes when more of the call becomes visible. Our own text, sanitised. */
export interface ShownQuestion {
  readonly title: string;
  /** At the end of the title's row. */
  readonly remark: string;
  readonly answers: readonly QuestionAnswer[];
  /** Whether answers wrap instead of being cut: what they say is nowhere else. `more` is left out then. */
  readonly isWhole?: boolean;
  /** The letters that answer now. */
  readonly letters: string;
}

export interface QuestionDialogOptions {
  readonly current: () => ShownQuestion;
  readonly look: () => Look;
  /** Called with the letter of an answer that is not possible yet, or of none. */
  readonly refused: (letter: string) => void;
  /** Tab changes what an answer does. */
  readonly change?: () => void;
}

/** A screen with fewer rows has the answers side by side, so that the call itself stays visible. */
const minRows = 17;

/**
 * Asks for one of some answers, by its letter or with the arrows and Enter; undefined on Esc. A capital is not an answer: it
 * begins a sentence that was meant for the model.
 */
export function questionDialog(
  { current, look, refused, change }: QuestionDialogOptions,
  settle: (letter: string | undefined) => void,
): Dialog {
  let selected = 0;
  let shownMs: number | undefined;
  const isReadAt = (atMs: number) => shownMs !== undefined && atMs - shownMs >= readingMs;
  const chosen = () => {
    const { answers } = current();
    selected = Math.min(selected, answers.length - 1);
    return answers[selected]?.letter ?? "";
  };
  const move = (by: number) => {
    const { length } = current().answers;
    selected = (selected + by + length) % length;
  };
  return {
    isSudden: true,
    // After `e`, what follows is the reason.
    isLetter: (typed) => ![undefined, "e"].includes(characterOf(typed)),
    render(columns, rows) {
      chosen();
      const shown = current();
      return rows < minRows ? inLine(shown, selected, columns, look()) : inRows(shown, selected, columns, look());
    },
    drawn(atMs) {
      shownMs ??= atMs;
    },
    key(typed, atMs) {
      if (isKey(typed, "escape", "ctrl+d")) return settle(undefined);
      if (isKey(typed, "up", "ctrl+p", "left")) return move(-1);
      if (isKey(typed, "down", "ctrl+n", "right")) return move(1);
      if (isKey(typed, "tab")) return change?.();
      const isEnter = isKey(typed, "enter");
      const letter = isEnter ? chosen() : characterOf(typed);
      // Enter is pressed out of habit, too.
      if (letter === undefined || (isEnter && !isReadAt(atMs))) return;
      if (current().letters.includes(letter)) settle(letter);
      else refused(letter);
    },
    cancel: () => settle(undefined),
  };
}

/** The title, then a row for each answer. */
function inRows(
  { title, remark, answers, isWhole = false }: ShownQuestion,
  selected: number,
  columns: number,
  look: Look,
): Frame {
  const { theme, signs } = look;
  const { style } = theme;
  const room = Math.max(0, columns - columnsOf(`  ${title}${remark}`) - 1);
  const lines = [`  ${style.bold(title)}${" ".repeat(room)}${style.dim(remark)}`];
  let row = 0;
  for (const [index, { letter, text, more }] of answers.entries()) {
    const isSelected = index === selected;
    if (isSelected) row = lines.length;
    const margin = isSelected ? theme.selected(`${signs.prompt} ${letter}`) : `  ${style.bold(letter)}`;
    if (isWhole) {
      const line = { ...answerLine, marginLook: () => `${margin}  `, text };
      lines.push(...layOutLines([line], { signs, style, columns }));
    } else {
      const line = `${margin}  ${text}${more === undefined ? "" : style.dim(`   ${more}`)}`;
      // A rule is shown in full before it is saved.
      lines.push(cutStyled(line, columns - 1, signs.cut));
    }
  }
  return { lines, cursor: { row, column: 0 } };
}

/** A row of an answer, whose letter replaces the margin. */
const answerLine = { margin: "     ", continued: "" };

/** All on as few rows as possible; the answers wrap between them. */
function inLine(
  { title, remark, answers, isWhole = false }: ShownQuestion,
  selected: number,
  columns: number,
  look: Look,
): Frame {
  const { theme, signs } = look;
  const lines: string[] = [`  ${theme.style.bold(title)}`];
  let cursor = { row: 0, column: 0 };
  for (const [index, { letter, text }] of answers.entries()) {
    const isSelected = index === selected;
    const whole = `${isSelected ? `${signs.prompt} ` : ""}${letter} ${text}`;
    const part = isWhole ? whole : cutStyled(whole, columns - 3, signs.cut);
    const width = proseWidth(part);
    const isBeside = columnsOf(lines.at(-1) ?? "") + 3 + width < columns;
    const start = isBeside ? `${lines.pop()}   ` : "  ";
    if (isSelected) cursor = { row: lines.length, column: columnsOf(start) };
    const look = (row: string) => (isSelected ? theme.selected(row) : row);
    if (isWhole && width + 3 > columns)
      lines.push(
        ...layOutLines([{ margin: "  ", continued: "", text: part, look }], { signs, style: theme.style, columns }),
      );
    else lines.push(`${start}${look(part)}`);
  }
  const last = `${lines.at(-1)}   ${theme.style.dim(remark)}`;
  if (remark !== "" && columnsOf(last) < columns) lines[lines.length - 1] = last;
  return { lines: lines.flatMap((line) => wrapHanging(line, columns - 1, 4)), cursor };
}
