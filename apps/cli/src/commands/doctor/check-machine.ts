// What `ikigai doctor` checks of the machine: versions, directories, the sandbox, leftovers, disks and data. In between: what a line of a
// section is.

import { existsSync, rmSync, statfsSync, statSync, writeFileSync } from "node:fs";
import { release, tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import type { Places, ToolRules } from "@ikigai/agent/internal";
import type { RegisteredTool, Registry, SandboxSettings } from "@ikigai/core";
import { type findLeftovers, sandboxProblem, startsAgents, unusedData } from "@ikigai/core/internal";
import { loadTrustStore } from "@ikigai/core/trust";
import { protocolVersion } from "@ikigai/protocol";
import { networkProblem } from "@ikigai/sandbox";
import { sanitiseLine } from "@ikigai/screen";
import { hereDirectory, isLinux, shellWord, statsOf, systemReason, temporaryName } from "@ikigai/system";
import { Refusal, ToolRoot } from "@ikigai/tool-packages";
import { version } from "../../host/places/own-paths.ts";
import { fileSize, shortPath } from "../../render/short-forms.ts";

export function checkVersions(): Section {
  const { platform, arch, versions } = process;
  const lines = [
    fine(`ikigai ${version}, tool protocol ${protocolVersion}`),
    fine(`Node ${versions.node}, ${platform} ${release()}, ${arch}`),
  ];
  return { title: "Versions", lines };
}

export function checkDirectories(places: Places, problems: readonly string[]): Section {
  const { home, projectDir } = places;
  const here = join(hereDirectory(places), "tools");
  // Most directories have no tools of their own.
  const directories = places.directories.filter(({ path }) => path !== here || existsSync(path));
  const own = [home, join(home, "sessions"), loadTrustStore(home).path];
  return {
    title: "Directories",
    lines: [
      fine(`project: ${sanitiseLine(projectDir)} (${modeOf(projectDir)})`),
      ...own.map((path) => fine(`${shortPath(path, places)} (${modeOf(path)})`)),
      ...directories.map(({ path, scope }) => fine(`${scope} tools: ${shortPath(path, places)} (${modeOf(path)})`)),
      ...checkTrustStore(home),
      ...problems.map((problem) => note(sanitiseLine(problem))),
    ],
  };
}

/** Without it, no project's tools and hooks are used. */
function checkTrustStore(home: string): Line[] {
  // Reported with the configuration.
  const { path, problem } = loadTrustStore(home);
  if (modeOf(path) === "EACCES") return [];
  return problem === undefined ? [] : [broken(`No project is trusted. ${sanitiseLine(problem)}`)];
}

export function modeOf(path: string): string {
  try {
    const found = statSync(path, { throwIfNoEntry: false });
    return found === undefined ? "does not exist" : `mode ${(found.mode & 0o7777).toString(8)}`;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code ?? "unreadable";
  }
}

/** Starts a sandbox as a test. A missing sandbox is a problem only if the user has enabled it. */
export async function checkSandbox(
  rules: ToolRules,
  registry: Registry,
  places: Places,
  env: NodeJS.ProcessEnv,
): Promise<Section> {
  const settings = rules.sandbox ?? rules.configured;
  const problem = await sandboxProblem(settings, places.projectDir, env);
  // ikigai's tool that starts agents runs outside; the agents' tools run in it.
  const isOutside = (tool: RegisteredTool) => tool.launcher || (tool.scope === "system" && startsAgents(tool));
  const local = registry.tools.filter((tool) => !isOutside(tool)).map(({ name }) => name);
  const inside = local.filter((name) => rules.settingsFor(name).sandbox);
  const online = inside.filter((name) => rules.settingsFor(name).sandbox?.network);
  const isWanted = rules.sandbox !== undefined || inside.length > 0;
  const state = problem === undefined ? fine("available") : unavailable(sanitiseLine(problem), isWanted);
  const who =
    inside.length === 0
      ? "all in mode auto, in others commands that only read (for all: use --sandbox, or set sandbox.enabled)"
      : inside.join(", ");
  return {
    title: "Sandbox",
    lines: [
      state,
      ...(problem === undefined ? [await networkState(env)] : []),
      fine(`sandboxed tools: ${who}`),
      ...(online.length > 0 ? [fine(`reach all hosts on the internet: ${online.join(", ")}`)] : []),
      ...registry.tools.flatMap(({ name, launcher, path }) => {
        return launcher ? [fine(`${name} runs elsewhere: ${sanitiseLine(path)}`)] : [];
      }),
      ...missingPaths(settings, places),
    ],
  };
}

/** Whether calls in the sandbox can reach the hosts that the user allows. On macOS, only `network` in the settings counts. */
async function networkState(env: NodeJS.ProcessEnv): Promise<Line> {
  if (!isLinux) return fine("network: all hosts or none");
  const problem = await networkProblem(env);
  if (problem === undefined) return fine("network: hosts that you allow");
  return note(`Calls in the sandbox have no network: ${sanitiseLine(problem)}.`);
}

/** Configured paths that do not exist, so that nothing is granted or hidden there. */
function missingPaths({ writable, readable, hidden }: SandboxSettings, places: Places): Line[] {
  return Object.entries({ writable, readable, hidden }).flatMap(([key, paths]) => {
    const missing = paths.filter((path) => !existsSync(path));
    return missing.map((path) => note(`sandbox.${key}: ${shortPath(path, places)} does not exist and has no effect.`));
  });
}

function unavailable(problem: string, isWanted: boolean): Line {
  return isWanted ? broken(problem) : fine(`not available here, and not in use: ${problem}`);
}

/** Limit of leftovers to list, and of those that one command removes. */
const maxListed = 5;

export function checkLeftovers(
  { processes, files }: Awaited<ReturnType<typeof findLeftovers>>,
  places: Places,
): Section {
  const running =
    processes.length === 0 ? [] : [note(`processes left by an ikigai that has ended: kill -9 ${processes.join(" ")}`)];
  const listed = files
    .slice(0, maxListed)
    .map((path) => fine(`${sanitiseLine(shortPath(path, places))}${remarkOn(path)}`));
  const more = files.length > maxListed ? [fine(`and ${files.length - maxListed} more`)] : [];
  const removal = files.length > 0 ? [fine(removalOf(files))] : [];
  const lines = [...running, ...listed, ...more, ...removal];
  return { title: "Leftovers", lines: lines.length === 0 ? [fine("none")] : lines };
}

/** What may be in no other file. */
function remarkOn(path: string): string {
  if (/\/ikigai-tmp\.\d+\.config\.json$/.test(path)) return " (from ikigai config edit, not saved)";
  return /\/ikigai-tmp\.\d+\.draft-/.test(path) ? " (a draft from your editor, not saved)" : "";
}

/** The command that removes all leftovers, or those that are listed. */
function removalOf(files: readonly string[]): string {
  const paths = files.slice(0, maxListed).map((path) => shellWord(sanitiseLine(path)));
  const command = `rm -r ${paths.join(" ")}`;
  return files.length > maxListed
    ? `to remove these ${maxListed} (then run ikigai doctor again): ${command}`
    : `to remove ${files.length === 1 ? "it" : "them"}: ${command}`;
}

/** A part of what `doctor` prints. */
export interface Section {
  readonly title: string;
  readonly lines: readonly Line[];
}

/** A line of a section: a fact, something to look at, or something that stops ikigai. */
export interface Line {
  readonly kind: "fine" | "note" | "broken";
  readonly text: string;
}

export const fine = (text: string): Line => ({ kind: "fine", text });
export const note = (text: string): Line => ({ kind: "note", text });
export const broken = (text: string): Line => ({ kind: "broken", text });

/** More than a long session with its images and outputs takes, in bytes. */
const enoughBytes = 10_000_000;

/** Checks that ikigai has space and may write, which it works without. It writes a file, since only that reveals quotas. */
export function checkDisk(places: Places): Section {
  const { home } = places;
  const temporary = tmpdir();
  const lines = [
    roomIn(home, shortPath(home, places)),
    ...(temporary === home ? [] : [temporaryRoom(temporary, shortPath(temporary, places))]),
  ];
  return { title: "Disk", lines };
}

/** The directory for temporary files. Nothing creates it. */
function temporaryRoom(path: string, name: string): Line {
  const word = sanitiseLine(shellWord(path));
  const found = statsOf(path);
  const effects =
    "The sandbox, commands in the background and saved outputs fail, and programs that need temporary files";
  const remedy = "set TMPDIR to a directory that you can write";
  if (found === undefined) return broken(`${name} does not exist. ${effects}. Run: mkdir -p ${word}, or ${remedy}`);
  const problem = found.isDirectory() ? whyUnwritable(path) : "it is not a directory";
  if (problem !== undefined) return broken(`${name}: cannot write there: ${problem}. ${effects}. To fix it, ${remedy}`);
  return roomIn(path, name);
}

/** Why no file can be created, apart from too little space. */
function whyUnwritable(dir: string): string | undefined {
  try {
    tryToWrite(dir);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code !== "ENOSPC" && code !== "EDQUOT") return sanitiseLine(systemReason(error as Error));
  }
  return undefined;
}

function roomIn(path: string, name: string): Line {
  // ikigai creates no missing home.
  const parent = statsOf(dirname(path));
  if (basename(path) === ".ikigai" && !parent?.isDirectory()) {
    const shown = sanitiseLine(dirname(path));
    const why = parent === undefined ? `the directory ${shown} does not exist` : `${shown} is not a directory`;
    const missing = `${why}, so nothing is saved`;
    return note(`${name}: ${missing}. Set HOME or IKIGAI_HOME to a directory that can be written.`);
  }
  const dir = existing(path);
  try {
    const { bavail, bsize, files, ffree } = statfsSync(dir);
    const free = bavail * bsize;
    if (free < enoughBytes) return note(`${name}: ${fileSize(free)} free, too little to save sessions and outputs`);
    // Some file systems do not count inodes.
    if (files > 0 && ffree === 0) return note(`${name}: no file can be created (no free inodes)`);
    tryToWrite(dir);
    return fine(`${name}: ${fileSize(free)} free`);
  } catch (error) {
    return note(`${name}: cannot write there: ${sanitiseLine(systemReason(error as Error))}`);
  }
}

/** The path, or its nearest parent that exists. */
function existing(path: string): string {
  return statsOf(path) !== undefined || path === dirname(path) ? path : existing(dirname(path));
}

/** @throws the system's error. */
function tryToWrite(dir: string): void {
  const path = temporaryName(join(dir, ".doctor"));
  try {
    writeFileSync(path, Buffer.alloc(4_096), { flag: "wx", mode: 0o600 });
  } finally {
    rmSync(path, { force: true });
  }
}

/**
 * Data directories whose tools are not here (removed, or found only with another `IKIGAI_TOOL_PATH`), and the tools and data for
 * directories that are gone. Data of projects is left out: it is unknown which projects still exist.
 */
export function checkData(registry: Registry, places: Places): Line[] {
  const lost = ToolRoot.ofDirectories(places.home).filter(({ directory }) => !existsSync(directory));
  return [
    ...leftData(registry, places).map((path) => noteOf(path, "", places)),
    ...lost.map(({ path, directory }) => noteOf(path, ` is for ${directory}, which does not exist`, places)),
  ];
}

function noteOf(path: string, why: string, places: Places): Line {
  return note(`${shortPath(path, places)}${sanitiseLine(why)}; to delete it: rm -r ${sanitiseLine(shellWord(path))}`);
}

function leftData(registry: Registry, places: Places): readonly string[] {
  const roots = ToolRoot.ofUser(places);
  try {
    const packages = roots.flatMap((root) => [...root.record().keys()].map((name) => root.dataOf(name, places)));
    const homes = roots.map(({ path }) => path);
    return unusedData(registry, { ...places, homes, packages });
  } catch (error) {
    // It is unknown which packages are installed.
    if (error instanceof Refusal) return [];
    throw error;
  }
}
