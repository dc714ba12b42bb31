import { statSync } from "node:fs";
import { release } from "node:os";
import { join } from "node:path";
import type { Places } from "@ikigai/agent/internal";
import { type Config, type LoadedConfig, renderConfigProblem } from "@ikigai/agent/internal";
import type { Registry, TrustReport } from "@ikigai/core";
import {
  defaultMaxOutputBytes,
  defaultTimeoutMs,
  maxSchemaBytes,
  protocolVersion,
  schemaTimeoutMs,
} from "@ikigai/protocol";
import { version } from "../../host/version.ts";
import { sanitise, sanitiseLine } from "../../render/sanitise.ts";
import { shortPath } from "../../render/short-path.ts";
import { duration } from "../../render/times-and-sizes.ts";

/** A part of what `doctor` prints. */
export interface Section {
  readonly title: string;
  readonly lines: readonly Line[];
}

/** A line of it: what is so, what the user should look at, or what stops ikigai. */
export interface Line {
  readonly kind: "fine" | "note" | "broken";
  readonly text: string;
}

export const fine = (text: string): Line => ({ kind: "fine", text });
export const note = (text: string): Line => ({ kind: "note", text });
export const broken = (text: string): Line => ({ kind: "broken", text });

export function checkVersions(): Section {
  const { platform, arch, versions } = process;
  const lines = [
    fine(`ikigai ${version}, tool protocol ${protocolVersion}`),
    fine(`Node ${versions.node}, ${platform} ${release()}, ${arch}`),
  ];
  return { title: "Versions", lines };
}

export function checkTools({ tools, failed, problems }: Registry, places: Places): Section {
  const loaded = tools.flatMap(({ name, scope, path, shadows, warnings }) => {
    const overrides = shadows.map((farther) => `, overrides ${shortPath(farther.path, places)}`).join("");
    return [
      fine(`${name} (${scope}) ${shortPath(path, places)}${overrides}`),
      ...warnings.map((warning) => note(`${name}: ${sanitiseLine(warning)}`)),
    ];
  });
  const skipped = failed.map(({ name, reason, detail, path }) => {
    const text = `${sanitiseLine(name)} ${shortPath(path, places)}: ${reason}: ${sanitiseLine(detail)}`;
    // A project that nobody has trusted is as it should be; a tool that does not work is not.
    return reason === "untrusted" ? fine(text) : note(text);
  });
  const none = tools.length === 0 ? [broken("No tools: is ikigai installed completely?")] : [];
  return {
    title: `Tools: ${tools.length}`,
    lines: [...loaded, ...none, ...skipped, ...problems.map((problem) => note(sanitiseLine(problem)))],
  };
}

export function checkProject({ status, dir, problem }: TrustReport, places: Places): Section {
  const text = `${shortPath(dir, places)}: ${status === "nothing" ? "nothing to trust" : status}`;
  const why = problem === undefined ? [] : [fine(sanitiseLine(problem))];
  return { title: "Project", lines: [fine(text), ...why] };
}

export function checkConfig({ path, problems }: LoadedConfig, places: Places): Section {
  const lines = problems.map((problem) => {
    return (problem.isFatal ? broken : note)(sanitise(renderConfigProblem(problem)));
  });
  return { title: "Configuration", lines: [fine(`${shortPath(path, places)} (${modeOf(path)})`), ...lines] };
}

export function checkDirectories(places: Places, problems: readonly string[]): Section {
  const { home, projectDir, directories } = places;
  const own = [home, join(home, "sessions"), join(home, "trust.json")];
  return {
    title: "Directories",
    lines: [
      fine(`project: ${sanitiseLine(projectDir)} (${modeOf(projectDir)})`),
      ...own.map((path) => fine(`${shortPath(path, places)} (${modeOf(path)})`)),
      ...directories.map(({ path, scope }) => fine(`${scope} tools: ${shortPath(path, places)} (${modeOf(path)})`)),
      ...problems.map((problem) => note(sanitiseLine(problem))),
    ],
  };
}

function modeOf(path: string): string {
  try {
    const found = statSync(path, { throwIfNoEntry: false });
    return found === undefined ? "not there" : `mode ${(found.mode & 0o7777).toString(8)}`;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code ?? "unreadable";
  }
}

export function checkLimits({ tools = {} }: Config): Section {
  const own = Object.entries(tools).flatMap(([name, { timeoutMs, maxOutputBytes }]) => {
    const time = timeoutMs === undefined ? [] : [duration(timeoutMs)];
    const size = maxOutputBytes === undefined ? [] : [`${maxOutputBytes} bytes`];
    if (timeoutMs === undefined && maxOutputBytes === undefined) return [];
    return [fine(`${sanitiseLine(name)}: ${[...time, ...size].join(", ")}, by the configuration`)];
  });
  return {
    title: "Limits",
    lines: [
      fine(`a schema: ${duration(schemaTimeoutMs)}, ${maxSchemaBytes} bytes`),
      fine(`a call: ${duration(defaultTimeoutMs)}, ${defaultMaxOutputBytes} bytes, unless its tool asks for more`),
      ...own,
    ],
  };
}
