import { basename, dirname } from "node:path";
import type { ToolDirectory, TrustReport } from "@ikigai/core";
import { projectOverrides, projectSkillFiles, userSkills } from "@ikigai/core/internal";
import { customCommands } from "../project/custom-commands.ts";

/** What a project would override. */
export interface Override {
  /** For instance `the system tool bash` or `your skill pdf`. */
  readonly what: string;
  readonly path: string;
}

/** Where the user's tools, skills, agents and commands are. */
export interface OverridePlaces {
  readonly home: string;
  readonly userHome: string;
  readonly directories: readonly ToolDirectory[];
}

/**
 * Lists what a project overrides, or would if it were trusted: tools, skills, agents and commands of the user or the system. Looks only
 * at the names of the project's files; reads and runs none of them.
 */
export async function overridesOf(
  report: TrustReport,
  { directories, ...places }: OverridePlaces,
): Promise<Override[]> {
  const tools = projectOverrides(directories).flatMap(({ name, shadows }) =>
    shadows.map(({ path, scope }) => ({ what: `the ${scope} tool ${name}`, path })),
  );
  const there = report.files.filter(({ change }) => change !== "removed");
  const isThere = (path: string) => there.some((file) => file.path === path);
  const skillNames = new Set(projectSkillFiles({ ...report, files: there }).map(({ path }) => basename(dirname(path))));
  // Loaded only for the question of trust.
  const { findUserAgents } = await import("../subagents/agent-files.ts");
  const [{ skills }, { agents }] = await Promise.all([userSkills(places), findUserAgents(places.home)]);
  const commands = customCommands(places.home, { status: "nothing", dir: "", files: [] });
  return [
    ...tools,
    ...skills
      .filter(({ name }) => skillNames.has(name))
      .map(({ name, path }) => ({ what: `your skill ${name}`, path })),
    ...agents
      .filter(({ name }) => isThere(`agents/${name}.md`))
      .map(({ name, path }) => ({ what: `your agent ${name}`, path })),
    ...commands
      .filter(({ name }) => isThere(`commands/${name.replaceAll(":", "/")}.md`))
      .map(({ name, path }) => ({ what: `your command /${name}`, path })),
  ];
}
