// What a package brings besides tools: hooks, skills, commands and agents. Its folder has the forms of the user's directory, so it is read
// as that is. Nothing in it is run.

import { join } from "node:path";
import { customCommands, namedAgents, type Places } from "@ikigai/agent/internal";
import type { TrustReport } from "@ikigai/core";
import { hookEventNames, hookEvents, listHooks } from "@ikigai/core/hooks";
import { addedPackages, userSkills } from "@ikigai/core/internal";
import { sanitiseLine } from "@ikigai/screen";
import { isInside } from "@ikigai/system";
import { Refusal, ToolRoot } from "@ikigai/tool-packages";
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

/** An added package that brings more than tools. */
export interface BringingPackage {
  readonly name: string;
  readonly version: string;
  readonly source: string;
  readonly scope: "user" | "project";
  readonly isChanged: boolean;
  readonly brought: readonly Brought[];
}

/** Finds the added packages that bring more than tools; those of the project if it is trusted. */
export async function bringingPackages(
  places: Places,
  trust: TrustReport["status"],
): Promise<readonly BringingPackage[]> {
  const users = addedPackages(places.home).map(({ problem, ...one }) => {
    return { ...one, scope: "user" as const, isChanged: problem !== undefined };
  });
  const all = [...users, ...(trust === "trusted" ? projectPackages(places) : [])];
  return Promise.all(all.map(async ({ folder, ...one }) => ({ ...one, brought: await broughtBy(folder) })));
}

function projectPackages(places: Places) {
  try {
    const root = ToolRoot.of(places, { isProject: true });
    return [...root.record()].flatMap(([name, entry]) => {
      const { version, source } = entry;
      const folder = root.contentsOf(entry);
      const isChanged = root.stateOf(entry) !== "same";
      return folder === undefined ? [] : [{ name, version, source, folder, scope: "project" as const, isChanged }];
    });
  } catch (error) {
    // The list of tools reports it.
    if (error instanceof Refusal) return [];
    throw error;
  }
}

/** The packages and what they bring, one per line. */
export function renderBrought(packages: readonly BringingPackage[]): string[] {
  return packages.map(({ name, version, source, scope, isChanged, brought }) => {
    // A project's are used by their trust.
    const state = isChanged && scope === "user" ? " (not used: the package has changed)" : "";
    return `${sanitiseLine(`${name} ${version}`.trim())} from ${sanitiseLine(source)}: ${namesOfBrought(brought)}${state}`;
  });
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
