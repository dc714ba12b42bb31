// Loads a skill as the user has approved it: its text with arguments, and the list of its files.

import { createHash } from "node:crypto";
import { type Dirent, readdirSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { type CatalogEntry, textStart } from "@ikigai/protocol";
import { readRegularFile, systemReason, visibleInstructions, withoutEnd } from "@ikigai/system";
import { splitFrontMatter } from "@ikigai/system/front-matter";
import { ToolFailure } from "@ikigai/tool-sdk";

/** How much of a skill's text a model gets, in bytes. */
export const maxBodyBytes = 65_536;

/** The largest `SKILL.md` that a host lists, in bytes. */
const maxBytes = 1_048_576;

/** @throws ToolFailure if the file cannot be read, or is not the one that the user has approved. */
export function loadSkill({ name, path = "", sha256, introduces = [] }: CatalogEntry, args: string) {
  const { text } = visibleInstructions(readApproved(name, path, sha256));
  const { body } = splitFrontMatter(text) ?? { body: text };
  const whole = withArguments(body.trim(), args.trim());
  const start = Buffer.byteLength(whole) > maxBodyBytes ? lines(cutBytes(whole)) : whole;
  const directory = dirname(path);
  // Beside a single file are other skills.
  const files = basename(path) === "SKILL.md" ? skillFiles(directory) : [];
  return {
    output: `<skill name="${name}" directory="${directory}">\n${withoutLastBreak(start)}\n</skill>`,
    directory,
    ...(files.length > 0 && { files }),
    ...(introduces.length > 0 && { introduces: [...introduces] }),
    ...(start !== whole && { truncated: true, hint: `The rest of this skill is in ${path}.` }),
  };
}

/** Puts the text that the user typed in place of `$ARGUMENTS`, or at the end. `$1` stays: it is often a part of a script. */
function withArguments(body: string, args: string): string {
  const expanded = body.replace(/\$ARGUMENTS\b/g, () => args);
  return expanded !== body || args === "" ? expanded : `${body}\n\n${args}`;
}

function readApproved(name: string, path: string, sha256: string | undefined): string {
  let bytes: Buffer;
  try {
    bytes = readRegularFile(path, maxBytes);
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    const why = code === undefined ? message : systemReason(error as NodeJS.ErrnoException);
    throw new ToolFailure("READ_FAILED", `Cannot read the skill ${name}: ${why}`);
  }
  if (sha256 === undefined || createHash("sha256").update(bytes).digest("hex") === sha256)
    return bytes.toString("utf8");
  throw new ToolFailure<"SKILL_CHANGED">("SKILL_CHANGED", `${path} has changed since the user trusted it`, {
    help: { steps: ["Review the change", "Run: ikigai trust"] },
  });
}

/** The first 64 KiB, without half a character. */
function cutBytes(text: string): string {
  return withoutEnd(Buffer.from(text).subarray(0, maxBodyBytes).toString("utf8"), "\ufffd");
}

/** Whole lines, if there is more than one. */
function lines(text: string): string {
  return textStart(text, text.lastIndexOf("\n") > 0 ? text.lastIndexOf("\n") : text.length);
}

/** The text must not end the element that it is in. */
function withoutLastBreak(text: string): string {
  return text.replaceAll(/<(?=\/skill\b)/gi, "<\\");
}

/** How many files are named, and how many entries of directories are looked at to find them. */
const maxFiles = 50;
const maxEntries = 2_000;
const maxDepth = 8;

/** Lists the files of a skill besides its `SKILL.md`, nearest first. Follows no links, opens nothing. */
export function skillFiles(directory: string): string[] {
  const files: string[] = [];
  let entriesLeft = maxEntries;
  let level = [""];
  for (let depth = 0; depth <= maxDepth && level.length > 0; depth++) {
    const next: string[] = [];
    for (const prefix of level) {
      for (const entry of entriesOf(join(directory, prefix))) {
        if (files.length === maxFiles || entriesLeft-- === 0) return files;
        const path = `${prefix}${entry.name}`;
        if (entry.isDirectory()) next.push(`${path}/`);
        else if (path !== "SKILL.md") files.push(path);
      }
    }
    level = next;
  }
  return files;
}

function entriesOf(path: string): Dirent[] {
  try {
    const entries = readdirSync(path, { withFileTypes: true });
    return entries.filter(({ name }) => !name.startsWith(".") && name !== "node_modules").sort(byName);
  } catch {
    return [];
  }
}

function byName(one: Dirent, other: Dirent): number {
  return one.name < other.name ? -1 : 1;
}
