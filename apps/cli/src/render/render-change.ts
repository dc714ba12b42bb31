import type { FileChange } from "./file-change.ts";
import type { DiffLine } from "./line-diff.ts";
import type { LineOutput } from "./line-output.ts";
import type { QuestionLine } from "./question-rows.ts";
import { sanitiseStrictly } from "./sanitise.ts";

/** Lines that stay, shown around those that change. */
const contextLines = 2;

/** How much a change adds and removes, and what else is to be known: `+3 −1, new file`. */
export function renderChangeSize({ lines, remark }: FileChange, { signs }: Pick<LineOutput, "signs">): string {
  const count = (sign: DiffLine["sign"]) => lines.filter((line) => line.sign === sign).length;
  return `+${count("+")} ${signs.minus}${count("-")}${remark === undefined ? "" : `, ${remark}`}`;
}

/** The lines that change, all of them, with those around them. */
export function renderChange(change: Pick<FileChange, "lines">, screen: Pick<LineOutput, "style" | "signs">): string[] {
  return changedLines(change, screen).map(({ margin, text, look }) => look(`${margin}${text}`.trimEnd()));
}

/** The same with what we write before each line kept apart. */
export function changedLines(
  { lines }: Pick<FileChange, "lines">,
  { style, signs }: Pick<LineOutput, "style" | "signs">,
): (QuestionLine & { readonly look: (text: string) => string })[] {
  const width = String(lines.at(-1)?.number ?? 0).length;
  const shown: (QuestionLine & { readonly look: (text: string) => string })[] = [];
  let last = -1;
  for (const [index, { sign, text, number }] of lines.entries()) {
    if (!isNearChange(lines, index)) continue;
    if (index > last + 1) shown.push({ margin: `${" ".repeat(width)} ${signs.cut}`, text: "", look: style.dim });
    last = index;
    const look = sign === "+" ? style.green : sign === "-" ? style.red : style.dim;
    shown.push({ margin: `${String(number).padStart(width)} ${sign} `, text: sanitiseStrictly(text), look });
  }
  return shown;
}

function isNearChange(lines: readonly DiffLine[], index: number): boolean {
  return lines.slice(Math.max(0, index - contextLines), index + contextLines + 1).some(({ sign }) => sign !== " ");
}
