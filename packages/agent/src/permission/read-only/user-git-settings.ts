import { existsSync } from "node:fs";
import { basename, dirname, isAbsolute, join, resolve } from "node:path";
import { isInside, userHome } from "@ikigai/system";
import { realTarget } from "../real-target.ts";
import { maxConfigBytes, readBytes } from "./small-files.ts";
import type { ReadingPlace } from "./stays-inside.ts";

/** Maximum number of files of the user's git configuration. */
const maxConfigFiles = 100;

/** Settings of the user with which git starts itself inside other repositories, whose configuration others write. */
const enteringSettings = [
  ["submodule", /^(?!short$)/],
  ["recurse", /^(?!false$|no$|off$|0$)/],
  ["submoduleSummary", /^(?!false$|no$|off$|0$)/],
] as const;

/** The user's settings that name a command which git runs to compare or check files. */
const commandSettings = ["fsmonitor", "textconv", "clean", "smudge", "process", "command", "external", "program"];

/** The user's settings that name a file: one of the project may be a symlink. Git repeats the beginning of some in errors. */
const fileSettings = ["ignoreRevsFile", "excludesFile", "attributesFile", "orderFile", "file"];

/** Variables that neither name a program for these commands nor another repository. Those of the configuration are followed. */
const harmlessVariable =
  /^GIT_(?:(?:AUTHOR|COMMITTER)_.*|(?:SEQUENCE_)?EDITOR|PAGER(?:_IN_USE)?|ASKPASS|TERMINAL_PROMPT|SSH(?:_COMMAND|_VARIANT)?|(?:SSL|HTTP|PS1)_.*|CONFIG_(?:GLOBAL|SYSTEM|NOSYSTEM)|OPTIONAL_LOCKS|LFS_SKIP_SMUDGE|MERGE_AUTOEDIT|CEILING_DIRECTORIES|DISCOVERY_ACROSS_FILESYSTEM|ALLOW_PROTOCOL|NO_LAZY_FETCH)$/;

/**
 * Returns why the user's environment, the user's or the machine's configuration may make git run a program of the project, or use
 * another repository.
 */
export function userSettingProblem(top: string, place: Pick<ReadingPlace, "project" | "programs">): string | undefined {
  const variable = Object.keys(process.env).find((name) => name.startsWith("GIT_") && !harmlessVariable.test(name));
  if (variable !== undefined) return `your environment has ${variable}, which may change what git reads and runs`;
  const home = userHome();
  if (home === undefined) return "your home directory is unknown";
  const files = new Set(configurationFiles(home));
  // Iteration includes what is added meanwhile.
  for (const path of files) {
    if (!existsSync(path)) continue;
    const real = realTarget(path, top);
    if (real === undefined || isInside(real, place.project)) return "your git configuration has a file in the project";
    const text = readBytes(path, maxConfigBytes)?.toString("utf8");
    if (text === undefined || files.size > maxConfigFiles) return "your git configuration cannot be read";
    const problem = settingProblem(text, { ...place, top, home });
    if (problem !== undefined) return problem;
    for (const [section] of text.matchAll(includingSection)) {
      for (const value of valuesOf("path", section, home)) files.add(resolve(dirname(path), value));
    }
  }
  return undefined;
}

function configurationFiles(home: string): string[] {
  const { GIT_CONFIG_GLOBAL, GIT_CONFIG_SYSTEM, XDG_CONFIG_HOME } = process.env;
  const xdg = XDG_CONFIG_HOME || join(home, ".config");
  const own = GIT_CONFIG_GLOBAL ? [GIT_CONFIG_GLOBAL] : [join(home, ".gitconfig"), join(xdg, "git", "config")];
  return [GIT_CONFIG_SYSTEM || "/etc/gitconfig", ...own];
}

interface GitPlace extends Pick<ReadingPlace, "project" | "programs"> {
  /** The root of the working tree, where git runs these commands. */
  readonly top: string;
  readonly home: string;
}

/** What one file of the configuration may make git do. */
function settingProblem(text: string, place: GitPlace): string | undefined {
  const { home } = place;
  for (const hooks of valuesOf("hookspath", text, home)) {
    if (isOfProject(hooks, place)) return "your core.hooksPath leads into the project";
  }
  for (const name of fileSettings) {
    const elsewhere = valuesOf(name, text, home).find((value) => !isAbsolute(value) && !isOfProject(value, place));
    if (elsewhere !== undefined) return `your git configuration has ${name}, which leads out of the project`;
  }
  for (const [name, enters] of enteringSettings) {
    if (valuesOf(name, text, home).some((value) => enters.test(value.toLowerCase())))
      return `your git configuration has ${name}, with which git enters other repositories`;
  }
  for (const name of commandSettings) {
    // A program for signatures is started without a shell, with arguments of git: it may be any of the user's.
    const mayBeAny = name === "program";
    const isProjects = commandsOf(name, text).some((command) => mayRunOfProject(command, place, mayBeAny));
    if (isProjects) return `your git configuration has ${name}, which may be a program of the project`;
  }
  return undefined;
}

const isSwitch = /^(?:true|false|yes|no|on|off|[01])?$/i;

/** Programs that read what git gives them, and nothing that the project names. Interpreters are not among them. */
const knownPrograms = new Set(
  "git-lfs gpg gpg2 gpgsm ssh-keygen difft delta cat hexdump xxd od strings pdftotext".split(" "),
);

/**
 * Whether a command may run a file of the project. Git runs it in the project, where an interpreter finds modules, and a program that
 * is looked for may be found in one of the project's directories.
 */
function mayRunOfProject(command: string, place: GitPlace, mayBeAny: boolean): boolean {
  const unquoted = command.trim().replace(/^"(.*)"$/, "$1");
  if (isSwitch.test(unquoted)) return false;
  if (place.programs.some((directory) => existsSync(resolve(place.top, directory)))) return true;
  const [program = "", ...words] = unquoted.split(" ").filter((word) => word !== "");
  const path = program.replace(/^~(?=\/)/, place.home);
  const isKnown = (mayBeAny || knownPrograms.has(basename(path))) && (path === basename(path) || isAbsolute(path));
  if (!isKnown || (isAbsolute(path) && isOfProject(path, place))) return true;
  return words.some((word) => !/^(?:-{0,2}[a-z][a-z-]*|--|%f)$/.test(word) || existsSync(join(place.top, word)));
}

/** Whether a path leads into the project, or its target is unknown. */
function isOfProject(path: string, { top, project }: GitPlace): boolean {
  const real = realTarget(path, top);
  return real === undefined || isInside(real, project);
}

/** A section that includes other files, under any condition, up to the next section. */
const includingSection = /^[ \t]*\[include(?:if[ \t][^\n]*?)?\].*(?:\n(?![ \t]*\[).*)*/gim;

const space = "[ \\t\\v\\f\\ufeff]*";

/** Returns the values of a setting in any section; a name alone on its line means `true`. */
function valuesOf(name: string, text: string, home: string): string[] {
  const lines = new RegExp(`^(?:.*\\])?${space}${name}${space}(?:=[ \\t]*"?([^"\\r\\n]*)|[#;\\r]|$)`, "gim");
  return [...text.matchAll(lines)].map(([, value = "true"]) => value.trim().replace(/^~(?=\/|$)/, home));
}

/** Returns the values of a setting with their quotes, and with the lines that continue them. */
function commandsOf(name: string, text: string): string[] {
  const lines = new RegExp(`^(?:.*\\])?${space}${name}${space}=(.*)`, "gim");
  return [...text.replaceAll(/\\\r?\n/g, "").matchAll(lines)].map(([, value = ""]) => value);
}
