import { rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  type AgentEvent,
  type Ask,
  type Config,
  type Conversation,
  findInstructions,
  type Model,
  outputsDir,
  type Permission,
  type RecordedAnswers,
  renderConfigProblem,
  ruleProblem,
  runTurn,
  saveRule,
  secretsOf,
  systemPrompt,
  type ThinkingLevel,
  type ToolRules,
  type TurnEnd,
  type UserInput,
} from "@ikigai/agent/internal";
import { spareTools } from "@ikigai/core";
import type { SpareTools } from "@ikigai/core/internal";
import { beforeExit } from "@ikigai/system";
import type { SessionFlags } from "../args/parse-argv.ts";
import { UsageError } from "../args/usage-error.ts";
import { type KnownModels, knownModels } from "./known-models.ts";
import { openConversation } from "./open-conversation.ts";
import { openToolbox, type Toolbox } from "./open-toolbox.ts";
import { findPlaces, type Places } from "./places.ts";
import { privacyNotices } from "./privacy-notices.ts";
import { sandboxNotices, toolRulesOf } from "./tool-rules.ts";
import { usableConfig } from "./usable-config.ts";

/** Everything that one conversation needs, put together from the command line, the configuration and the environment. */
export interface Agent {
  readonly places: Places;
  readonly env: NodeJS.ProcessEnv;
  readonly toolbox: Toolbox;
  /** Tools that wait for their next call. They end with this process. */
  readonly spares: SpareTools;
  /** How the user wants tools to be run. */
  readonly rules: ToolRules;
  readonly config: Config;
  /** May be exchanged between two messages. */
  conversation: Conversation;
  readonly permission: Permission;
  readonly models: KnownModels;
  /** How much the model is to think; its provider's choice without it. */
  thinking?: ThinkingLevel;
  /** Keys, which are neither shown nor written down. */
  readonly secrets: readonly string[];
  /** Where the output of tools goes that is too long for a model; its name tells doctor whose it is. */
  readonly overflowDir: string;
  /** How many requests one message may take. */
  readonly maxSteps?: number;
  /** What the user should know before the first message, a line each. */
  readonly notices: readonly string[];
  /** Which files of instructions the model was told when ikigai started. */
  readonly instructions: readonly string[];
}

/**
 * Puts an agent together. Its tools are being looked for when this returns; its model is a matter of `chooseModel`.
 *
 * @throws UsageError when a rule of the command line is none, or there is no such session.
 */
export function openAgent(flags: SessionFlags, given: NodeJS.ProcessEnv): Agent {
  // Every call copies it, and of the process's own each variable is asked of the system again.
  const env = { ...given };
  const places = findPlaces(env);
  const { home, projectDir } = places;
  const { config, problems } = usableConfig(home);
  const permission = permissionFor(flags, config, places);
  const rules = toolRulesOf(config, places, env, flags);
  const toolbox = openToolbox(places, env, rules);
  const secrets = secretsOf(config, env);
  const opened = openConversation(flags, { home, cwd: projectDir, secrets });
  const { conversation } = opened;
  const { problem } = conversation.log;
  const { files, refused } = findInstructions(projectDir, home);
  const maxSteps = flags.maxTurns ?? config.maxSteps;
  const agent: Agent = {
    places,
    env,
    toolbox,
    spares: spareTools(),
    rules,
    config,
    models: knownModels(config, env),
    conversation,
    permission,
    secrets,
    overflowDir: join(tmpdir(), `ikigai-${process.pid}-${conversation.id}`),
    ...(maxSteps !== undefined && { maxSteps }),
    instructions: files.map(({ path }) => path),
    notices: [
      ...problems.map(renderConfigProblem),
      ...privacyNotices(home),
      ...refused,
      ...opened.notices,
      ...sandboxNotices(rules),
      ...(problem === undefined ? [] : [problem]),
    ],
  };
  beforeExit(() => agent.conversation.log.close(), { isLast: true });
  return agent;
}

function permissionFor({ permissionMode, allow }: SessionFlags, config: Config, places: Places): Permission {
  for (const rule of allow) {
    const problem = ruleProblem(rule);
    if (problem) throw new UsageError(`--allow ${JSON.stringify(rule)} is not a rule: ${problem.message}`);
  }
  const { mode, rules = [], readOnlyCommands } = config.permission ?? {};
  return {
    mode: permissionMode ?? mode ?? "ask",
    rules: [...allow.map((rule) => ({ verdict: "allow", rule }) as const), ...rules],
    projectDir: places.projectDir,
    home: places.home,
    ...(readOnlyCommands !== undefined && { readOnlyCommands }),
  };
}

export interface TakeTurnOptions {
  readonly model: Model;
  readonly signal: AbortSignal;
  readonly emit: (event: AgentEvent) => void;
  /** Absent without a terminal to ask on. */
  readonly ask?: Ask;
  /** Answers calls instead of the tools. */
  readonly recorded?: RecordedAnswers;
  /** What the user has said meanwhile, for the model's next step. */
  readonly takeSteering?: () => readonly UserInput[];
}

/** What the model is told before everything else, as things are now. */
export function systemFor({ places, permission, rules }: Agent): string {
  const { home, projectDir } = places;
  const isPlan = permission.mode === "plan";
  return systemPrompt({ cwd: projectDir, home, date: new Date(), isPlan, sandbox: rules.sandbox });
}

/** Takes one message to its end. Never rejects for what a model, a tool or a network does. */
export function takeTurn(
  agent: Agent,
  message: string | UserInput,
  { model, signal, emit, ask, recorded, takeSteering }: TakeTurnOptions,
): Promise<TurnEnd> {
  const { places, config, env, secrets, maxSteps, overflowDir, permission, thinking, rules } = agent;
  const { home, projectDir } = places;
  const outputs = outputsDir(agent.conversation);
  permission.readableDirs = outputs === undefined ? [overflowDir] : [overflowDir, outputs];
  return runTurn(agent.conversation, message, {
    model,
    system: systemFor(agent),
    contextWindow: () => agent.models.of(model.id)?.contextWindow,
    ...(thinking && { thinking }),
    ...(takeSteering && { takeSteering }),
    registry: () => agent.toolbox.last(),
    spares: agent.spares,
    permission,
    ...(ask && { ask }),
    ...(recorded && { recorded }),
    saveRule: (rule) => {
      try {
        saveRule(home, rule);
      } catch (error) {
        emit({ type: "notice", text: `The rule holds for this session only: ${(error as Error).message}` });
      }
    },
    emit: (event) => {
      if (event.type === "step_end") agent.models.answered(model.id);
      emit(event);
    },
    signal,
    ...(maxSteps !== undefined && { maxSteps }),
    ...(config.patience && { patience: config.patience }),
    settingsFor: rules.settingsFor,
    cwd: projectDir,
    projectDir,
    env,
    overflowDir,
    secrets,
  });
}

/** Removes the outputs that were too long for a model. */
export function removeOverflow({ overflowDir }: Agent): void {
  try {
    rmSync(overflowDir, { recursive: true, force: true });
  } catch {
    // Temporary files are the system's to remove as well.
  }
}
