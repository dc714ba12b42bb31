import { createHash } from "node:crypto";
import { closeSync, fstatSync, lstatSync, readFileSync } from "node:fs";
import { basename, dirname } from "node:path";
import { toolNamePattern } from "@ikigai/protocol";
import { openRegularFile, systemReason, visibleInstructions, visibleLine } from "@ikigai/system";
import type { FrontMatter, FrontMatterValue } from "@ikigai/system/front-matter";
import { readFrontMatter } from "@ikigai/system/read-front-matter";
import type { Skill } from "../registry/registry.ts";

/** A larger `SKILL.md` is no instruction, in bytes. */
export const maxSkillBytes = 1_048_576;

/** How much of a description counts, in characters, as agentskills.io has it: all of them are part of every request. */
export const maxDescriptionLength = 1_024;

/** How many tools a skill may name. */
const maxIntroduced = 64;

/** The file of a skill that has a directory of its own. */
export const skillFileName = "SKILL.md";

/** The name that a skill has by its place: that of its directory, or of a single file. */
export function placeName(path: string): string {
  return basename(path) === skillFileName ? basename(dirname(path)) : basename(path, ".md");
}

/** What agentskills.io allows, and what people write: it is typed after `/load`, and part of a line of text. */
const namePattern = /^[A-Za-z0-9][\w.-]{0,63}$/;

/** A skill as its own file describes it. */
export type DescribedSkill = Omit<Skill, "scope" | "shadows">;

/**
 * Reads a `SKILL.md`. Never rejects, and never blocks on a FIFO or a device.
 *
 * @param sha256 the content that the user has approved; any other is a problem.
 */
export async function readSkill(path: string, sha256?: string): Promise<DescribedSkill | { readonly problem: string }> {
  const bytes = contentOf(path);
  if ("problem" in bytes) return bytes;
  if (sha256 !== undefined && createHash("sha256").update(bytes).digest("hex") !== sha256) {
    return { problem: "changed since you trusted it; review it and run: ikigai trust" };
  }
  const { text: whole, note: hidden } = visibleInstructions(bytes.toString("utf8"));
  // A link may lead to a file that was not written for a model.
  const isPlain = !/^---/.test(whole) && !lstatSync(path).isSymbolicLink();
  const reading = isPlain ? plainText(whole, path) : await readFrontMatter(whole);
  if ("problem" in reading) return { problem: `SKILL.md ${reading.problem}` };
  const { fields, body } = reading;
  const text = oneLine(fields.description);
  if (text === "") return { problem: "SKILL.md has no description: say what the skill does and when to use it" };
  const named = nameOf(fields.name, placeName(path));
  if ("problem" in named) return named;
  const allowed = wordsOf(fields["allowed-tools"]).join(" ");
  const isLong = text.length > maxDescriptionLength;
  return {
    name: named.name,
    description: isLong ? `${text.slice(0, maxDescriptionLength).replace(/[\ud800-\udbff]$/, "")}…` : text,
    path,
    introduces: introduced(fields.metadata),
    mentions: mentionsIn(body),
    ...(allowed !== "" && { allowedTools: allowed }),
    ...(sha256 !== undefined && { sha256 }),
    notes: [
      ...named.notes,
      ...(isLong ? [`Its description is cut at ${maxDescriptionLength} characters.`] : []),
      ...(hidden === undefined ? [] : [`Its SKILL.md ${hidden}`]),
    ],
  };
}

/** Markdown without front matter: its place has the name, and its first heading or line the description. */
function plainText(text: string, path: string): FrontMatter {
  const description = /^[ \t#]*([^\s#].*)$/m.exec(text)?.[1] ?? "";
  return { fields: { name: placeName(path), description }, body: text };
}

function mentionsIn(text: string): string[] {
  const names = [...text.matchAll(/`([^`\s]{1,64})`/g)].map(([, word = ""]) =>
    word.replace(/-tool$/, "").replaceAll("-", "_"),
  );
  return [...new Set(names)].filter((name) => toolNamePattern.test(name)).slice(0, maxIntroduced);
}

function contentOf(path: string): Buffer | { readonly problem: string } {
  let fd: number | undefined;
  try {
    fd = openRegularFile(path);
    if (fd === undefined) return { problem: "SKILL.md is not a regular file" };
    if (fstatSync(fd).size > maxSkillBytes) return { problem: `SKILL.md is larger than ${maxSkillBytes} bytes` };
    return readFileSync(fd);
  } catch (error) {
    return { problem: `SKILL.md cannot be read: ${systemReason(error as NodeJS.ErrnoException)}` };
  } finally {
    if (fd !== undefined) closeSync(fd);
  }
}

function nameOf(
  declared: FrontMatterValue | undefined,
  directory: string,
): { readonly name: string; readonly notes: readonly string[] } | { readonly problem: string } {
  const name = typeof declared === "string" ? declared : "";
  if (name === directory && namePattern.test(name)) return { name, notes: [] };
  if (namePattern.test(name)) return { name, notes: [`Its directory has another name: ${JSON.stringify(directory)}.`] };
  if (!namePattern.test(directory))
    return { problem: "SKILL.md has no valid name: use letters, digits and -, at most 64" };
  const why = name === "" ? "has no name" : "has a name that is not valid";
  return { name: directory, notes: [`Its SKILL.md ${why}, so its directory's name counts.`] };
}

function oneLine(value: FrontMatterValue | undefined): string {
  return typeof value === "string" ? visibleLine(value) : "";
}

/** The tools that `metadata.ikigai-tools` names. */
function introduced(metadata: FrontMatterValue | undefined): string[] {
  if (typeof metadata !== "object" || Array.isArray(metadata)) return [];
  const declared = Object.hasOwn(metadata, "ikigai-tools")
    ? (metadata as { readonly [key: string]: FrontMatterValue })["ikigai-tools"]
    : undefined;
  const names = wordsOf(declared).filter((name) => toolNamePattern.test(name));
  return [...new Set(names)].slice(0, maxIntroduced);
}

/** The words of a text or of a list. */
function wordsOf(value: FrontMatterValue | undefined): string[] {
  const texts = Array.isArray(value) ? value : [value];
  return texts.flatMap((text) => (typeof text === "string" ? oneLine(text).split(/[\s,]+/) : [])).filter(Boolean);
}
