// The limits of a conversation: those of the command line count from the start of ikigai, those of the configuration for the session and the day.
// Then what a turn works for: a command that has to end with 0.

import { randomUUID } from "node:crypto";
import { agentsWork, runUsersCall } from "@ikigai/agent/internal";
import { listedCost, type Model, type Usage } from "@ikigai/models";
import { sessionCatalog, usageByModel } from "@ikigai/session";
import type { Agent } from "../host/conversation/agent-from-flags.ts";
import { parseObject } from "../render/json.ts";
import { readTodoList } from "./commands/state-commands.ts";

/** The limits of the next turn; `undefined` without any. */
export async function turnLimits(agent: Agent, model: Model) {
  const { maxCost, maxMinutes, run, config, conversation } = agent;
  const { session, day } = config.limits ?? {};
  const counted = [maxCost, maxMinutes, session?.cost, session?.minutes, day?.cost];
  if (counted.every((limit) => limit === undefined)) return undefined;
  await agent.models.lookUp(model.id);
  const costOf = (id: string, usage: Usage) => agent.models.of(id)?.cost(usage);
  const agentsCost = () => sumOf([...agentsWork(conversation).usage].map(([id, usage]) => costOf(id, usage)));
  const ownCost = costOf(model.id, conversation.usage) ?? 0;
  const minutes = run.minutes.get(conversation.id) ?? 0;
  const earlier = (conversation.turns ?? []).reduce((sum, { workedMs }) => sum + workedMs / 60_000, 0);
  const limits = [
    { kind: "cost", name: "--max-cost", what: "this run", most: maxCost, before: run.cost, isForRun: true },
    { kind: "minutes", name: "--max-minutes", what: "this run", most: maxMinutes, before: total(run.minutes) },
    {
      kind: "cost",
      name: "limits.session.cost",
      what: "this session",
      most: session?.cost,
      before: ownCost + (agentsCost() ?? 0),
    },
    {
      kind: "minutes",
      name: "limits.session.minutes",
      what: "this session",
      most: session?.minutes,
      before: earlier + minutes,
    },
    {
      kind: "cost",
      name: "limits.day.cost",
      what: "this day",
      most: day?.cost,
      before: day?.cost === undefined ? 0 : await costToday(agent),
    },
  ] as const;
  return {
    limits: limits.flatMap(({ most, ...limit }) => (most === undefined ? [] : [{ ...limit, most }])),
    agentsCost,
    told: run.told,
    ended(cost: number, spent: number) {
      run.cost += cost;
      run.minutes.set(conversation.id, minutes + spent);
    },
  };
}

function total(minutes: ReadonlyMap<string, number>): number {
  return [...minutes.values()].reduce((sum, one) => sum + one, 0);
}

function sumOf(costs: readonly (number | undefined)[]): number | undefined {
  return costs.reduce((sum, one) => (sum === undefined || one === undefined ? undefined : sum + one), 0);
}

/** What all sessions have cost since midnight, in US dollars, as far as the prices are known. */
async function costToday({ places, config, env }: Agent): Promise<number> {
  const midnight = new Date(new Date().setHours(0, 0, 0, 0)).toISOString().slice(0, 13);
  const used = [...usageByModel(sessionCatalog(places.home), midnight)];
  const costs = await Promise.all(used.map(async ([id, usage]) => (await listedCost(id, config, env))(usage) ?? 0));
  return costs.reduce((sum, one) => sum + one, 0);
}

/** The tasks that the model has not done, for the end of a turn that a limit has stopped: a sentence after a space; else empty. */
export function leftToDo({ conversation }: Pick<Agent, "conversation">): string {
  const open = readTodoList(conversation).filter(({ status }) => status !== "done");
  return open.length === 0 ? "" : ` Left to do: ${open.map(({ text }) => text).join("; ")}.`;
}

/** Longer output is cut in the middle, in characters. */
const maxGoalOutput = 8_000;

/** Runs the command that the turn works for, as after `!`. Returns what the model gets while it fails; `undefined` if it ends with 0. */
export async function towardsGoal(
  agent: Agent,
  goal: string,
  signal: AbortSignal,
): Promise<{ readonly isReached: boolean; readonly text: string }> {
  const registry = await agent.toolbox.current();
  await agent.commands.write();
  const call = { id: `goal-${randomUUID()}`, name: "bash", arguments: JSON.stringify({ command: goal }) };
  const { json } = await runUsersCall(agent, call, { registry, signal, isApart: true });
  const { tool_success: isSuccess, result, error } = parseObject(json) ?? {};
  const { exit_code: code, output } = (result ?? {}) as { readonly exit_code?: unknown; readonly output?: unknown };
  if (isSuccess === true && (code === 0 || code === undefined))
    return { isReached: true, text: `Goal reached: ${goal}` };
  const printed = String(output ?? error ?? "");
  const cut =
    printed.length > maxGoalOutput
      ? `${printed.slice(0, maxGoalOutput / 2)}\n[…]\n${printed.slice(-maxGoalOutput / 2)}`
      : printed;
  const how = code === undefined ? "could not be run" : `ended with exit code ${String(code)}`;
  return {
    isReached: false,
    text: `The goal is not reached: the command ${JSON.stringify(goal)} ${how}. Go on until it ends with 0; do not change the command. ${cut.trim() === "" ? "It printed nothing." : `Its output:\n\n${cut.toWellFormed()}`}`,
  };
}
