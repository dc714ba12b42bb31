// Slash commands that are Markdown files of the user or of a trusted project: which there are, why one cannot be used, and how one
// is read.

import { createHash } from "node:crypto";
import { existsSync, readdirSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import type { TrustReport } from "@ikigai/core";
import { addedPackages } from "@ikigai/core/internal";
import { readProblem, writerProblem } from "@ikigai/system";
import { readTextFile } from "../config/read-config.ts";

/** A slash command from a Markdown file, whose text is sent to the model. */
export interface CustomCommand {
  /** Without the slash; `folder:name` in a folder. */
  readonly name: string;
  readonly scope: "user" | "project";
  readonly path: string;
  /** The added package that has brought it: its name and version. */
  readonly package?: string;
  /** From `description:` at the top of the file, else its first line. */
  readonly description: string;
  /** The expected arguments, for people: `argument-hint:`. */
  readonly parameters?: string;
  readonly text: string;
}

/** Longer files are ignored, in bytes. */
const maxBytes = 262_144;

const namePattern = /^[A-Za-z0-9][\w-]*$/;

/**
 * Returns the commands in added packages, in the user's `commands/` and, if the project is trusted, those in its own as they were when it
 * was trusted. Of the same name, a project's command takes precedence over the user's, and that over a package's. Sorted by name.
 */
export function customCommands(home: string, project?: TrustReport): CustomCommand[] {
  const commands = new Map<string, CustomCommand>();
  const take = (command: CustomCommand | undefined) => command && commands.set(command.name, command);
  const unchanged = addedPackages(home).filter(({ problem }) => problem === undefined);
  const folders = unchanged.map(({ folder, name, version }) => ({ folder, package: `${name} ${version}`.trim() }));
  for (const { folder, ...origin } of [...folders, { folder: home }]) {
    const directory = join(folder, "commands");
    for (const path of markdownIn(directory, home).names) {
      const command = readCommand(directory, path, "user");
      take(command && { ...command, ...origin });
    }
  }
  if (project?.status === "trusted") {
    for (const { path, sha256 } of project.files) {
      const inCommands = /^commands\/(.+\.md)$/.exec(path)?.[1];
      if (inCommands) take(readCommand(join(project.dir, "commands"), inCommands, "project", sha256));
    }
  }
  return [...commands.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
}

/**
 * Says which of the user's files that are meant as commands cannot be used, and why, in sentences.
 *
 * @param name only the file for this command, if it cannot be read or others could have written it.
 */
export function commandProblems(home: string, name?: string): string[] {
  if (name !== undefined)
    return [...[unsafeCommand(home, name)].flatMap((problem) => problem ?? []), ...changedCommands(home, name)];
  const { names, problem } = markdownIn(join(home, "commands"), home);
  return [
    ...(problem === undefined ? [] : [problem]),
    ...names.flatMap((path) => problemOf(home, path) ?? []),
    ...changedCommands(home),
  ];
}

/** Says which commands of added packages are not used because their package has changed. */
function changedCommands(home: string, wanted?: string): string[] {
  return addedPackages(home).flatMap(({ folder, problem }) => {
    const directory = join(folder, "commands");
    const names = problem === undefined ? [] : markdownIn(directory, home).names;
    const meant = names.filter((path) => (wanted ?? commandName(path)) === commandName(path));
    return meant.map((path) => `The command ${join(directory, path)} is not used: ${problem}`);
  });
}

/** Says why the user's file for a command is not used, in sentences: it cannot be read, or others could have written it. */
function unsafeCommand(home: string, name: string): string | undefined {
  const directory = join(home, "commands");
  const steps = name.split(":");
  if (!steps.every((step) => namePattern.test(step))) return undefined;
  const path = `${steps.join("/")}.md`;
  const problem = whyUnreadable(join(directory, path), home) ?? writerOf(directory, path);
  return problem === undefined ? undefined : `The command /${name} is not used: ${problem}`;
}

function commandName(path: string): string {
  return path.slice(0, -".md".length).replaceAll("/", ":");
}

function problemOf(home: string, path: string): string | undefined {
  const directory = join(home, "commands");
  const steps = path.slice(0, -".md".length).split("/");
  const place = join(directory, path);
  if (!steps.every((step) => namePattern.test(step)))
    return `${place} is no command: a name has letters, digits, - and _.`;
  const isUsed = readCommand(directory, path, "user") !== undefined;
  return isUsed
    ? undefined
    : (unsafeCommand(home, steps.join(":")) ?? `${place} is no command: it is empty or too long.`);
}

/** Says who else could have written a user's command, if there is one: the model follows it. */
function writerOf(directory: string, path: string): string | undefined {
  const place = join(directory, path);
  if (!existsSync(place)) return undefined;
  const places = [place];
  for (let above = dirname(place); above !== dirname(directory); above = dirname(above)) places.push(above);
  return writerProblem(places);
}

/** The paths of the files in a directory of commands, and why they cannot be listed, in sentences. */
function markdownIn(directory: string, home: string): { readonly names: readonly string[]; readonly problem?: string } {
  try {
    const entries = readdirSync(directory, { recursive: true, encoding: "utf8" });
    return { names: entries.filter((path) => path.endsWith(".md")) };
  } catch (error) {
    // Perhaps a directory in it.
    const { code, path = directory } = error as NodeJS.ErrnoException;
    return { names: [], ...(code !== "ENOENT" && { problem: `${path} ${readProblem(error as Error, path, home)}` }) };
  }
}

function whyUnreadable(path: string, home: string): string | undefined {
  try {
    readTextFile(path, 0);
    return undefined;
  } catch (error) {
    return `${path} ${readProblem(error as NodeJS.ErrnoException, path, home)}`;
  }
}

function readCommand(
  directory: string,
  path: string,
  scope: CustomCommand["scope"],
  sha256?: string,
): CustomCommand | undefined {
  const steps = path.slice(0, -".md".length).split("/");
  if (!steps.every((step) => namePattern.test(step))) return undefined;
  // A project's file has the content that the user has approved.
  if (scope === "user" && writerOf(directory, path) !== undefined) return undefined;
  const whole = read(join(directory, path));
  if (whole === undefined || whole.trim() === "") return undefined;
  if (sha256 !== undefined && createHash("sha256").update(whole).digest("hex") !== sha256) return undefined;
  const { settings, text } = withoutSettings(whole);
  const parameters = settings.get("argument-hint");
  return {
    name: steps.join(":"),
    scope,
    path: join(directory, path),
    description:
      settings.get("description") ??
      text
        .trim()
        .split("\n")[0]
        ?.replace(/^#+\s*/, "") ??
      basename(path),
    ...(parameters !== undefined && { parameters }),
    text: text.trim(),
  };
}

function read(path: string): string | undefined {
  try {
    const file = readTextFile(path, maxBytes);
    return file && !file.cut ? file.text : undefined;
  } catch {
    return undefined;
  }
}

/** Removes the lines between two `---` at the top of a file. */
function withoutSettings(whole: string): { settings: Map<string, string>; text: string } {
  const [all, block = ""] = /^---\r?\n([\s\S]*?)\r?\n---(?:\r?\n|$)/.exec(whole) ?? [];
  const lines = block.split(/\r?\n/).flatMap((line): [string, string][] => {
    const [, key, value = ""] = /^([\w-]+):\s*(.*?)\s*$/.exec(line) ?? [];
    return key === undefined ? [] : [[key, value.replace(/^(["'])(.*)\1$/, "$2")]];
  });
  return { settings: new Map(lines), text: whole.slice(all?.length ?? 0) };
}
