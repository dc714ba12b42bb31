// A call that starts an agent: waits until fewer than four are running, opens a slot with a share of the tokens, and grants the
// agent what this conversation may do at that moment. Removes the slot if no agent has taken it.

import { failedOutcome, type Outcome, type RegisteredTool } from "@ikigai/core";
import type { HookFinder } from "@ikigai/core/hooks";
import type { prepareCall } from "@ikigai/core/internal";
import { systemMessage } from "@ikigai/models";
import type { Permission } from "@ikigai/permission";
import { type JsonObject, textStart } from "@ikigai/protocol";
import type { Conversation } from "@ikigai/session";
import { escapeOf, showOnLine } from "@ikigai/system";
import { type GrantedHook, guardsToGrant } from "../hooks/open-hooks.ts";
import { type Agents, maxRunning } from "./agents.ts";
import { isRunning, readSlots, removeSlot, tokensForAgents, writeSlot } from "./agents-work.ts";
import { directoryTools, type Grant, type NamedAgent } from "./grant.ts";

/** The least that an agent gets, in tokens, if that much is left: with less it could not read a file and answer. */
const leastShare = 50_000;

/** How much of a task is kept, in characters, for lists of agents. */
const taskLength = 200;

/** The longest grant, in bytes: Linux passes 131,071 in a variable, with its name. */
const maxGrantBytes = 130_000;

const tooLong =
  "No agent was started: the permission rules are too long to be passed on. Shorten them, or do the work without an agent.";

/** A call of a tool that starts agents. */
export interface AgentCall {
  readonly id: string;
  readonly args: JsonObject;
  readonly conversation: Conversation;
  readonly permission: Permission;
  /** The sandbox that tools run in. */
  readonly sandbox: { readonly network: boolean } | undefined;
  /** `provider/model` of this conversation. */
  readonly model: string;
  readonly named: readonly NamedAgent[];
  /** The tools of this conversation. */
  readonly tools: readonly RegisteredTool[];
  /** The hooks of this conversation. */
  readonly finder?: HookFinder | undefined;
}

/**
 * Makes a call that may start an agent, with the rights that this conversation has at that moment: when fewer than four others are
 * running, and with a share of the tokens that are left.
 */
export async function runAgentCall<Result extends Outcome>(
  agents: Agents,
  call: AgentCall,
  run: (variables: Parameters<typeof prepareCall>[2]["agent"]) => Promise<Result>,
): Promise<Result | Outcome> {
  // The others are about agents that have been started.
  const { action = "start" } = call.args;
  if (action !== "start") return run(undefined);
  return agents.limit(async () => {
    const guarding = await guardsToGrant(call.finder);
    if ("broken" in guarding) return failedOutcome("TOOL_DENIED", unguarded(guarding.broken.path, guarding.problem));
    const opened = open(agents, call, guarding.hooks);
    if ("refusal" in opened) return failedOutcome("TOOL_DENIED", opened.refusal);
    const { bin, grant, logPath } = opened;
    try {
      const text = JSON.stringify(grant);
      if (Buffer.byteLength(text) > maxGrantBytes) return failedOutcome("TOOL_DENIED", tooLong);
      return await run({ bin, grant: text });
    } finally {
      agents.starting.delete(call.id);
      const slot = readSlots(logPath).find(({ number, call: owner }) => number === grant.slot && owner === call.id);
      if (slot && !slot.child) removeSlot(logPath, slot.number);
    }
  });
}

function unguarded(path: string, problem: string): string {
  const what = `No agent was started, because nothing would guard it: the hook ${showOnLine(path, escapeOf)} is broken: ${problem}.`;
  return `${what} Do the work without an agent, or ask the user to repair the hook.`;
}

type Opened = { readonly bin: string; readonly grant: Grant; readonly logPath: string } | { readonly refusal: string };

/** Opens a slot for a new agent; returns why there is no room instead. */
function open(agents: Agents, { id, args, conversation, ...call }: AgentCall, hooks: readonly GrantedHook[]): Opened {
  const { bin, depth, maxDepth, maxStarted, starting } = agents;
  const { path: logPath } = conversation.log;
  if (bin === undefined || depth >= maxDepth) return { refusal: "No agents can be started here." };
  if (logPath === undefined) return { refusal: `No agent was started. ${conversation.log.problem}` };
  const slots = readSlots(logPath);
  if (slots.length >= maxStarted) {
    const what = `This session has started ${maxStarted} agents, and no more are allowed.`;
    return { refusal: `${what} Do the rest without one. The user can allow more with agents.maxStarted.` };
  }
  const running = slots.filter((slot) => !starting.has(slot.call) && isRunning(slot, logPath));
  if (running.length + starting.size >= maxRunning) {
    const what = `${maxRunning} agents are running, and no more are allowed at once.`;
    return { refusal: `${what} Wait for one of them, or end one.` };
  }
  const left = Math.max(0, Math.floor(tokensForAgents(agents, conversation)));
  // A call without tokens writes no slot, but has its number until it ends.
  const slot = Math.max(0, ...slots.map(({ number }) => number), ...starting.values()) + 1;
  const tokens = Math.min(left, Math.max(leastShare, Math.floor(left / 4)));
  try {
    // At 0 the tool says that the budget is spent.
    if (tokens > 0) writeSlot(logPath, { number: slot, call: id, tokens, ...shownTask(args) });
  } catch (error) {
    return { refusal: `No agent was started, because its start cannot be recorded: ${systemMessage(error)}.` };
  }
  starting.set(id, slot);
  return { bin, logPath, grant: grantOf(agents, { ...call, hooks, session: conversation.id, call: id, slot, tokens }) };
}

/** What lists of agents show. */
function shownTask({ task, agent }: JsonObject) {
  const named = typeof agent === "string" && agent !== "" && { agent: textStart(agent, taskLength) };
  return { task: textStart(String(task ?? ""), taskLength), ...named };
}

type Granting = Pick<Grant, "session" | "call" | "slot" | "tokens"> &
  Pick<AgentCall, "permission" | "sandbox" | "model" | "named" | "tools"> & { readonly hooks: readonly GrantedHook[] };

function grantOf({ depth, maxDepth, grant }: Agents, granting: Granting): Grant {
  const { session, call, slot, tokens, model, permission, sandbox, named, tools, hooks } = granting;
  const { mode, rules, readOnlyCommands = true, projectDir, directories = [], home, limits = [] } = permission;
  return {
    ...{ session, call, slot, tokens, model },
    depth: depth + 1,
    maxDepth,
    ...{ mode, rules, readOnlyCommands, projectDir, directories },
    // A limit without a directory is about a copy of this one.
    within: limits.map((limit) => ({ projectDir, directories, readOnlyCommands: true, ...limit })),
    guards: guardsOf([projectDir, ...(grant?.guards.map(({ directory }) => directory) ?? [])], hooks),
    ...(grant?.tools && { tools: grant.tools }),
    directoryTools: directoryTools(tools, home, grant?.directoryTools),
    ...(sandbox && { sandbox: { network: sandbox.network } }),
    agents: named,
  };
}

/** The guards of each project; those above have granted their own. */
function guardsOf(directories: readonly string[], hooks: readonly GrantedHook[]): Grant["guards"] {
  const [own = "", ...above] = new Set(directories);
  return [{ directory: own, hooks }, ...above.map((directory) => ({ directory, hooks: [] }))];
}
