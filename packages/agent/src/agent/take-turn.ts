// A turn of an opened agent. In order: the parts of the next request besides the messages, the turn with everything that `runTurn`
// needs of the agent, and a call that the user types.

import { dirname } from "node:path";
import { callTool, type Outcome, type Registry } from "@ikigai/core";
import { agreeToNeeds } from "@ikigai/core/trust";
import { expectedMessage, type TypedCall } from "@ikigai/models";
import { callDirectory } from "@ikigai/permission";
import type { Progress } from "@ikigai/protocol";
import { outputsDir, type RequestParts } from "@ikigai/session";
import { programFinder, standardShell } from "@ikigai/system";
import { rulesDirectory } from "../config/read-config.ts";
import { namedAgents, recordSpent } from "../subagents/agents.ts";
import type { TurnEnd, UserInput } from "../turn/agent-event.ts";
import type { OutputSchema } from "../turn/output-schema.ts";
import { runTypedCall } from "../turn/record-call.ts";
import { runTurn } from "../turn/run-turn.ts";
import { loadableParts, newToolsParts, sentTools, type WindowOf } from "../turn/sent-tools.ts";
import { aboutAgents, type FrozenPrompt, freezePrompt, type PromptParts, promptParts } from "../turn/system-prompt.ts";
import type { TurnOptions, UserLink } from "../turn/turn-context.ts";
import { progressWithoutSecrets, withoutSecrets } from "../turn/without-secrets.ts";
import type { AgentContext } from "./open-agent.ts";

/** What differs between turns. */
export type TakeTurnOptions = Pick<
  TurnOptions,
  | "model"
  | "signal"
  | "emit"
  | "ask"
  | "confirm"
  | "answerTool"
  | "drawsVisuals"
  | "recorded"
  | "takeSteering"
  | "contextWindow"
  | "outputSchema"
  | "waitsForJobs"
  | "notSent"
  | "limits"
  | "goal"
>;

/** Returns the parts of the next request besides the messages. @param model its ID. */
export function requestParts(context: AgentContext, registry: Registry, model: string): RequestParts {
  const window = () => context.models.of(model)?.contextWindow;
  const tools = sentTools(registry, context.conversation, window, context);
  return { system: promptFor(context, registry, window).system, tools };
}

/** Returns the system prompt for a request with these tools. @param more parts that the turn adds. */
function promptFor(
  {
    conversation,
    ...context
  }: Pick<AgentContext, "conversation" | "permission" | "rules" | "toolNotes" | "env" | "config">,
  registry: Registry,
  window: WindowOf,
  outputSchema?: OutputSchema,
  more: PromptParts = {},
): FrozenPrompt {
  const { permission, rules, toolNotes, env } = context;
  const { home, projectDir, cwd, directories, mode } = permission;
  const runner = registry.tools.find(({ schema }) => schema.ikigai?.access?.kind === "run-command");
  const parts = promptParts({
    cwd: projectDir,
    movedTo: cwd,
    directories,
    home,
    date: new Date(),
    isPlan: mode === "plan",
    outputSchema: outputSchema?.text,
    findProgram: programFinder(env.PATH ?? "", projectDir),
    shell: runner?.shell ?? standardShell(env.PATH, projectDir),
    sandbox: mode === "auto" || mode === "plan" ? rules.sandboxFor("bash") : rules.sandbox,
  });
  const servers = toolNotes?.instructions(registry);
  const tools = sentTools(registry, conversation, window, context);
  const frozen = freezePrompt(conversation, {
    ...parts,
    ...loadableParts(registry, window),
    ...newToolsParts(tools, conversation),
    ...(servers && { "MCP servers": servers }),
    ...more,
  });
  return { ...frozen, tools: tools.map(({ name }) => name) };
}

/** Runs a turn for one message. Never rejects because of a model, a tool or a network. */
export async function takeTurn(
  context: AgentContext,
  message: string | UserInput,
  options: TakeTurnOptions,
): Promise<TurnEnd> {
  const { agents, conversation, permission, models, config, overflowDir, rules, toolbox, toolNotes } = context;
  const { model, emit } = options;
  const outputs = outputsDir(conversation);
  const undo = context.undoOf(conversation.id);
  const tools = await toolbox.last();
  // A skill names files beside it, which the model reads when it needs them.
  const skills = tools.skills.map(({ path }) => dirname(path));
  permission.readableDirs = [overflowDir, ...(outputs === undefined ? [] : [outputs]), ...skills];
  for (const text of toolNotes?.notices(tools) ?? []) emit({ type: "notice", text });
  const { home, projectDir } = permission;
  const { ownSlot, parentUser } = agents;
  const named = await namedAgents({ home, projectDir, registry: tools, model: model.id });
  for (const text of agents.newProblems(named.problems)) emit({ type: "notice", text });
  // The sandbox is looked at while the model thinks.
  const sandboxChecked = () => context.sandbox.check(permission, (text) => emit({ type: "notice", text }));
  void sandboxChecked();
  const { contextWindow = () => models.of(model.id)?.contextWindow } = options;
  return runTurn(conversation, message, {
    ...context,
    namedAgents: named.agents,
    ...parentUser,
    ...options,
    contextWindow,
    costOf: (usage) => models.of(model.id)?.cost(usage, 1),
    prompt: promptFor(context, tools, contextWindow, options.outputSchema, { Agents: aboutAgents(named.agents) }),
    catalog: () => toolbox.catalog(),
    currentRegistry: () => toolbox.last(),
    settingsFor: rules.settingsFor,
    sandboxFor: rules.sandboxFor,
    sandboxChecked,
    ...(undo && { undo }),
    ...(ownSlot && {
      isSpent: () => ownSlot.left(agents, conversation) <= 0,
      takeSteering: () => [...(options.takeSteering?.() ?? []), ...ownSlot.takeMessages(conversation)],
    }),
    ...(config.patience && { patience: config.patience }),
    ...savers(permission, (text) => emit({ type: "notice", text })),
    emit: (event) => {
      if (event.type === "step_end") models.answered(model.id);
      if (event.type === "step_end" || event.type === "tool_result") recordSpent(agents, conversation);
      emit(event);
    },
  });
}

/** Saves what the user answers to questions about calls, and says so. */
function savers(
  permission: AgentContext["permission"],
  notice: (text: string) => void,
): Required<Pick<UserLink, "saveRule" | "saveNeeds">> {
  return {
    async saveRule(rule, where) {
      try {
        const { savedRuleText, saveRule } = await import("../config/edit-config.ts");
        saveRule(rulesDirectory(permission, where), rule);
        notice(savedRuleText(rule, where));
      } catch (error) {
        notice(`The rule applies to this session only: ${expectedMessage(error)}`);
      }
    },
    async saveNeeds(tool) {
      try {
        await agreeToNeeds(permission.home, [tool]);
        notice(`Saved what ${tool.name} needs: no more questions about it until it changes.`);
      } catch (error) {
        notice(`What ${tool.name} needs is saved for this session only: ${expectedMessage(error)}`);
      }
    },
  };
}

/** Where a call of the user is made. */
interface UsersCallOptions {
  readonly registry: Registry;
  readonly signal: AbortSignal;
  /** Whether it stays out of the conversation. */
  readonly isApart?: boolean;
  readonly onProgress?: (progress: Progress) => void;
}

/**
 * Makes a call for the user, in the project, without a question and without a time limit, since the user can stop it. The call and its
 * result become part of the conversation. Never rejects.
 */
export async function runUsersCall(
  context: AgentContext,
  { id: callId, ...call }: TypedCall & { readonly id: string },
  { registry, signal, isApart = false, onProgress }: UsersCallOptions,
): Promise<Outcome> {
  const { places, permission, rules, conversation, toolbox, env, overflowDir, secrets } = context;
  const options = {
    ...rules.settingsFor(call.name),
    timeoutMs: Number.MAX_SAFE_INTEGER,
    cwd: callDirectory(permission),
    projectDir: places.projectDir,
    sessionId: conversation.id,
    ...{ callId, env, overflowDir, signal },
    catalog: () => toolbox.catalog(),
    jobs: context.jobs.ofUser,
    ...(onProgress && { onProgress: (one: Progress) => onProgress(progressWithoutSecrets(one, secrets)) }),
  };
  if (!isApart) return runTypedCall(conversation, call, registry, { ...options, secrets });
  return withoutSecrets(await callTool(registry, call.name, call.arguments, options), secrets);
}
