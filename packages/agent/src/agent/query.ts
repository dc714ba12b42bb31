import type { JsonObject } from "@ikigai/protocol";
import type { Ask } from "../permission/permission.ts";
import type { PermissionMode } from "../permission/permission-modes.ts";
import { findInstructions } from "../project/find-instructions.ts";
import type { LanguageModel } from "../providers/language-model.ts";
import type { UserInput } from "../turn/user-input.ts";
import { assembleAgent } from "./create-agent.ts";
import { installedTools } from "./installed-tools.ts";
import type { QueryEvent } from "./query-event.ts";
import { eventLine, type Report, record, resultLine, sessionLine } from "./stream-json.ts";

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

/**
 * Does one task; yields exactly the objects that `ikigai -p --output-format stream-json` prints, `session` first and `result`
 * last. Failures of models, tools and networks are in `result`. Leaving the loop stops the task and waits until none of it
 * runs.
 *
 * @throws AgentError, ModelError `configuration` or ConfigError before the first event; `invalid_option` also if there is
 * neither an installed command nor `toolPath`.
 */
export async function* query(options: QueryOptions): AsyncGenerator<QueryEvent, void, undefined> {
  const { prompt, signal, cwd, model, outputSchema, resume: session, maxTurns: maxSteps } = options;
  const { agent, context } = await assembleAgent({
    toolsDir: options.toolPath ?? installedTools(process.env),
    permission: permissionOf(options),
    ...(cwd !== undefined && { cwd }),
    ...(model !== undefined && { model }),
    ...(outputSchema && { outputSchema }),
    ...(session !== undefined && { session }),
    ...(maxSteps !== undefined && { maxSteps }),
  });
  try {
    const { conversation, permission } = context;
    const { files } = findInstructions(permission.projectDir, permission.home);
    const instructions = files.map(({ path }) => path);
    yield parse(sessionLine({ sessionId: agent.sessionId, model: agent.modelId, cwd: conversation.cwd, instructions }));
    const report: Report = { sessionId: agent.sessionId, calls: new Map() };
    for await (const event of agent.run(prompt, signal && { signal })) {
      record(report, event);
      yield parse(event.type === "turn_end" ? resultLine(report, event) : eventLine(event));
    }
  } finally {
    await agent.close();
  }
}

function permissionOf({ allow = [], permissionMode: mode, ask }: QueryOptions) {
  const rules = allow.map((rule) => ({ verdict: "allow" as const, rule }));
  return { rules, ...(mode && { mode }), ...(ask && { ask }) };
}

/** The lines are the only source of the objects, so both cannot differ. */
function parse(line: string): QueryEvent {
  return JSON.parse(line);
}
