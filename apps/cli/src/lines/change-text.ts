import { type FileChange, maxChangeRows, renderChange } from "../render/file-change.ts";
import { headAndTail } from "../render/fit-text.ts";
import type { LineOutput } from "../render/line-output.ts";

/** A change that was not asked about, as far as it is shown. */
export function changeText(change: FileChange, screen: LineOutput): string {
  const gap = (leftOut: number) => screen.style.dim(`${screen.signs.cut} ${leftOut} lines`);
  const shown = headAndTail(renderChange(change, screen), { head: maxChangeRows, tail: 0, gap });
  return shown.map((line) => `    ${line}\n`).join("");
}
