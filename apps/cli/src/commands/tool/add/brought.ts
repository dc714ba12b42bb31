// What a package brings besides tools: hooks, skills, commands and agents. Its folder has the forms of the user's directory, so it is read
// as that is. Nothing in it is run.

import { join } from "node:path";
import { customCommands, namedAgents, type Places } from "@ikigai/agent/internal";
import { hookEventNames, hookEvents, listHooks } from "@ikigai/core/hooks";
import { addedPackages, userSkills } from "@ikigai/core/internal";
import { sanitiseLine } from "@ikigai/screen";
import { isInside } from "@ikigai/system";
import { shortPath } from "../../../render/short-forms.ts";

/** Something that a package brings. Its texts are the author's: sanitise them. */
interface Brought {
  readonly kind: "hook" | "skill" | "command" | "agent";
  /** For people: `before-call/bash/check`, `pdf`, `/review`, `critic`. */
  readonly name: string;
  readonly path: string;
  /** What it does, or what is wrong with it. */
  readonly text: string;
}

/** Lists what is in a folder with `hooks/`, `skills/`, `commands/` and `agents/`. */
export async function broughtBy(folder: string): Promise<readonly Brought[]> {
  const hooks = hookEventNames.flatMap((event) => listHooks({ path: join(folder, "hooks"), scope: "user" }, event));
  const [skills, agents] = await Promise.all([userSkills({ home: folder }), namedAgents({ home: folder })]);
  return [
    ...hooks.map(({ name, path, event, problem }) => {
      const text = problem === undefined ? `runs to ${hookEvents[event].about}` : `cannot run: ${problem}`;
      return { kind: "hook", name, path, text } as const;
    }),
    ...skills.skills.map(({ name, path, description }) => ({ kind: "skill", name, path, text: description }) as const),
    ...skills.failed.map(({ name, path, reason }) => {
      return { kind: "skill", name, path, text: `cannot be used: ${reason}` } as const;
    }),
    ...customCommands(folder).map(({ name, path, description }) => {
      return { kind: "command", name: `/${name}`, path, text: description } as const;
    }),
    ...agents.agents.map(({ name, path, description }) => ({ kind: "agent", name, path, text: description }) as const),
  ];
}

/** Names what a package brings on one line; empty if it brings nothing. */
export function namesOfBrought(brought: readonly Brought[]): string {
  return sanitiseLine(brought.map(({ kind, name }) => `${kind} ${name}`).join(", "));
}

/** Returns what the user has of the same kind and name that is used instead, by path. */
export async function usedInstead(
  brought: readonly Brought[],
  { home, userHome }: Pick<Places, "home" | "userHome">,
): Promise<ReadonlyMap<string, string>> {
  const [{ skills }, { agents }] = await Promise.all([userSkills({ home, userHome }), namedAgents({ home })]);
  const own = new Map<string, string>(
    [
      ...skills.map(({ name, path }) => [`skill ${name}`, path] as const),
      ...customCommands(home).map(({ name, path }) => [`command /${name}`, path] as const),
      ...agents.map(({ name, path }) => [`agent ${name}`, path] as const),
    ].filter(([, path]) => !isInside(path, join(home, "packages"))),
  );
  return new Map(
    brought.flatMap(({ kind, name, path }) => {
      const users = own.get(`${kind} ${name}`);
      return users === undefined ? [] : [[path, users] as const];
    }),
  );
}

/** The added packages that bring more than tools, and what, one per line. */
export async function renderBrought({ home }: Places): Promise<string[]> {
  return Promise.all(
    addedPackages(home).map(async ({ name, version, source, folder, problem }) => {
      const state = problem === undefined ? "" : " (not used: the package has changed)";
      return `${sanitiseLine(`${name} ${version}`.trim())} from ${sanitiseLine(source)}: ${namesOfBrought(await broughtBy(folder))}${state}`;
    }),
  );
}

/** The rows of a package that is to be added. */
export function renderOfferedParts(
  brought: readonly Brought[],
  instead: ReadonlyMap<string, string>,
  places: Places,
): string[] {
  const width = Math.max(...brought.map(({ name }) => name.length));
  return brought.flatMap(({ kind, name, path, text }) => {
    const users = instead.get(path);
    return [
      sanitiseLine(`  ${kind.padEnd(8)}${name.padEnd(width)}  ${text}`),
      ...(users === undefined ? [] : [`          Not used: your ${shortPath(users, places)} overrides it.`]),
    ];
  });
}
