// What is known about tools without running any: whether the user has trusted them, their names, and which ones a project overrides.
import { basename, dirname, join } from "node:path";
import type { JsonObject } from "@ikigai/protocol";
import type { FailedTool } from "../registry/registry.ts";
import { projectSkillFiles, projectSkillScripts, type SkillPlaces } from "../skills/skill-directories.ts";
import { userSkills } from "../skills/skills-if-any.ts";
import type { TrustPlace, TrustReport } from "../trust/project-files.ts";
import { type ExaminedProject, examineProject } from "../trust/trust.ts";
import { type Candidate, escapedName, listCandidates, type ToolDirectory, validName } from "./candidates.ts";
import { loadSchemaCache, recall } from "./schema-cache.ts";
import { plainTools } from "./schemas.ts";

/** How many changed files the reason names; the trust prompt lists all. */
const maxNamed = 3;

/** Whether a tool may be run: it is not the project's, or its file is the one the user trusted. */
export function isTrusted({ scope, path, stamp, skill }: Candidate, { report, files }: ExaminedProject): boolean {
  if (scope !== "project") return true;
  // The directory of a skill is already the one in the report.
  const reported = skill === undefined ? join(report.dir, "tools", basename(path)) : path;
  return report.status === "trusted" && files.get(reported) === stamp;
}

/** The tools of a project's skills while it is not trusted: its skills are not read then, so nothing else finds these files. */
export function untrustedScripts(report: TrustReport): FailedTool[] {
  if (report.status === "trusted") return [];
  return projectSkillScripts(report)
    .filter(({ change }) => change !== "removed")
    .map(({ path }) => {
      const file = basename(path);
      const name = validName(file) ?? escapedName(file);
      return { name, path: join(report.dir, path), scope: "project", ...whyUntrusted(report) };
    });
}

/** The tools of a file that must not run: those that its comments describe, or one of which only the name is known. */
export function untrustedTools(candidate: Candidate, report: TrustReport): FailedTool[] {
  const { name, path, scope } = candidate;
  const plain = plainTools(candidate);
  const failure = { name, path, scope, ...whyUntrusted(report) };
  if (plain === undefined || "reason" in plain) return [failure];
  return plain.map(({ schema }) => ({ ...failure, name: schema.name, schema }));
}

/** The reason that is reported for a tool of an untrusted project. */
function whyUntrusted({ status, files, problem }: TrustReport): Pick<FailedTool, "reason" | "detail"> {
  if (problem !== undefined) return { reason: "untrusted", detail: `it cannot be trusted: ${problem}` };
  if (status !== "changed") return { reason: "untrusted", detail: "to use it, review it and run: ikigai trust" };
  const changed = files.filter(({ change }) => change).map(({ path, change }) => `${path} (${change})`);
  const more = changed.length > maxNamed ? ` and ${changed.length - maxNamed} more` : "";
  const named = changed.slice(0, maxNamed).join(", ");
  return {
    reason: "untrusted",
    detail: `changed since you trusted it: ${named}${more}; review it and run: ikigai trust`,
  };
}

/** A tool known from its file alone. */
interface KnownTool {
  readonly name: string;
  readonly scope: ToolDirectory["scope"];
  /** The description from its cached schema; missing if the file has changed since, or was never asked. */
  readonly description?: string;
  /** The schema of its parameters; missing as the description is. */
  readonly parameters?: JsonObject;
}

/**
 * Lists the tools by their file names, sorted, without running any. Tools of an untrusted project are left out.
 */
export async function knownTools(
  options: TrustPlace & { readonly directories: readonly ToolDirectory[] },
): Promise<KnownTool[]> {
  const project = await examineProject(options);
  const cache = loadSchemaCache(options.home);
  const tools = new Map<string, KnownTool>();
  // The nearest comes last and wins.
  for (const candidate of listCandidates(options.directories).candidates) {
    if (!isTrusted(candidate, project)) continue;
    const { name, scope, path, identity } = candidate;
    const read = recall(cache, path, identity) ?? plainTools(candidate);
    const known = read === undefined || "reason" in read ? undefined : read;
    if (known === undefined) tools.set(name, { name, scope });
    for (const { schema } of known ?? [])
      tools.set(schema.name, {
        name: schema.name,
        scope,
        description: schema.description,
        parameters: schema.parameters,
      });
  }
  return [...tools.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** What a project would override. */
interface Override {
  /** For instance `the system tool bash` or `your skill pdf`. */
  readonly what: string;
  readonly path: string;
}

/**
 * Lists the tools and skills that a project overrides, or would if it were trusted. Looks only at the names of the project's files; runs
 * nothing.
 */
export async function projectOverrides(
  { files, ...report }: TrustReport,
  { directories, ...places }: SkillPlaces & { readonly directories: readonly ToolDirectory[] },
): Promise<readonly Override[]> {
  const { candidates } = listCandidates(directories);
  const tools = candidates
    .flatMap((tool, index) => {
      const isFarther = ({ name, scope }: Candidate) => name === tool.name && scope !== "project";
      return tool.scope === "project" ? candidates.slice(0, index).filter(isFarther).reverse() : [];
    })
    .sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0));
  const there = files.filter(({ change }) => change !== "removed");
  const names = new Set(projectSkillFiles({ ...report, files: there }).map(({ path }) => basename(dirname(path))));
  const { skills } = await userSkills(places);
  return [
    ...tools.map(({ name, path, scope }) => ({ what: `the ${scope} tool ${name}`, path })),
    ...skills.filter(({ name }) => names.has(name)).map(({ name, path }) => ({ what: `your skill ${name}`, path })),
  ];
}

/** The line for a skipped tool, with the reason: for debugging, unless it has a launcher and is therefore missing. May quote the tool. */
export function renderFailure({ name, reason, detail, isLaunched }: FailedTool): string {
  if (isLaunched) return `Tool '${name}' is unavailable: its launcher failed (${reason}): ${detail}`;
  return `Debug: tool '${name}' schema failed (${reason}): ${detail}`;
}
