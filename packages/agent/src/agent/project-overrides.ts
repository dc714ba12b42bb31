// What a project replaces of the user's and the system's: tools and skills, which core finds, then agents and slash commands. For
// the question of trust, so no file of the project is opened or run.

import type { ToolDirectory, TrustReport } from "@ikigai/core";
import { projectOverrides } from "@ikigai/core/trust";
import { customCommands } from "../project/custom-commands.ts";
import { namedAgents } from "../subagents/agents.ts";

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
  const isThere = (path: string) => report.files.some((file) => file.change !== "removed" && file.path === path);
  const [own, { agents }] = await Promise.all([
    projectOverrides(report, { directories, ...places }),
    namedAgents({ home: places.home }),
  ]);
  const commands = customCommands(places.home);
  return [
    ...own,
    ...agents
      .filter(({ name }) => isThere(`agents/${name}.md`))
      .map(({ name, path }) => ({ what: `your agent ${name}`, path })),
    ...commands
      .filter(({ name }) => isThere(`commands/${name.replaceAll(":", "/")}.md`))
      .map(({ name, path }) => ({ what: `your command /${name}`, path })),
  ];
}
