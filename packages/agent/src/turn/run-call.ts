// Takes one call to its result: its tool, its permission, the run, which `make-call.ts` does, and what a sandbox may have kept from it.
// On the way, a call whose arguments the user changes begins again, and one that starts an agent gets its grant.

import { findTool, type Registry } from "@ikigai/core";
import { failedOutcome, notFound, startsAgents } from "@ikigai/core/internal";
import type { ToolCallPart } from "@ikigai/models";
import { withAgreedNeeds } from "@ikigai/permission";
import { beforeCall, type HookedCall, withContext } from "../hooks/event-hooks.ts";
import { hooksFor } from "../hooks/run-hooks.ts";
import type { Agents } from "../subagents/agents.ts";
import type { SeenOutcome } from "./answer-files.ts";
import { type CheckedArguments, checkArguments, withOwnNames } from "./call-arguments.ts";
import { withRecording } from "./host-for.ts";
import { makeCall, type PermittedCall } from "./make-call.ts";
import { cancelled, permitCall } from "./permit-call.ts";
import { withSandboxAdvice } from "./sandbox-advice.ts";
import { type CallContext, sceneOf } from "./turn-context.ts";

/** Takes one call to its result. @param hooked the call as its hooks have left it. */
export async function runCall(
  turn: CallContext,
  part: ToolCallPart,
  hooked: HookedCall,
  registry: Registry,
): Promise<SeenOutcome> {
  const { agents, recorded, signal } = turn;
  const { id, name } = part;
  const { args, verdicts, context, isUsers = false } = hooked;
  if (signal.aborted) return cancelled(name);
  if (recorded) return recorded.answer(name, part.arguments);
  const tool = findTool(registry, name);
  if (tool === undefined) return notFound(registry, name);
  await turn.sandboxChecked?.();
  const call = await withRecording(turn, { id, name, arguments: args.text, value: args.value }, tool);
  const permit = await permitCall(turn, { call, tool, hooks: verdicts, isUsers });
  const { refusal, changed, place, advice, hasNeeds } = permit;
  if (refusal) return withContext(refusal, context);
  const permitted = { id, tool: withAgreedNeeds(tool, turn.permission, hasNeeds), registry, hooked, place };
  if (changed !== undefined) {
    const again = await asUserWrote(turn, permitted, changed);
    return "error" in again ? failedOutcome("INVALID_PARAMS", again.error) : runCall(turn, part, again, registry);
  }
  if (signal.aborted) return cancelled(name);
  if (agents && startsAgents(tool)) return startAgent(turn, agents, permitted);
  const outcome = await makeCall(turn, permitted);
  return withSandboxAdvice(turn, { call, tool, place, advice }, outcome);
}

/** A call as the user has changed it: its hooks see it again. If they change it once more, the user is asked once more. */
async function asUserWrote(
  turn: CallContext,
  { id, tool, registry }: PermittedCall,
  text: string,
): Promise<HookedCall | Extract<CheckedArguments, { error: string }>> {
  const checked = checkArguments(text);
  if ("error" in checked) return checked;
  const args = withOwnNames(tool.name, checked, registry);
  const said = `The user changed the arguments of this call to: ${text}`;
  const scene = sceneOf(turn);
  const hooks = scene ? await hooksFor(scene, "before-call", tool.name, registry) : [];
  const changed = { args, isChanged: true, isUsers: true, verdicts: [], context: [said] };
  if (!scene || hooks.length === 0) return changed;
  const after = await beforeCall(scene, hooks, { id, tool, args });
  if (after.ends !== undefined) turn.hookEnd ??= after.ends;
  return { ...changed, ...after, isChanged: true, isUsers: !after.isChanged, context: [said, ...after.context] };
}

/** Makes a call that starts an agent, which gets a part of what this conversation may do. */
async function startAgent(turn: CallContext, agents: Agents, call: PermittedCall): Promise<SeenOutcome> {
  const { id, tool, registry, hooked, place } = call;
  const { conversation, permission, settingsFor, model, namedAgents: named = [], hooks, signal } = turn;
  // Loaded only now: few conversations start agents.
  const { runAgentCall } = await import("../subagents/run-agent-call.ts");
  // That of a tool without settings of its own.
  const { sandbox } = settingsFor?.("") ?? {};
  const scene = { conversation, permission, sandbox, model: model?.id ?? "", named, finder: hooks?.finder };
  const agentCall = { id, args: hooked.args.value, tools: registry.tools, ...scene };
  return runAgentCall(agents, agentCall, async (agent) => {
    if (signal.aborted) return cancelled(tool.name);
    // The tools of an agent run in the sandbox, but in there it would have neither the user's directory nor a provider.
    return makeCall(turn, { ...call, place: tool.scope === "system" ? "outside" : place, agent });
  });
}
