import { join } from "node:path";
import {
  type AgentEvent,
  type Ask,
  type Config,
  type Conversation,
  loadConfig,
  type Model,
  ModelError,
  type Permission,
  resolveModel,
  runTurn,
  saveRule,
  secretsOf,
  startConversation,
  systemPrompt,
  type TurnEnd,
} from "@ikigai/agent";
import type { Options } from "./argv.ts";
import { findPlaces, type Places } from "./places.ts";
import { printError } from "./print-out.ts";
import { sanitise } from "./screen/sanitise.ts";
import { openToolbox, type Toolbox } from "./toolbox.ts";

/** Everything one conversation needs, put together from the command line, the configuration and the environment. */
export interface Agent {
  readonly places: Places;
  readonly toolbox: Toolbox;
  readonly config: Config;
  readonly conversation: Conversation;
  readonly permission: Permission;
  /** What the user should know before the first message, a line each. */
  readonly notices: readonly string[];
  /** May be exchanged between two messages. */
  model: Model;
  /** Takes one message to its end. Never throws for what a model, a tool or a network does. */
  say(text: string, options: SayOptions): Promise<TurnEnd>;
  close(): void;
}

export interface SayOptions {
  readonly signal: AbortSignal;
  readonly emit: (event: AgentEvent) => void;
  readonly ask?: Ask;
}

export interface AgentOptions {
  readonly options: Options;
  readonly projectDir: string;
  readonly env: NodeJS.ProcessEnv;
}

/** Opens an agent; undefined, and said, when the model that was asked for cannot be used. */
export async function openAgent({ options, projectDir, env }: AgentOptions): Promise<Agent | undefined> {
  const places = findPlaces(env, projectDir);
  const toolbox = openToolbox(places, env);
  const { config, problems } = loadConfig(places.home);
  const model = await chooseModel(config, options.model, env, projectDir);
  if (model === undefined) return undefined;
  const conversation = startConversation({ home: places.home, cwd: projectDir, secrets: secretsOf(config, env) });
  const permission: Permission = {
    mode: options.permissionMode ?? config.permission?.mode ?? "ask",
    rules: [...options.allow.map((rule) => ({ verdict: "allow", rule }) as const), ...(config.permission?.rules ?? [])],
    projectDir,
    home: places.home,
  };
  const maxSteps = options.maxTurns ?? config.maxSteps;
  const agent: Agent = {
    places,
    toolbox,
    config,
    conversation,
    permission,
    notices: [
      ...problems.map(({ message }) => message),
      ...(conversation.log.problem ? [conversation.log.problem] : []),
    ],
    model,
    say(text, { signal, emit, ask }) {
      return runTurn(conversation, text, {
        model: agent.model,
        system: systemPrompt({ cwd: projectDir, date: new Date() }),
        registry: () => toolbox.current(),
        permission,
        ...(ask && { ask }),
        saveRule: (rule) => saveRule(places.home, rule),
        emit,
        signal,
        ...(maxSteps !== undefined && { maxSteps }),
        ...(config.patience && { patience: config.patience }),
        ...(config.tools && { tools: config.tools }),
        cwd: projectDir,
        projectDir,
        env,
        overflowDir: join(places.home, "output"),
      });
    },
    close() {
      conversation.log.close();
    },
  };
  return agent;
}

/** The model to talk to; undefined, and said, when it cannot be used. */
export async function chooseModel(
  config: Config,
  wanted: string | undefined,
  env: NodeJS.ProcessEnv,
  cwd: string,
): Promise<Model | undefined> {
  try {
    return await resolveModel({ config, env, cwd, ...(wanted !== undefined && { wanted }) });
  } catch (error) {
    if (!(error instanceof ModelError)) throw error;
    printError(`${sanitise(error.message)}\n`);
    return undefined;
  }
}
