import { existsSync } from "node:fs";
import { join } from "node:path";
import { fileChange, renderChange, renderChangeSize } from "../../render/file-change.ts";
import type { LineOutput } from "../../render/line-output.ts";
import { sanitiseLine } from "../../render/sanitise.ts";
import { type InstructionsFile, instructionsName, writeInstructions } from "./instructions-file.ts";

/** Whom the text is shown to, and who decides. */
export interface OfferOptions {
  readonly projectDir: string;
  readonly look: Pick<LineOutput, "style" | "signs">;
  /** Prints lines of ours, or of a text that has been sanitised. */
  readonly print: (text: string) => void;
  /** Asks; only a clear yes is one. Absent for a dry run. */
  readonly confirm?: (question: string) => Promise<boolean>;
}

export type OfferEnd = "written" | "unchanged" | "declined" | "shown";

/**
 * Shows what AGENTS.md would become, as a diff where there is one, asks, and writes it.
 *
 * @throws IkigaiError `not_written` when it cannot be written, or was changed since `file` was looked at.
 */
export async function offerInstructions(
  file: InstructionsFile,
  content: string,
  { projectDir, look, print, confirm }: OfferOptions,
): Promise<OfferEnd> {
  const change = fileChange("file_write", { file_path: instructionsName, content }, projectDir);
  if (change?.remark === "no change") {
    print(`${instructionsName} is up to date.\n`);
    return "unchanged";
  }
  const label = sanitiseLine(file.label);
  if (change && file.before) {
    print(`${look.style.bold(label)}  ${renderChangeSize(change, look)}\n`);
    print(`${renderChange(change, look).join("\n")}\n`);
  } else print(`${look.style.bold(label)}  new file\n${content}`);
  if (!confirm) return "shown";
  if (!(await confirm(`Write ${label}?`))) {
    print("Nothing was written.\n");
    return "declined";
  }
  const other = otherName(file, projectDir);
  const lost = await writeInstructions(file, content);
  print([`Wrote ${instructionsName}.`, ...lost, ...other].map((line) => `${line}\n`).join(""));
  return "written";
}

/** A CLAUDE.md counts only where there is no AGENTS.md. */
function otherName({ before }: InstructionsFile, projectDir: string): string[] {
  const isReplaced = before === undefined && existsSync(join(projectDir, "CLAUDE.md"));
  return isReplaced ? [`ikigai no longer reads CLAUDE.md here: ${instructionsName} takes precedence.`] : [];
}
