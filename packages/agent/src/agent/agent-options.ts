// The options of `createAgent` and `query`. In order: the types, their checks for programs in JavaScript, and what is made of them
// before an agent is opened: directories, the output schema, and a sandbox that works.

import { realpathSync, statSync } from "node:fs";
import { isAbsolute, join, resolve } from "node:path";
import { sandboxProblem, toolDirectories } from "@ikigai/core/internal";
import { type LanguageModel, type PatienceConfig, type ThinkingLevel, thinkingLevels } from "@ikigai/models";
import {
  type AnswerTool,
  type Ask,
  isVerdict,
  type PermissionMode,
  type PermissionRule,
  permissionModes,
  ruleProblem,
  verdicts,
} from "@ikigai/permission";
import { isJsonObject, type JsonObject } from "@ikigai/protocol";
import { AgentError } from "@ikigai/session";
import { nearestWord, userHome as userHomeIn } from "@ikigai/system";
import { configShape } from "../config/config-shape.ts";
import type { ToolRules } from "../config/tool-settings.ts";
import type { UserInput } from "../turn/agent-event.ts";
import { type OutputSchema, readOutputSchema } from "../turn/output-schema.ts";
import type { Places } from "./tool-setup.ts";

/** Which calls an agent may make, and how it asks about the others. */
export interface AgentPermission {
  /** What happens to a call that no rule matches. Default: the configured mode, else `ask`. */
  readonly mode?: PermissionMode;
  /** Checked before the configured rules; the first match decides. */
  readonly rules?: readonly PermissionRule[];
  /** Called for one question at a time. Without it, every call that needs a question is denied. */
  readonly ask?: Ask;
}

/** Options of `createAgent`. The agent works only in `cwd`. */
export interface AgentOptions {
  /**
   * `provider/model`, or an AI SDK language model. Default: the last model of `session`, else the configured model, else the
   * default of the first provider with a key, else the first model of the OpenAI-compatible server, else a local Ollama model.
   */
  readonly model?: string | LanguageModel;
  /**
   * The project's directory: tools work in it, and its `.ikigai/tools` are used if the user trusts them. Default:
   * `process.cwd()`.
   */
  readonly cwd?: string;
  /** Which calls it may make. Default: the configured mode and rules; calls that need a question are denied. */
  readonly permission?: AgentPermission;
  /**
   * Puts the questions that tools ask during their calls to the user. Only one question is open at a time, whether of a tool or of
   * `permission.ask`. Default: tools find no user to ask.
   */
  readonly answerTool?: AnswerTool;
  /**
   * A directory of tools that come with your program, for instance the `node_modules/.bin` that `@ikigai/bash-tool` is
   * installed in. They need no trust, so never take it from the project. Default: none.
   */
  readonly toolsDir?: string;
  /** The user's directory (configuration, tools, trust, sessions). Default: `IKIGAI_HOME`, else `~/.ikigai`. */
  readonly home?: string;
  /** Environment with provider keys and base URLs; tools inherit it without those keys. Default: `process.env`. */
  readonly env?: NodeJS.ProcessEnv;
  /**
   * A JSON Schema (draft 2020-12) that the final answer must fit: `turn_end` then has `structured`. The model gets two further
   * steps for an answer that does not fit. Default: the answer is text.
   */
  readonly outputSchema?: JsonObject;
  /** The ID of the session to continue, or its beginning. Default: a new session. */
  readonly session?: string;
  /**
   * Strings to remove, in addition to the known keys, from the session file and from what tools, hooks and failed requests report.
   * In events, the text of the user and of the model and the arguments of calls stay as they are.
   */
  readonly secrets?: readonly string[];
  /** How much the model reasons before it answers. Default: as in the last request of `session`, else the provider's default. */
  readonly thinking?: ThinkingLevel;
  /** Maximum number of requests per message. Default: the configured number, else 500. */
  readonly maxSteps?: number;
  /**
   * The model's context window in tokens, where ikigai does not know it. The conversation is compacted before it is full.
   */
  readonly contextWindow?: number;
  /** Whether a turn continues until the jobs that the model waits for have ended. Default: it ends, and the jobs keep running until `close`. */
  readonly waitsForJobs?: boolean;
  /**
   * Called after a job of the model has ended, once no turn runs, with a message that says how: pass it to `run` to have the model go
   * on. Default: the model gets it with its next message.
   */
  readonly onJobEnd?: (message: string) => void;
  /** Timeouts (of ikigai's own providers) and retries; takes precedence over the configured ones. */
  readonly patience?: PatienceConfig;
}

/** Options of `query`. */
export interface QueryOptions {
  /** The task. */
  readonly prompt: string | UserInput;
  /** The project's directory. Default: `process.cwd()`. */
  readonly cwd?: string;
  /** `provider/model`, or an AI SDK language model. Default: as in `createAgent`. */
  readonly model?: string | LanguageModel;
  /** Rules for calls that need no question, for instance `bash(npm test*)`. They come before the configured rules. */
  readonly allow?: readonly string[];
  /** What happens to a call that no rule matches. Default: the configured mode, else `ask`. */
  readonly permissionMode?: PermissionMode;
  /** Called for one question at a time. Without it, every call that needs a question is denied. */
  readonly ask?: Ask;
  /** A JSON Schema (draft 2020-12) that the answer must fit: `result` then has `structured`. */
  readonly outputSchema?: JsonObject;
  /** The ID of the session to continue, or its beginning. Default: a new session. */
  readonly resume?: string;
  /**
   * The directory of the system's tools. They need no trust, so never take it from the project. Default: the tools of the
   * installed command `ikigai`.
   */
  readonly toolPath?: string;
  /** Maximum number of requests to the model. Default: the configured number, else 500. */
  readonly maxTurns?: number;
  /** Stops the task: `result` has the reason `interrupted`. */
  readonly signal?: AbortSignal;
}

/** @throws AgentError `invalid_option` if a program in JavaScript passes an option of another type, or one that does not exist. */
export function checkAgentOptions(options: AgentOptions): void {
  object(agentOptions)(options, "");
}

/** Like {@link checkAgentOptions}, for the options of `query`. */
export function checkQueryOptions(options: QueryOptions): void {
  object(queryOptions)(options, "");
  if (options.prompt === undefined) throw wrong("prompt", "text, or an object with text and images", undefined);
}

/** Throws if the option of this name must not have this value. */
type Check = (value: unknown, name: string) => void;

/** The check of each option of a type. */
type Checks<Options> = Readonly<Record<keyof Options, Check>>;

const text = check("non-empty text", (value) => typeof value === "string" && value !== "");
const callback = check("a function", (value) => typeof value === "function");
const count = check("a whole number of at least 1", (value) => Number.isSafeInteger(value) && Number(value) >= 1);
const schema = check("a JSON Schema, which is an object", isJsonObject);
const model = check(
  'text like "anthropic/claude-sonnet-5-5", or a language model of the AI SDK',
  (value) => isJsonObject(value) || (typeof value === "string" && value !== ""),
);
const signal = check("an AbortSignal", (value) => isJsonObject(value) && typeof value.addEventListener === "function");
const mode = check(orList(permissionModes), (value) => permissionModes.some((one) => one === value));
const thinking = check(orList(thinkingLevels), (value) => thinkingLevels.some((one) => one === value));
const message = check(
  "text, or an object with text and images",
  (value) => typeof value === "string" || (isJsonObject(value) && typeof value.text === "string"),
);
/** The values may be keys, so no message has them. */
const secret: Check = (value, name) => {
  if (typeof value !== "string") throw wrong(name, "text", undefined, "something else");
};
const environment: Check = (value, name) => {
  if (!isJsonObject(value)) throw wrong(name, "an object like process.env", undefined, "something else");
  for (const [key, one] of Object.entries(value)) if (one !== undefined) secret(one, `${name}.${key}`);
};

const rule: Check = (value, name) => {
  text(value, name);
  const problem = ruleProblem(String(value));
  if (problem) throw new AgentError("invalid_option", `${JSON.stringify(value)} is not a rule: ${problem.message}`);
};
const permissionRule: Check = (value, name) => {
  if (!isJsonObject(value)) throw wrong(name, 'an object like { verdict: "allow", rule: "bash(npm test)" }', value);
  if (!isVerdict(value.verdict)) throw wrong(`${name}.verdict`, orList(verdicts), value.verdict);
  rule(value.rule, `${name}.rule`);
};

const patience: Checks<Required<AgentOptions>["patience"]> = mapValues(
  configShape.keys.patience.keys,
  (shape): Check =>
    shape.type === "boolean"
      ? check("true or false", (value) => typeof value === "boolean")
      : check(
          `a whole number of at least ${shape.min}`,
          (value) => Number.isSafeInteger(value) && Number(value) >= shape.min,
        ),
);

const permission: Checks<AgentPermission> = { mode, rules: list(permissionRule), ask: callback };

const agentOptions: Checks<AgentOptions> = {
  model,
  cwd: text,
  permission: object(permission),
  answerTool: callback,
  toolsDir: text,
  home: text,
  env: environment,
  outputSchema: schema,
  session: text,
  secrets: list(secret),
  thinking,
  maxSteps: count,
  contextWindow: count,
  waitsForJobs: check("true or false", (value) => typeof value === "boolean"),
  onJobEnd: callback,
  patience: object(patience),
};

const queryOptions: Checks<QueryOptions> = {
  prompt: message,
  cwd: text,
  model,
  allow: list(rule),
  permissionMode: mode,
  ask: callback,
  outputSchema: schema,
  resume: text,
  toolPath: text,
  maxTurns: count,
  signal,
};

function check(wanted: string, fits: (value: unknown) => boolean): Check {
  return (value, name) => {
    if (!fits(value)) throw wrong(name, wanted, value);
  };
}

function list(each: Check): Check {
  return (value, name) => {
    if (!Array.isArray(value)) throw wrong(name, "an array", value);
    for (const [index, one] of value.entries()) each(one, `${name}[${index}]`);
  };
}

/** An option that is undefined is absent. An unknown one may be a slip that drops a rule. */
function object(checks: Readonly<Record<string, Check>>): Check {
  return (value, name) => {
    if (!isJsonObject(value)) throw wrong(name, "an object", value);
    for (const [key, one] of Object.entries(value)) {
      if (one === undefined) continue;
      const prefix = name === "" ? "" : `${name}.`;
      if (!Object.hasOwn(checks, key)) throw unknownOption(key, prefix, Object.keys(checks));
      checks[key]?.(one, prefix + key);
    }
  };
}

function unknownOption(name: string, prefix: string, known: readonly string[]): AgentError {
  const meant = nearestWord(name, known);
  const advice = meant === undefined ? `Options: ${known.join(", ")}.` : `Did you mean "${prefix}${meant}"?`;
  return new AgentError("invalid_option", `Unknown option "${prefix}${name}". ${advice}`);
}

function wrong(name: string, wanted: string, value: unknown, got = shown(value)): AgentError {
  const what = name === "" ? "the options" : `"${name}"`;
  return new AgentError("invalid_option", `Expected ${what} to be ${wanted}, got ${got}.`);
}

function shown(value: unknown): string {
  if (Array.isArray(value)) return "an array";
  if (typeof value === "string") return JSON.stringify(value.slice(0, 60));
  return typeof value === "function" ? "a function" : isJsonObject(value) ? "an object" : String(value);
}

function orList(words: readonly string[]): string {
  return words.map((word) => `"${word}"`).join(" or ");
}

function mapValues<Key extends string, Value, Other>(
  from: Readonly<Record<Key, Value>>,
  to: (value: Value) => Other,
): Readonly<Record<Key, Other>> {
  const entries = Object.entries<Value>(from).map(([key, value]) => [key, to(value)]);
  return Object.fromEntries(entries);
}

/** @throws AgentError `invalid_option` if a directory cannot be used. */
export function placesOf({ cwd = process.cwd(), home, toolsDir }: AgentOptions, env: NodeJS.ProcessEnv): Places {
  const projectDir = realpathSync(existingDirectory("cwd", cwd));
  const userHome = userHomeIn(env);
  if (userHome === undefined) {
    throw new AgentError("invalid_option", `Expected HOME to be an absolute path, got ${JSON.stringify(env.HOME)}.`);
  }
  const userDir = home === undefined ? env.IKIGAI_HOME || join(userHome, ".ikigai") : resolve(home);
  if (!isAbsolute(userDir)) {
    // A relative one would be a different directory in every project.
    const text = `Expected the user's directory to be an absolute path, got ${JSON.stringify(userDir)}. Set IKIGAI_HOME.`;
    throw new AgentError("invalid_option", text);
  }
  const systemDir = toolsDir === undefined ? undefined : existingDirectory("toolsDir", toolsDir);
  const directories = toolDirectories({ systemDir, home: userDir, projectDir, toolPath: env.IKIGAI_TOOL_PATH });
  return { home: userDir, userHome, projectDir, directories };
}

/**
 * Returns the absolute path of a directory that an option names.
 *
 * @throws AgentError `invalid_option` if it does not exist or is a file.
 */
export function existingDirectory(option: string, directory: string): string {
  const path = resolve(directory);
  try {
    if (statSync(path).isDirectory()) return path;
  } catch {
    // Reported below.
  }
  const meant = path === directory ? "" : `, which is ${path}`;
  throw new AgentError(
    "invalid_option",
    `Expected "${option}" to be a directory, got ${JSON.stringify(directory)}${meant}.`,
  );
}

/** @throws AgentError `invalid_option` if the output schema is not a usable JSON Schema. */
export async function outputSchemaOf({ outputSchema }: AgentOptions): Promise<OutputSchema | undefined> {
  if (outputSchema === undefined) return undefined;
  const read = await readOutputSchema(outputSchema);
  if ("problem" in read) throw new AgentError("invalid_option", `"outputSchema" is not usable. ${read.problem}`);
  return read.schema;
}

/** @throws AgentError `sandbox_unavailable` if the configured sandbox does not work here; nothing runs without it. */
export async function requireSandbox(
  { sandbox }: ToolRules,
  projectDir: string,
  env: NodeJS.ProcessEnv,
): Promise<void> {
  const problem = sandbox && (await sandboxProblem(sandbox, projectDir, env));
  if (problem) throw new AgentError("sandbox_unavailable", problem);
}
