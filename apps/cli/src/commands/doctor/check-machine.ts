import { existsSync, statSync } from "node:fs";
import { release } from "node:os";
import { join } from "node:path";
import { type Config, type Places, sandboxSettings, type ToolRules } from "@ikigai/agent/internal";
import type { RegisteredTool, Registry, SandboxSettings } from "@ikigai/core";
import {
  hereDirectory,
  type Leftovers,
  loadTrustStore,
  networkProblem,
  sandboxProblem,
  startsAgents,
  trustFile,
} from "@ikigai/core/internal";
import { protocolVersion } from "@ikigai/protocol";
import { isLinux, shellWord } from "@ikigai/system";
import { version } from "../../host/version.ts";
import { sanitiseLine } from "../../render/sanitise.ts";
import { shortPath } from "../../render/short-path.ts";
import { broken, fine, type Line, note, type Section } from "./section.ts";

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
  const own = [home, join(home, "sessions"), trustFile(home)];
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
  if (modeOf(trustFile(home)) === "EACCES") return [];
  const { problem } = loadTrustStore(home);
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
  config: Config,
  rules: ToolRules,
  registry: Registry,
  places: Places,
  env: NodeJS.ProcessEnv,
): Promise<Section> {
  const settings = rules.sandbox ?? sandboxSettings(config, places, false);
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
      ? "all in mode auto, none in others (use --sandbox, or set sandbox.enabled)"
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

/** Limit of leftovers to list. */
const maxListed = 10;

/** Limit of leftovers that one command removes. */
const maxRemoved = 20;

export function checkLeftovers({ processes, files }: Leftovers, places: Places): Section {
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

/** The command that removes all leftovers, or as many as one command should name. */
function removalOf(files: readonly string[]): string {
  const paths = files.slice(0, maxRemoved).map((path) => shellWord(sanitiseLine(path)));
  const command = `rm -r ${paths.join(" ")}`;
  return files.length > maxRemoved
    ? `to remove ${maxRemoved} of them (then run ikigai doctor again): ${command}`
    : `to remove ${files.length === 1 ? "it" : "them"}: ${command}`;
}
