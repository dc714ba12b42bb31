// Finds skills and reads their `SKILL.md`. In order: the search, one directory, one file, and what its front matter says. Loaded
// only if there is a directory with skills.

import { createHash } from "node:crypto";
import { closeSync, fstatSync, lstatSync, readdirSync, readFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { toolNamePattern } from "@ikigai/protocol";
import {
  escapeOf,
  openRegularFile,
  realPathOf,
  systemReason,
  visibleInstructions,
  visibleLine,
  writerProblem,
} from "@ikigai/system";
import { type FrontMatter, type FrontMatterValue, readFrontMatter } from "@ikigai/system/front-matter";
import { addedPackages, seenPackages } from "../registry/added-packages.ts";
import type { FailedSkill, Skill } from "../registry/registry.ts";
import { type Stamps, stampAt } from "../registry/stamps.ts";
import type { ExaminedProject } from "../trust/trust.ts";
import { projectSkillFiles, type SkillPlaces, userSkillDirectories } from "./skill-directories.ts";

/** The skills in use, and what was read to find them. */
export interface FoundSkills {
  /** Sorted by name. */
  readonly skills: readonly Skill[];
  readonly failed: readonly FailedSkill[];
  /** Directories that cannot be read, one sentence each. */
  readonly problems: readonly string[];
  readonly seen: Stamps;
}

/** How many directories a place for skills may have. */
const maxDirectories = 1_000;

/** A directory that may have a skill. */
interface Candidate {
  /** Its `SKILL.md`. */
  readonly path: string;
  readonly scope: Skill["scope"];
  /** The approved content. */
  readonly sha256?: string;
}

/**
 * Finds the user's skills, and a project's if the user trusts it: then exactly the files that were approved. Otherwise none of the
 * project's is read. A nearer skill overrides a farther one of the same name. Never rejects.
 */
export async function findSkills(places: SkillPlaces, project: ExaminedProject): Promise<FoundSkills> {
  const seen = new Map(seenPackages(places.home));
  const problems: string[] = [];
  const candidates = [
    ...userSkillDirectories(places).flatMap((directory) => candidatesIn(directory, seen, problems)),
    ...trustedCandidates(project),
  ];
  const skills = new Map<string, Skill>();
  const failed: FailedSkill[] = [...untrustedSkills(project), ...changedSkills(places)];
  const read = new Set<string>();
  // Nearest first, so that a link to a farther place counts as the nearer one.
  for (const { path, scope, sha256 } of candidates.reverse()) {
    const real = realPathOf(path);
    if (read.has(real)) continue;
    read.add(real);
    const writer = scope === "user" ? writerOf(path) : undefined;
    const skill = writer === undefined ? await readSkill(path, sha256) : { problem: writer };
    if ("problem" in skill) failed.push({ name: printable(path), path, scope, reason: skill.problem });
    else {
      const nearer = skills.get(skill.name);
      const isHidden = nearer !== undefined && hidesUnseen(nearer, scope);
      if (isHidden) failed.push(whyHiding(nearer, path));
      if (nearer && !isHidden) skills.set(skill.name, { ...nearer, shadows: [...nearer.shadows, path] });
      else skills.set(skill.name, { ...skill, scope, shadows: [] });
    }
  }
  return {
    skills: [...skills.values()].sort((a, b) => (a.name < b.name ? -1 : 1)),
    failed: failed.sort((a, b) => (a.path < b.path ? -1 : 1)),
    problems,
    seen,
  };
}

/**
 * The question of trust names the user's skills that a project overrides, by the names of its directories. Another name, inside of a
 * file, must not replace one of them unseen.
 */
function hidesUnseen(nearer: Skill, scope: Skill["scope"]): boolean {
  return scope === "user" && nearer.scope === "project" && placeName(nearer.path) !== nearer.name;
}

function whyHiding({ name, path, scope }: Skill, users: string): FailedSkill {
  const reason = `it is called ${name}, as your skill ${users} is; to override yours, its directory must be called ${name}`;
  return { name: printable(path), path, scope, reason };
}

/** Says who else could have written a user's skill: the model would follow them. */
function writerOf(path: string): string | undefined {
  const directory = dirname(path);
  return writerProblem([path, directory, dirname(directory)]);
}

function candidatesIn(directory: string, seen: Map<string, string>, problems: string[]): Candidate[] {
  // Before it is read, so that later changes are noticed.
  for (const path of new Set([directory, realPathOf(directory)])) seen.set(path, stampAt(path));
  if (seen.get(directory) === "missing") return [];
  try {
    const names = readdirSync(directory).filter((name) => /^[A-Za-z0-9]/.test(name));
    if (names.length > maxDirectories)
      problems.push(`${directory} has more than ${maxDirectories} skills; the others are not used.`);
    // The first of two with the same name counts, and the last one read.
    return names
      .sort()
      .slice(0, maxDirectories)
      .reverse()
      .flatMap((name) =>
        candidateAt(isFlat(name) ? join(directory, name) : join(directory, name, skillFileName), seen),
      );
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code !== "ENOTDIR")
      problems.push(`Cannot look for skills in ${directory}: ${systemReason(error as NodeJS.ErrnoException)}.`);
    return [];
  }
}

/** A single file is a skill, too. */
function isFlat(name: string): boolean {
  return name.endsWith(".md") && name !== "README.md";
}

function candidateAt(path: string, seen: Map<string, string>): Candidate[] {
  const stamp = stampAt(path);
  // A directory may get its SKILL.md later; a file never has one.
  if (stamp === "ENOTDIR") return [];
  seen.set(path, stamp);
  return stamp === "missing" ? [] : [{ path, scope: "user" }];
}

function trustedCandidates({ report }: ExaminedProject): Candidate[] {
  if (report.status !== "trusted") return [];
  return projectSkillFiles(report).map(({ path, sha256 }) => ({
    path: join(report.dir, path),
    scope: "project",
    sha256,
  }));
}

function untrustedSkills({ report }: ExaminedProject): FailedSkill[] {
  if (report.status === "trusted") return [];
  const files = projectSkillFiles(report).filter(({ change }) => change !== "removed");
  const reason =
    report.status === "changed"
      ? "the project has changed since you trusted it; review it and run: ikigai trust"
      : "to use it, review it and run: ikigai trust";
  return files.map(({ path }) => {
    const whole = join(report.dir, path);
    return { name: printable(whole), path: whole, scope: "project", reason, isUntrusted: true };
  });
}

/** The skills of added packages that have changed since. */
function changedSkills({ home }: SkillPlaces): FailedSkill[] {
  return addedPackages(home).flatMap(({ folder, problem }) => {
    if (problem === undefined) return [];
    const found = candidatesIn(join(folder, "skills"), new Map(), []);
    return found.map(({ path, scope }) => ({ name: printable(path), path, scope, reason: problem }));
  });
}

/** The name of a skill by its place in printable ASCII. */
function printable(path: string): string {
  return placeName(path).replaceAll(/[^\x20-\x7e]/gu, escapeOf);
}

/** A larger `SKILL.md` is no instruction, in bytes. */
export const maxSkillBytes = 1_048_576;

/** How much of a description counts, in characters, as agentskills.io has it: all of them are part of every request. */
export const maxDescriptionLength = 1_024;

/** How many tools a skill may name. */
const maxIntroduced = 64;

/** The file of a skill that has a directory of its own. */
const skillFileName = "SKILL.md";

/** The name that a skill has by its place: that of its directory, or of a single file. */
function placeName(path: string): string {
  return basename(path) === skillFileName ? basename(dirname(path)) : basename(path, ".md");
}

/** What agentskills.io allows, and what people write: it is typed after `/load`, and part of a line of text. */
const namePattern = /^[A-Za-z0-9][\w.-]{0,63}$/;

/** A skill as its own file describes it. */
type DescribedSkill = Omit<Skill, "scope" | "shadows">;

/**
 * Reads a `SKILL.md`. Never rejects, and never blocks on a FIFO or a device.
 *
 * @param sha256 the content that the user has approved; any other is a problem.
 */
async function readSkill(path: string, sha256?: string): Promise<DescribedSkill | { readonly problem: string }> {
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
