// What a tool is shown as in lists and on its own, and why the model does not have it from the start.

import { type Places, selectTools } from "@ikigai/agent/internal";
import type { FailedSkill, FailedTool, RegisteredTool, Registry, SpareTools } from "@ikigai/core";
import { describeNeeds } from "@ikigai/core/trust";
import { textStart } from "@ikigai/protocol";
import { sanitise, sanitiseLine } from "@ikigai/screen";
import { age, shortPath } from "../short-forms.ts";
import { testAdvice } from "./report-tools.ts";

type ServedStatus = NonNullable<ReturnType<SpareTools["served"]["status"]>>;
type ServiceStatus = NonNullable<ReturnType<SpareTools["services"]["status"]>>;

/** A running service. */
export type ServiceInfo = ServiceStatus["running"][number];

interface ToolListOptions {
  /** Returns what to print after a tool's path. */
  readonly originOf?: (path: string) => string;
  /** Whether to print what each tool does. */
  readonly hasSummaries?: boolean;
}

/** The output of `/tool` and `ikigai tool list`. */
export function renderToolList(
  registry: Registry,
  places: Places,
  { originOf = () => "", hasSummaries = false }: ToolListOptions = {},
): string {
  const { tools, failed, failedSkills } = registry;
  const sent = sentNotes(registry);
  const shadowed = tools.flatMap(({ name, path, shadows }) => {
    const by = shortPath(path, places);
    return shadows.map((farther) => `  ${name}: ${shortPath(farther.path, places)} (${farther.scope}), by ${by}`);
  });
  const warnings = tools.flatMap(({ name, warnings }) =>
    [...warnings, sent.get(name) ?? []].flat().map((note) => `  ${name}: ${sanitiseLine(note)}`),
  );
  return [
    "Available tools:\n",
    ...tools.map(({ name, path, schema }) => {
      const what = hasSummaries ? sanitiseLine(firstSentence(schema.description)) : "";
      return `  ${name} (${shortPath(path, places)})${originOf(path)}\n${what === "" ? "" : `    ${what}\n`}`;
    }),
    ...section("Overridden:", shadowed),
    ...section("Notes:", warnings),
    renderSkipped(failed, places),
    ...section(
      "Skills not loaded, nor their scripts:",
      failedSkills.map((skill) => skippedLine(skill, places)),
    ),
  ].join("");
}

/** The longest first sentence that is shown, in characters. */
const maxSentence = 160;

/** What a tool does, in its own words. */
function firstSentence(description: string): string {
  const [sentence = ""] = /^[\s\S]*?[.!?](?=\s|$)/.exec(description.trim()) ?? [description.trim()];
  const line = sentence.replace(/\s+/g, " ").replace(/\.$/, "");
  return line.length <= maxSentence ? line : `${textStart(line, maxSentence).trimEnd()}…`;
}

/** The files that could not be loaded, and why; empty if all could. */
export function renderSkipped(failed: readonly FailedTool[], places: Places): string {
  const lines = failed.flatMap((tool) => {
    const what = tool.schema === undefined ? "" : sanitiseLine(firstSentence(tool.schema.description));
    return [skippedLine({ ...tool, reason: whyNotLoaded(tool) }, places), ...(what === "" ? [] : [`    ${what}`])];
  });
  return section("Not loaded:", lines).join("");
}

/** Why a file could not be loaded, and how to test it; not sanitised. */
export function whyNotLoaded(failure: FailedTool): string {
  return `${failure.reason}: ${failure.detail}${testAdvice(failure)}`;
}

function skippedLine({ name, path, reason }: Pick<FailedSkill, "name" | "path" | "reason">, places: Places): string {
  return `  ${sanitiseLine(name)} (${shortPath(path, places)}): ${sanitiseLine(reason)}`;
}

function section(title: string, lines: readonly string[]): string[] {
  return lines.length === 0 ? [] : [`${title}\n`, ...lines.map((line) => `${line}\n`)];
}

/** The output of `/tool NAME` and `ikigai tool show`. */
export function renderTool(tool: RegisteredTool, places: Places): string {
  const { name, path, schema, openNeeds } = tool;
  const needs = describeNeeds(schema.ikigai?.needs ?? {}, places);
  const state = openNeeds ? `not allowed yet: ikigai tool allow ${name}` : "allowed";
  const shown = needs.length === 0 ? "" : `Needs: it ${needs.join("; ")} (in the sandbox; ${state})\n`;
  return `Tool: ${name}\nPath: ${shortPath(path, places)}\n${shown}Schema:\n${sanitise(JSON.stringify(schema, null, 2))}\n`;
}

/** The same for a plain tool of a project that is not trusted: its comments are read, and nothing runs. Empty without one of this name. */
export function renderUntrusted({ failed }: Registry, name: string, places: Places): string {
  const tool = failed.find((failure) => failure.name === name && failure.schema !== undefined);
  if (!tool?.schema) return "";
  const schema = sanitise(JSON.stringify(tool.schema, null, 2));
  return `Tool: ${name}\nPath: ${shortPath(tool.path, places)}\nNot loaded: ${sanitiseLine(whyNotLoaded(tool))}\nSchema:\n${schema}\n`;
}

/** What `/tool NAME` adds for a tool that can answer several calls from one process. */
export function renderServed({ whyNot, running }: ServedStatus): string {
  const processes = running === 0 ? "none is running now" : `${running} running now`;
  if (whyNot === undefined) return `Processes: kept for the next calls; ${processes}\n`;
  return `Processes: one per call, because ${sanitiseLine(whyNot)}\n`;
}

/** What `/tool NAME` adds for a tool whose calls go to a service. */
export function renderService({ name, whyNot, running }: ServiceStatus, places: Places): string {
  if (whyNot !== undefined)
    return `Service: ${name}; not used, because ${sanitiseLine(whyNot)}: one process per call\n`;
  if (running.length === 0) return `Service: ${name}; not running, its next call starts it\n`;
  return running.map((service) => `Service: ${name}; ${renderRunning(service)}${logOf(service, places)}\n`).join("");
}

/** A running service in a few words: its process, its age and its calls. */
export function renderRunning({ pid, startedAt, calls, isReady, isSandboxed }: ServiceInfo): string {
  const place = isSandboxed ? ", in the sandbox" : "";
  const state = isReady ? "" : ", not ready yet";
  return `pid ${pid ?? "unknown"}, started ${age(startedAt)}, ${calls} ${calls === 1 ? "call" : "calls"}${place}${state}`;
}

function logOf({ log }: ServiceInfo, places: Places): string {
  return log === undefined ? "" : `, log ${shortPath(log, places)}`;
}

/** Why the model does not have a tool from the start, one sentence for each such tool, by name. Leaves out those that are only too many. */
function sentNotes(registry: Registry): ReadonlyMap<string, string> {
  const selection = selectTools(registry, undefined);
  const [core, deferred] = [new Set(selection.core), new Set(selection.deferred)];
  const notes = new Map<string, string>();
  for (const tool of registry.tools) {
    const note = core.has(tool) ? undefined : whyNotSent(tool, deferred);
    if (note !== undefined) notes.set(tool.name, note);
  }
  return notes;
}

/** What `tool show` and `/tool NAME` add for such a tool; empty for others. */
export function renderSent(registry: Registry, name: string): string {
  const note = sentNotes(registry).get(name);
  return note === undefined ? "" : `Note: ${note}\n`;
}

function whyNotSent(tool: RegisteredTool, deferred: ReadonlySet<RegisteredTool>): string | undefined {
  if (tool.skill !== undefined)
    return `A script of the skill ${sanitiseLine(tool.skill)}: the model gets it when it loads the skill.`;
  // The system's own one is meant to be that way.
  if (deferred.has(tool) || tool.scope === "system") return undefined;
  return 'Its schema declares "catalog": the model gets it only while there are tools or skills to load.';
}
