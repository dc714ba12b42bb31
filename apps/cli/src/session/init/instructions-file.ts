import { type BigIntStats, existsSync, lstatSync, readlinkSync, statSync } from "node:fs";
import { join } from "node:path";
import { IkigaiError } from "@ikigai/core/ikigai-error";
import { lockFile, realPathOf, WriteConflict, writeAtomically } from "@ikigai/system";
import { fileChange, renderChange, renderChangeSize } from "../../render/file-change.ts";
import type { LineOutput } from "../../render/line-output.ts";
import { sanitiseLine } from "../../render/sanitise.ts";

/** What the file is called. */
export const instructionsName = "AGENTS.md";

/** The only file that a symlink of that name may lead to, beside it: many projects keep one text for several agents. */
const siblingName = "CLAUDE.md";

/** Where a project's instructions go, and in which state the file is. */
export interface InstructionsFile {
  /** Without links. */
  readonly target: string;
  /** How the user sees it: its name, and where a symlink leads. */
  readonly label: string;
  /** Undefined while there is no file. */
  readonly before: BigIntStats | undefined;
}

/**
 * Looks at AGENTS.md of a project.
 *
 * @throws IkigaiError `not_written` when it is not a regular file, or is a symlink to anything but the CLAUDE.md beside it.
 */
export function findInstructionsFile(projectDir: string): InstructionsFile {
  const path = join(projectDir, instructionsName);
  const target = realPathOf(path);
  const before = statSync(target, { bigint: true, throwIfNoEntry: false });
  const isLink = lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true;
  if (isLink && (before === undefined || target !== join(realPathOf(projectDir), siblingName)))
    throw notWritten(
      `${instructionsName} is a symlink to ${sanitiseLine(before ? target : `${readlinkSync(path)}, which does not exist`)}. ` +
        `A cloned project could make ikigai write any file that way, so only a symlink to ${siblingName} beside it is ` +
        "followed. Remove the symlink, then try again.",
    );
  if (before && !before.isFile()) throw notWritten(`${instructionsName} is not a regular file.`);
  return { target, before, label: isLink ? `${instructionsName} (symlink to ${target})` : instructionsName };
}

/**
 * Replaces the file as a whole, if it is still in the state that it was found in.
 *
 * @returns what could not be kept, in sentences.
 * @throws IkigaiError `not_written`; the file is then as it was.
 */
export async function writeInstructions({ target, before }: InstructionsFile, content: string): Promise<string[]> {
  try {
    using lock = await lockFile(target);
    if (!before && existsSync(target)) throw new WriteConflict("");
    return await writeAtomically(lock, Buffer.from(content), before);
  } catch (error) {
    if (error instanceof WriteConflict)
      throw notWritten(`${instructionsName} was changed in the meantime, so it was not written. Try again.`);
    throw notWritten(`${instructionsName} was not written: ${(error as Error).message}`);
  }
}

function notWritten(message: string): IkigaiError<string> {
  return new IkigaiError("not_written", message);
}

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
