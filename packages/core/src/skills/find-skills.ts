import { readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { escapeOf, realPathOf, systemReason, writerProblem } from "@ikigai/system";
import type { FailedSkill, Skill } from "../registry/registry.ts";
import { type Stamps, stampAt } from "../registry/stamps.ts";
import type { ExaminedProject } from "../trust/project-trust.ts";
import { placeName, readSkill, skillFileName } from "./read-skill.ts";
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
  const seen = new Map<string, string>();
  const problems: string[] = [];
  const candidates = [
    ...userSkillDirectories(places).flatMap((directory) => candidatesIn(directory, seen, problems)),
    ...trustedCandidates(project),
  ];
  const skills = new Map<string, Skill>();
  const failed: FailedSkill[] = untrustedSkills(project);
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

/** The name of a skill by its place in printable ASCII. */
function printable(path: string): string {
  return placeName(path).replaceAll(/[^\x20-\x7e]/gu, escapeOf);
}
