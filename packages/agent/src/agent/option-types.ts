import { thinkingLevels } from "@ikigai/models";
import { isVerdict, permissionModes, ruleProblem, verdicts } from "@ikigai/permission";
import { AgentError } from "@ikigai/session";
import { nearestWord } from "@ikigai/system";
import { configShape } from "../config/config-shape.ts";
import type { AgentOptions, AgentPermission } from "./agent-options.ts";
import type { QueryOptions } from "./query-options.ts";

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
const schema = check("a JSON Schema, which is an object", isObject);
const model = check(
  'text like "anthropic/claude-sonnet-5-5", or a language model of the AI SDK',
  (value) => isObject(value) || (typeof value === "string" && value !== ""),
);
const signal = check("an AbortSignal", (value) => isObject(value) && typeof value.addEventListener === "function");
const mode = check(orList(permissionModes), (value) => permissionModes.some((one) => one === value));
const thinking = check(orList(thinkingLevels), (value) => thinkingLevels.some((one) => one === value));
const message = check(
  "text, or an object with text and images",
  (value) => typeof value === "string" || (isObject(value) && typeof value.text === "string"),
);
/** The values may be keys, so no message has them. */
const secret: Check = (value, name) => {
  if (typeof value !== "string") throw wrong(name, "text", undefined, "something else");
};
const environment: Check = (value, name) => {
  if (!isObject(value)) throw wrong(name, "an object like process.env", undefined, "something else");
  for (const [key, one] of Object.entries(value)) if (one !== undefined) secret(one, `${name}.${key}`);
};

const rule: Check = (value, name) => {
  text(value, name);
  const problem = ruleProblem(String(value));
  if (problem) throw new AgentError("invalid_option", `${JSON.stringify(value)} is not a rule: ${problem.message}`);
};
const permissionRule: Check = (value, name) => {
  if (!isObject(value)) throw wrong(name, 'an object like { verdict: "allow", rule: "bash(npm test)" }', value);
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
    if (!isObject(value)) throw wrong(name, "an object", value);
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
  return typeof value === "function" ? "a function" : isObject(value) ? "an object" : String(value);
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
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
