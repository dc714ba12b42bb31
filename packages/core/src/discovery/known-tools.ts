// What is known about tools without running any: whether the user has trusted them, their names, and which ones a project overrides.
import { basename, join } from "node:path";
import type { JsonObject } from "@ikigai/protocol";
import type { FailedTool, ShadowedTool } from "../registry/registry.ts";
import { projectSkillScripts } from "../skills/skill-directories.ts";
import type { TrustPlace, TrustReport } from "../trust/project-files.ts";
import { type ExaminedProject, examineProject } from "../trust/trust.ts";
import { type Candidate, escapedName, listCandidates, type ToolDirectory, toolNameOf } from "./candidates.ts";
import { loadSchemaCache, plainTools, recall } from "./schemas.ts";

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
      const name = toolNameOf(file) ?? escapedName(file);
      return { name, path: join(report.dir, path), scope: "project", ...whyUntrusted(report) };
    });
}

/** The reason that is reported for a tool of an untrusted project. */
export function whyUntrusted({ status, files, problem }: TrustReport): Pick<FailedTool, "reason" | "detail"> {
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
export interface KnownTool {
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

/** A project's tool and the tools of the same name that it would override. */
export interface ProjectOverride {
  readonly name: string;
  readonly path: string;
  /** Nearest first, never empty. */
  readonly shadows: readonly ShadowedTool[];
}

/**
 * Lists the tools a project would override if it were trusted, for the trust prompt. Looks at file names only; runs nothing.
 */
export function projectOverrides(directories: readonly ToolDirectory[]): readonly ProjectOverride[] {
  const { candidates } = listCandidates(directories);
  return candidates
    .flatMap(({ name, path, scope }, index) => {
      const farther = candidates.slice(0, index).filter((other) => other.name === name && other.scope !== "project");
      const shadows = farther.map((other): ShadowedTool => ({ path: other.path, scope: other.scope })).reverse();
      return scope === "project" && shadows.length > 0 ? [{ name, path, shadows }] : [];
    })
    .sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** The line for a skipped tool, with the reason: for debugging, unless it has a launcher and is therefore missing. May quote the tool. */
export function renderFailure({ name, reason, detail, isLaunched }: FailedTool): string {
  if (isLaunched) return `Tool '${name}' is unavailable: its launcher failed (${reason}): ${detail}`;
  return `Debug: tool '${name}' schema failed (${reason}): ${detail}`;
}
