// Which tools a request has. In order: the choice between those that are always sent and those that are loaded, the tools of the
// next request in an order that keeps the provider's cache, and what the system prompt says about the others.

import type { RegisteredTool, Registry } from "@ikigai/core";
import { outsideArgument, takesCatalog } from "@ikigai/core/internal";
import type { ModelTool } from "@ikigai/models";
import type { Permission } from "@ikigai/permission";
import { isJsonObject } from "@ikigai/protocol";
import { type Conversation, charactersPerToken } from "@ikigai/session";
import { isUseful } from "./edit-check.ts";
import type { PromptParts } from "./system-prompt.ts";
import type { TurnCallOptions } from "./turn-context.ts";

/** With more tools, or larger schemas, only some are sent: models choose worse among many, and every request costs the whole list. */
const maxTools = 40;
const maxWindowShare = 0.08;

/** No provider is sent more tools: OpenAI refuses a request with more. */
const maxSentTools = 128;

/** A window that is not known counts as this, in tokens: usual models have at least as much. */
const usualWindow = 128_000;

/** Returns the model's context window in tokens, if known by now. Looking it up takes time, so it is called only if it matters. */
export type WindowOf = (() => number | undefined) | undefined;

/** The tools of a registry, by whether requests have their schemas. */
interface ToolSelection {
  /** Those whose schemas are always sent, by name. */
  readonly core: readonly RegisteredTool[];
  /** Those whose schemas are sent only once they are introduced, by name. */
  readonly deferred: readonly RegisteredTool[];
  /** The name of the tool that introduces others, if there is one. */
  readonly loader: string | undefined;
}

/**
 * Decides which tools the model sees. Depends only on the registry and the model, not on the conversation: the beginning of its
 * requests stays the same.
 */
export function selectTools({ tools, skills }: Registry, window: WindowOf): ToolSelection {
  const loader = loaderOf(tools);
  const usual = loader ? tools.filter(({ skill }) => skill === undefined) : tools;
  const isFew = usual.length <= maxTools && !areLarge(usual, window);
  const chosen = new Set(isFew ? usual : mostImportant(usual, loader));
  const deferred = tools.filter((tool) => !chosen.has(tool));
  // Without anything to load, its schema would only cost room.
  const isNeeded = (tool: RegisteredTool) => !takesCatalog(tool) || deferred.length > 0 || skills.length > 0;
  return { core: tools.filter((tool) => chosen.has(tool) && isNeeded(tool)), deferred, loader: loader?.name };
}

/** Whether a tool introduces others. A skill's script does so only once it is introduced itself. */
function introducesOthers(tool: RegisteredTool): boolean {
  return takesCatalog(tool) && tool.skill === undefined;
}

/** The tool with which the model loads others: the system's, if it is there. */
function loaderOf(tools: readonly RegisteredTool[]): RegisteredTool | undefined {
  const loaders = tools.filter(introducesOthers);
  return loaders.find(({ scope }) => scope === "system") ?? loaders[0];
}

/** The tools that are sent although there are too many. */
function mostImportant(
  tools: readonly RegisteredTool[],
  loader: RegisteredTool | undefined,
): readonly RegisteredTool[] {
  const system = tools.filter(({ scope }) => scope === "system");
  // A program may come with hundreds of tools of its own.
  const isOfSystem = (tool: RegisteredTool) => tool.scope === "system" && system.length <= maxTools;
  const ranks = [
    (tool: RegisteredTool) => tool === loader,
    isOfSystem,
    ({ scope, schema }: RegisteredTool) => scope === "system" && schema.ikigai?.access !== undefined,
    introducesOthers,
    ({ schema }: RegisteredTool) => schema.ikigai?.defer === false,
    // What cannot be loaded can be called only if it is sent.
    ({ scope }: RegisteredTool) => !loader && scope === "system",
    () => !loader,
  ];
  const ranked = ranks.flatMap((isMeant) => tools.filter(isMeant));
  return [...new Set(ranked)].slice(0, maxSentTools);
}

function areLarge(tools: readonly RegisteredTool[], window: WindowOf): boolean {
  // The system's tools are sent anyway.
  if (tools.every(({ scope }) => scope === "system")) return false;
  const length = tools.reduce((sum, tool) => sum + schemaLength(tool), 0);
  return length > shareOfWindow(window, maxWindowShare);
}

/** How many characters a share of the model's window has, about. */
function shareOfWindow(window: WindowOf, share: number): number {
  return (window?.() ?? usualWindow) * share * charactersPerToken;
}

const lengths = new WeakMap<object, number>();

function schemaLength({ name, schema }: RegisteredTool): number {
  const { description, parameters } = schema;
  const known = lengths.get(parameters) ?? JSON.stringify(parameters).length;
  lengths.set(parameters, known);
  return name.length + description.length + known;
}

/** Where a request's calls would run. */
type SendingScene = Pick<TurnCallOptions, "permission" | "env" | "config">;

/**
 * Returns the tools of the next request: those that are always sent, then those that the conversation has introduced, in that order;
 * what comes later goes last. If they are too many, the oldest of these are left out, and before them the core's that only ask to be sent. A tool whose schema the
 * server has rejected is left out.
 */
export function sentTools(
  registry: Registry,
  conversation: Pick<Conversation, "introduced" | "rejectedTools" | "toolOrder">,
  window: WindowOf,
  scene?: SendingScene,
): ModelTool[] {
  const useful = scene ? { ...registry, tools: registry.tools.filter((tool) => isUseful(tool, scene)) } : registry;
  const tools = allSentTools(useful, conversation, window, scene?.permission.sandboxOf);
  const { rejectedTools: rejected, toolOrder } = conversation;
  const sent = rejected ? tools.filter(({ name }) => !rejected.has(name)) : tools;
  return toolOrder ? inOrder(sent, toolOrder.names) : sent;
}

/** Puts tools in the order in which the conversation has first sent them. */
function inOrder(tools: readonly ModelTool[], names: readonly string[]): ModelTool[] {
  const places = new Map(names.map((name, place) => [name, place]));
  const placeOf = ({ name }: ModelTool) => places.get(name) ?? names.length;
  return tools.toSorted((one, other) => placeOf(one) - placeOf(other));
}

/** Returns the part of the system prompt about the tools that came after the first request; none if all were there, or were loaded. */
export function newToolsParts(
  tools: readonly ModelTool[],
  { introduced, toolOrder }: Pick<Conversation, "introduced" | "toolOrder">,
): Readonly<Record<string, string>> {
  if (!toolOrder) return {};
  const known = new Set([...toolOrder.names.slice(0, toolOrder.first), ...introduced]);
  const names = tools.flatMap(({ name }) => (known.has(name) ? [] : name));
  return names.length === 0 ? {} : { "New tools": `New tools that you can call: ${names.join(", ")}.` };
}

function allSentTools(
  registry: Registry,
  { introduced }: Pick<Conversation, "introduced">,
  window: WindowOf,
  sandboxOf: Permission["sandboxOf"],
): ModelTool[] {
  const asModelTool = (tool: RegisteredTool) => modelTool(tool, mayLeave(tool, sandboxOf));
  const { core, deferred, loader } = selectTools(registry, window);
  if (introduced.length === 0) return core.map(asModelTool);
  const byName = new Map(deferred.map((tool) => [tool.name, tool]));
  const loaded = introduced.flatMap((name) => byName.get(name) ?? []);
  const isFirst = ({ scope, name }: RegisteredTool) => scope === "system" || name === loader;
  const room = maxSentTools - core.filter(isFirst).length;
  const kept = room <= 0 ? [] : loaded.slice(-room);
  let others = room - kept.length;
  const fitting = core.filter((tool) => isFirst(tool) || others-- > 0);
  return [...fitting, ...kept].map(asModelTool);
}

const modelTools = {
  plain: new WeakMap<RegisteredTool, ModelTool>(),
  leaving: new WeakMap<RegisteredTool, ModelTool>(),
};

/** Returns the same object for the same tool: what is prepared of it for one request serves the next one. */
function modelTool(tool: RegisteredTool, leaves: boolean): ModelTool {
  const kept = leaves ? modelTools.leaving : modelTools.plain;
  const { name, schema } = tool;
  const parameters = leaves ? withOutside(schema.parameters) : schema.parameters;
  const known = kept.get(tool) ?? { name, description: schema.description, parameters };
  kept.set(tool, known);
  return known;
}

/** Whether the model may ask to run a call of this tool outside the sandbox. Where ikigai's tools for files work follows from the path. */
function mayLeave(tool: RegisteredTool, sandboxOf: Permission["sandboxOf"]): boolean {
  const { access } = tool.schema.ikigai ?? {};
  if (sandboxOf?.(tool) === undefined || outsideArgument.isOwn(tool)) return false;
  return tool.scope !== "system" || access?.kind === "run-command";
}

const outsideParameter = {
  type: "string",
  description:
    "Why this call cannot work in the sandbox. Leave it out unless the call failed there; the user is asked.",
};

function withOutside(parameters: ModelTool["parameters"]): ModelTool["parameters"] {
  const { properties } = parameters;
  const known = isJsonObject(properties) ? properties : {};
  return { ...parameters, properties: { ...known, [outsideArgument.name]: outsideParameter } };
}

/** With more, a model finds one by words. */
const maxNamedTools = 1_000;
const maxListedSkills = 200;

/** The share of the context window for the list of skills. */
const skillsShare = 0.02;

/** Returns the parts of the system prompt about what can be loaded; none if there is nothing, or no tool to load it with. */
export function loadableParts(registry: Registry, window: WindowOf): PromptParts {
  const { deferred, loader } = selectTools(registry, window);
  if (loader === undefined) return {};
  // Scripts come with their skill.
  const names = deferred.filter(({ skill }) => skill === undefined).map(({ name }) => name);
  return {
    ...(registry.skills.length > 0 && { Skills: skillsText(loader, registry.skills, window) }),
    ...(names.length > 0 && { "Tools that are not loaded": toolsText(loader, names) }),
  };
}

function skillsText(loader: string, skills: Registry["skills"], window: WindowOf): string {
  const lines = skills.map(({ name, description }) => `- ${name}: ${description}`).join("\n");
  const isShort = skills.length <= maxListedSkills && lines.length <= shareOfWindow(window, skillsShare);
  const list = isShort ? `\n${lines}` : ` There are ${skills.length}: call ${loader} with a query to find one.`;
  return `Skills\nInstructions for kinds of tasks. Before a task that one of them is about, call ${loader} with its name and follow what it returns.${list}`;
}

function toolsText(loader: string, names: readonly string[]): string {
  if (names.length > maxNamedTools) {
    return `Not loaded: ${names.length} more tools. Call ${loader} with a query to find one, then call it.`;
  }
  return `Not loaded: ${names.join(", ")}. Call ${loader} with the name of such a tool, or with a query, before you call it.`;
}
