// One task for programs: `query` runs it and yields what `ikigai -p --output-format stream-json` prints. In order: the query and
// where its tools are, the types of the objects, and the report that both the objects and the printed lines come from.

import { existsSync, realpathSync } from "node:fs";
import { delimiter, dirname, isAbsolute, join } from "node:path";
import { fileURLToPath } from "node:url";
import { toKept, type Usage } from "@ikigai/models";
import type { Envelope, JsonObject, JsonValue } from "@ikigai/protocol";
import { AgentError } from "@ikigai/session";
import { argumentsJson, jsonObject, onOneLine } from "@ikigai/system";
import type { AgentEvent, TurnEnd } from "../turn/agent-event.ts";
import { checkQueryOptions, existingDirectory, type QueryOptions } from "./agent-options.ts";
import { assembleAgent } from "./create-agent.ts";

/**
 * Does one task; yields exactly the objects that `ikigai -p --output-format stream-json` prints, `session` first and `result`
 * last. Failures of models, tools and networks are in `result`. Leaving the loop stops the task and waits until none of it
 * runs.
 *
 * @throws AgentError, ModelError `configuration` or ConfigError before the first event; `invalid_option` also if there is
 * neither an installed command nor `toolPath`.
 */
export async function* query(options: QueryOptions): AsyncGenerator<QueryEvent, void, undefined> {
  checkQueryOptions(options);
  const { prompt, signal, cwd, model, outputSchema, resume: session, maxTurns: maxSteps } = options;
  const { agent, context } = await assembleAgent(
    {
      toolsDir: toolsOf(options),
      permission: permissionOf(options),
      waitsForJobs: true,
      ...(cwd !== undefined && { cwd }),
      ...(model !== undefined && { model }),
      ...(outputSchema !== undefined && { outputSchema }),
      ...(session !== undefined && { session }),
      ...(maxSteps !== undefined && { maxSteps }),
    },
    (rule) => `${JSON.stringify(rule)} in allow`,
  );
  try {
    const { conversation, instructions } = context;
    const report = new TaskReport(agent.sessionId);
    yield parse(report.start({ model: agent.modelId, cwd: conversation.cwd, instructions }));
    for await (const event of agent.run(prompt, signal && { signal }))
      yield parse(event.type === "turn_end" ? report.end(event) : report.line(event));
  } finally {
    await agent.close();
  }
}

function toolsOf({ toolPath }: QueryOptions): string {
  return toolPath === undefined ? installedTools(process.env) : existingDirectory("toolPath", toolPath);
}

function permissionOf({ allow = [], permissionMode: mode, ask }: QueryOptions) {
  const rules = allow.map((rule) => ({ verdict: "allow" as const, rule }));
  return { rules, ...(mode && { mode }), ...(ask && { ask }) };
}

/** The lines are the only source of the objects, so both cannot differ. */
function parse(line: string): QueryEvent {
  return JSON.parse(line);
}

/**
 * Finds the tools of the installed command: `IKIGAI_LIBEXEC`, else those of the package `@ikigai/cli` next to this library, else
 * those of `ikigai` on the PATH.
 *
 * @throws AgentError `invalid_option` if no tool is installed, or `IKIGAI_LIBEXEC` is not a directory.
 */
export function installedTools({ IKIGAI_LIBEXEC, PATH = "" }: NodeJS.ProcessEnv): string {
  if (IKIGAI_LIBEXEC) return existingDirectory("IKIGAI_LIBEXEC", IKIGAI_LIBEXEC);
  const places = [packageRoot(), ...commandRoots(PATH)].flatMap((root) => root ?? []).map(toolsBelow);
  const found = places.find((directory) => existsSync(directory));
  if (found !== undefined) return found;
  const [place] = places;
  // A script of the user that starts the command has no tools beside it.
  const problem =
    place === undefined
      ? "the command ikigai is not installed. Install @ikigai/cli, or"
      : `there is an ikigai on the PATH, but no ${place}, where the tools of @ikigai/cli would be. If it is a script that starts another file,`;
  throw new AgentError("invalid_option", `Found no tools: ${problem} set toolPath to a directory of tools.`);
}

function toolsBelow(root: string): string {
  return join(root, "libexec/ikigai");
}

function packageRoot(): string | undefined {
  try {
    return dirname(fileURLToPath(import.meta.resolve("@ikigai/cli/package.json")));
  } catch {
    return undefined;
  }
}

/** Where the commands `ikigai` of the PATH are installed: the command is `dist/ikigai.js` of its package. */
function commandRoots(path: string): string[] {
  // A relative directory is the project's, whose tools need trust.
  return path
    .split(delimiter)
    .filter(isAbsolute)
    .flatMap((directory) => {
      try {
        return [dirname(dirname(realpathSync(join(directory, "ikigai"))))];
      } catch {
        return [];
      }
    });
}

/** Token counts, as `stream-json` prints them. */
export interface QueryUsage {
  /** All tokens sent, including the cached ones. */
  readonly input_tokens: number;
  /** All tokens received, including reasoning. */
  readonly output_tokens: number;
  /** Tokens sent that the provider read from its cache. */
  readonly cache_read_tokens: number;
  /** Tokens sent that the provider wrote to its cache. */
  readonly cache_write_tokens: number;
}

/** A call, and what the model got for it. */
export interface QueryCall {
  /** The tool's name. */
  readonly name: string;
  /** The arguments; a string if the model wrote no JSON object. */
  readonly arguments: JsonObject | string;
  /** Null if the task ended before the call did. */
  readonly envelope: Envelope | null;
}

/** The first object. */
export interface QuerySession {
  /** The kind of object. */
  readonly type: "session";
  /** The ID to resume. */
  readonly session_id: string;
  /** `provider/model`. */
  readonly model: string;
  /** The directory the session started in. */
  readonly cwd: string;
  /** The instruction files that the model gets. */
  readonly instructions: readonly string[];
}

/** The last object. */
export interface QueryResult {
  /** The kind of object. */
  readonly type: "result";
  /** Why the task ended. */
  readonly reason: TurnEnd["reason"];
  /** The text of the last step. */
  readonly result: string;
  /** The answer that fits `outputSchema`. */
  readonly structured?: JsonValue;
  /** The ID to resume. */
  readonly session_id: string;
  /** How many requests were answered. */
  readonly turns: number;
  /** The usage of the whole task. */
  readonly usage: QueryUsage;
  /** All calls, in order. */
  readonly tool_calls: readonly QueryCall[];
  /** One sentence for the user; absent if the task is done or was interrupted. */
  readonly error?: NonNullable<TurnEnd["error"]>;
}

type Rewritten = "tool_call" | "tool_result" | "step_end" | "turn_end";

/** An object of `stream-json`: the events of an agent, with the names and values that are printed. */
export type QueryEvent =
  | QuerySession
  | Exclude<AgentEvent, { readonly type: Rewritten }>
  | ({ readonly type: "tool_call"; readonly id: string } & Omit<QueryCall, "envelope">)
  | {
      readonly type: "tool_result";
      readonly id: string;
      readonly name: string;
      readonly envelope: Envelope;
      readonly duration_ms: number;
    }
  | {
      readonly type: "step_end";
      readonly finish: Extract<AgentEvent, { readonly type: "step_end" }>["finish"];
      readonly usage: QueryUsage;
    }
  | QueryResult;

/* The report of a task, from which the objects and the printed lines come. */

/** A call and its result. */
interface CallRecord {
  readonly name: string;
  readonly arguments: string;
  /** The envelope's exact text. */
  envelope: string;
}

/** The report of a task: the lines of `stream-json`, one for each event, or the one object of `json`. */
export class TaskReport {
  /** The calls so far, by ID. */
  readonly calls = new Map<string, CallRecord>();
  readonly sessionId: string | undefined;

  /** @param sessionId absent if the task could not start, and no session was resumed. */
  constructor(sessionId: string | undefined) {
    this.sessionId = sessionId;
  }

  /** The first line. */
  start({ model, cwd, instructions }: TaskStart): string {
    return JSON.stringify({ type: "session", session_id: this.sessionId, model, cwd, instructions });
  }

  /** Takes each event; returns its line. */
  line(event: Exclude<AgentEvent, { readonly type: "turn_end" }>): string {
    if (event.type === "tool_call") {
      this.calls.set(event.id, { name: event.name, arguments: event.arguments, envelope: "null" });
    }
    if (event.type === "tool_result") {
      const call = this.calls.get(event.id);
      if (call) call.envelope = event.json;
    }
    return eventLine(event);
  }

  /** The last line. */
  end(end: TaskEnd): string {
    return jsonObject({ type: '"result"', ...this.#result(end) });
  }

  /** The object that `--output-format json` prints. */
  json(end: TaskEnd): string {
    return jsonObject(this.#result(end));
  }

  #result({ reason, text, steps, usage, structured, error }: TaskEnd) {
    const list = [...this.calls.values()].map(({ name, arguments: args, envelope }) =>
      jsonObject({ name: JSON.stringify(name), arguments: argumentsJson(args), envelope }),
    );
    return {
      reason: JSON.stringify(reason),
      result: JSON.stringify(text),
      ...(structured !== undefined && { structured: onOneLine(structured) }),
      ...(this.sessionId !== undefined && { session_id: JSON.stringify(this.sessionId) }),
      turns: String(steps),
      usage: usageJson(usage),
      tool_calls: `[${list.join(",")}]`,
      ...(error && { error: JSON.stringify(error) }),
    };
  }
}

/** What the first line of `stream-json` names. */
export interface TaskStart {
  /** `provider/model`; null if the task could not start. */
  readonly model: string | null;
  /** The directory the session started in. */
  readonly cwd: string;
  /** The instruction files that the model gets. */
  readonly instructions: readonly string[];
}

/** The line of `--output-format stream-json` for an event; the end is `resultLine`. */
function eventLine(event: Exclude<AgentEvent, { readonly type: "turn_end" }>): string {
  const { type } = event;
  switch (type) {
    case "tool_call":
      return jsonObject({ ...head(event), arguments: argumentsJson(event.arguments) });
    case "tool_start": {
      const { arguments: changed, ...start } = event;
      const fields = Object.entries(start).map(([name, value]) => [name, JSON.stringify(value)]);
      const given = changed !== undefined && { arguments: argumentsJson(changed) };
      return jsonObject({ ...Object.fromEntries(fields), ...given });
    }
    case "tool_result":
      return jsonObject({ ...head(event), envelope: event.json, duration_ms: String(Math.round(event.durationMs)) });
    case "shown":
      return JSON.stringify({ ...event, visual: toKept(event.visual) });
    case "step_end":
      return jsonObject({ type: '"step_end"', finish: JSON.stringify(event.finish), usage: usageJson(event.usage) });
    default:
      return JSON.stringify(event);
  }
}

/** How a task ended: a turn, or what kept it from starting. */
export type TaskEnd = Omit<TurnEnd, "error"> & {
  readonly error?: { readonly code: string; readonly message: string };
};

function head({ type, id, name }: { type: string; id: string; name: string }) {
  return { type: JSON.stringify(type), id: JSON.stringify(id), name: JSON.stringify(name) };
}

function usageJson({ inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens }: Usage): string {
  return JSON.stringify({
    input_tokens: inputTokens,
    output_tokens: outputTokens,
    cache_read_tokens: cacheReadTokens,
    cache_write_tokens: cacheWriteTokens,
  });
}
