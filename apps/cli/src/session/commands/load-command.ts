// /load: loads a skill or a tool by the tool that the model has for it; without a name, the list of skills.

import { randomUUID } from "node:crypto";
import { join } from "node:path";
import { type Places, runUsersCall } from "@ikigai/agent/internal";
import { type FailedSkill, findTool, type Registry, type Skill } from "@ikigai/core";
import type { JsonObject } from "@ikigai/protocol";
import { sanitiseLine } from "@ikigai/screen";
import { nearestWord } from "@ikigai/system";
import { shortPath } from "../../render/short-forms.ts";
import type { Interruptible, Session } from "../session.ts";

/** The tool that loads skills and other tools, for the model and for the user. */
const loader = "load";

/** Loads a skill or a tool by the tool that the model has for it; its answer becomes part of the conversation. */
export async function runLoad(
  [name, ...words]: readonly string[],
  session: Session,
  interruptible: Interruptible,
): Promise<void> {
  const { agent, screen } = session;
  const registry = await agent.toolbox.current();
  if (name === undefined) return screen.print(renderSkills(registry, agent.places));
  const problem = whyNot(name, registry);
  if (problem !== undefined) return screen.print(screen.style.red(`${problem}\n`));
  const result = await interruptible((signal) =>
    callLoader(session, registry, { name, args: words.join(" ") }, signal),
  );
  if (typeof result.error === "string") return screen.print(screen.style.red(`${sanitiseLine(result.error)}\n`));
  screen.print(`Loaded ${describe(name, registry, session)}${introducedText(result, registry)} ${whatNext}\n`);
}

const whatNext = "It goes to the model with your next message.";

/** What `/load` completes: skills, then the tools that did not ship with ikigai, which may not be sent yet. */
export function completedNames({ skills, tools }: Registry): string[] {
  return namesOf(
    skills,
    tools.filter(({ scope }) => scope !== "system"),
  );
}

function namesOf(...lists: readonly (readonly { readonly name: string }[])[]): string[] {
  return [...new Set(lists.flat().map(({ name }) => name))];
}

/** Why nothing of this name can be loaded. */
function whyNot(name: string, registry: Registry): string | undefined {
  if (!findTool(registry, loader)) return `The tool ${loader}, which loads skills, is missing. /tool lists the tools.`;
  const names = namesOf(registry.skills, registry.tools);
  if (names.includes(name)) return undefined;
  const failed = registry.failedSkills.find((skill) => skill.name === name);
  if (failed) return `The skill ${sanitiseLine(name)} cannot be used: ${sanitiseLine(failed.reason)}`;
  const meant = nearestWord(name, names);
  return `No skill or tool is called ${sanitiseLine(name)}. ${meant === undefined ? "/load lists the skills, /tool the tools." : `Did you mean ${meant}?`}`;
}

/** Makes the call; returns the tool's answer, or what prevented it. */
async function callLoader(
  { agent }: Session,
  registry: Registry,
  { name, args }: { readonly name: string; readonly args: string },
  signal: AbortSignal,
): Promise<JsonObject> {
  const call = { name: loader, arguments: JSON.stringify({ name, ...(args !== "" && { arguments: args }) }) };
  const { envelope } = await runUsersCall(agent, { ...call, id: `typed-${randomUUID()}` }, { registry, signal });
  return envelope.tool_success ? envelope.result : { error: envelope.error };
}

function describe(name: string, { skills }: Registry, { agent }: Session): string {
  const skill = skills.find((one) => one.name === name);
  return skill ? `the skill ${name} (${shortPath(skill.path, agent.places)}).` : `the tool ${name}.`;
}

/** Which tools the model now has, and which a skill names that do not exist. */
function introducedText({ introduces }: JsonObject, registry: Registry): string {
  const names = Array.isArray(introduces) ? introduces.filter((name) => typeof name === "string") : [];
  const isKnown = (name: string) => findTool(registry, name) !== undefined;
  const list = (title: string, found: readonly string[]) =>
    found.length === 0 ? "" : ` ${title}: ${found.map(sanitiseLine).join(", ")}.`;
  return `${list("Tools", names.filter(isKnown))}${list(
    "Not found",
    names.filter((name) => !isKnown(name)),
  )}`;
}

/** A longer description is cut in the list, in characters. */
const maxLength = 100;

/** The output of `/load` without a name. */
function renderSkills({ skills, failedSkills }: Registry, places: Places): string {
  const rows = [
    ...skills.flatMap((skill) => rowsOf(skill, places)),
    ...failedSkills.map((skill) => failedRow(skill, places)),
  ];
  const wanted = shortPath(join(places.home, "skills/NAME/SKILL.md"), places);
  return [
    ...(rows.length === 0 ? [`No skills. To add one, create ${wanted}. More: /help skills`] : ["Skills:", ...rows]),
    "/load NAME loads a skill or tool.",
  ]
    .map((line) => `${line}\n`)
    .join("");
}

function rowsOf({ name, description, path, allowedTools, notes, shadows }: Skill, places: Places): string[] {
  const text = description.length > maxLength ? `${description.slice(0, maxLength)}…` : description;
  return [
    `  ${name}  ${sanitiseLine(text)}  (${shortPath(path, places)})`,
    ...(allowedTools === undefined ? [] : [`    allowed-tools: ${sanitiseLine(allowedTools)} (ikigai still asks)`]),
    ...notes.map((note) => `    ${sanitiseLine(note)}`),
    ...shadows.map((farther) => `    overrides ${shortPath(farther, places)}`),
  ];
}

function failedRow({ name, path, reason }: FailedSkill, places: Places): string {
  return `  ${sanitiseLine(name)}  cannot be used: ${sanitiseLine(reason)}  (${shortPath(path, places)})`;
}
