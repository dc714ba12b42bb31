import { readdirSync } from "node:fs";
import { join } from "node:path";
import { findInstructions, type Places, unusableCommands } from "@ikigai/agent/internal";
import type { Registry } from "@ikigai/core";
import { shellWord } from "@ikigai/system";
import { skillProblems } from "../../render/report-skipped.ts";
import { sanitiseLine } from "../../render/sanitise.ts";
import { shortPath } from "../../render/short-path.ts";
import { fine, note, type Section } from "./section.ts";

/** The agents with instructions of their own, and what is wrong with their files and others. */
export interface CheckedAgents {
  readonly agents: readonly { readonly name: string; readonly path: string }[];
  readonly problems: readonly string[];
  readonly remarks: readonly string[];
}

/** The skills, the agents with instructions of their own, and instructions that are not used; without any, no section. */
export function checkInstructions(
  registry: Registry,
  { agents, problems, remarks }: CheckedAgents,
  places: Places,
): Section[] {
  const { skills } = registry;
  const { refused } = findInstructions(places.projectDir, places.home);
  const lines = [
    ...skills.map(({ name, path }) => fine(`skill ${sanitiseLine(name)} ${shortPath(path, places)}`)),
    ...skillProblems(registry).map(note),
    ...skills.flatMap(({ name, introduces }) => {
      const unknown = introduces.filter((one) => !registry.tools.some((tool) => tool.name === one));
      if (unknown.length === 0) return [];
      return note(sanitiseLine(`The skill ${name} names tools that do not exist: ${unknown.join(", ")}`));
    }),
    ...agents.map(({ name, path }) => fine(`agent ${sanitiseLine(name)} ${shortPath(path, places)}`)),
    ...[...refused, ...problems, ...remarks, ...unusableCommands(places.home), ...unusedFiles(places)].map((problem) =>
      note(sanitiseLine(problem)),
    ),
  ];
  return lines.length === 0 ? [] : [{ title: `Skills: ${skills.length}. Agents: ${agents.length}`, lines }];
}

/** What switchers expect to work: instructions for Claude Code where ikigai has none of that kind. */
function unusedFiles(places: Places): string[] {
  const pairs = [
    [join(places.userHome, ".claude"), places.home],
    [join(places.projectDir, ".claude"), join(places.projectDir, ".ikigai")],
  ] as const;
  return pairs.flatMap(([theirs, ours]) =>
    ["agents", "commands"].flatMap((kind) => {
      const [from, to] = [join(theirs, kind), join(ours, kind)];
      if (entriesIn(from) === 0 || entriesIn(to) > 0) return [];
      const [source, target] = [from, to].map((path) => shellWord(path));
      return [`${shortPath(from, places)} is not read. To use it: mkdir -p ${target} && cp -R ${source}/. ${target}/`];
    }),
  );
}

function entriesIn(directory: string): number {
  try {
    return readdirSync(directory).length;
  } catch {
    return 0;
  }
}
