import type { Places } from "@ikigai/agent/internal";
import type { Registry } from "@ikigai/core";
import { skillProblems } from "../../render/report-skipped.ts";
import { sanitiseLine } from "../../render/sanitise.ts";
import { shortPath } from "../../render/short-path.ts";
import { fine, note, type Section } from "./section.ts";

/** The agents with instructions of their own, and what is wrong with other files. */
export interface CheckedAgents {
  readonly agents: readonly { readonly name: string; readonly path: string }[];
  readonly problems: readonly string[];
}

/** The skills and the agents with instructions of their own; without any, no section. */
export function checkInstructions(registry: Registry, { agents, problems }: CheckedAgents, places: Places): Section[] {
  const { skills } = registry;
  const lines = [
    ...skills.map(({ name, path }) => fine(`skill ${sanitiseLine(name)} ${shortPath(path, places)}`)),
    ...skillProblems(registry).map(note),
    ...agents.map(({ name, path }) => fine(`agent ${sanitiseLine(name)} ${shortPath(path, places)}`)),
    ...problems.map((problem) => note(sanitiseLine(problem))),
  ];
  return lines.length === 0 ? [] : [{ title: `Skills: ${skills.length}. Agents: ${agents.length}`, lines }];
}
