import type { FileChange } from "./file-change.ts";
import type { DiffLine } from "./line-diff.ts";
import { sanitiseStrictly } from "./sanitise.ts";
import type { Screen } from "./screen.ts";

/** Lines that stay, shown around those that change. */
const contextLines = 2;

/** How much a change adds and removes, and what else is to be known: `+3 −1, new file`. */
export function renderChangeSize({ lines, remark }: FileChange, { signs }: Pick<Screen, "signs">): string {
  const count = (sign: DiffLine["sign"]) => lines.filter((line) => line.sign === sign).length;
  return `+${count("+")} ${signs.minus}${count("-")}${remark === undefined ? "" : `, ${remark}`}`;
}

/** The lines that change, all of them, with those around them. */
export function renderChange(
  { lines }: Pick<FileChange, "lines">,
  { style, signs }: Pick<Screen, "style" | "signs">,
): string[] {
  const width = String(lines.at(-1)?.number ?? 0).length;
  const shown: string[] = [];
  let last = -1;
  for (const [index, { sign, text, number }] of lines.entries()) {
    if (!isNearChange(lines, index)) continue;
    if (index > last + 1) shown.push(style.dim(`${" ".repeat(width)} ${signs.cut}`));
    last = index;
    const line = `${String(number).padStart(width)} ${sign} ${sanitiseStrictly(text)}`.trimEnd();
    shown.push(sign === "+" ? style.green(line) : sign === "-" ? style.red(line) : style.dim(line));
  }
  return shown;
}

function isNearChange(lines: readonly DiffLine[], index: number): boolean {
  return lines.slice(Math.max(0, index - contextLines), index + contextLines + 1).some(({ sign }) => sign !== " ");
}
