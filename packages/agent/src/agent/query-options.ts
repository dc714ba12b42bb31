import type { LanguageModel } from "@ikigai/models";
import type { Ask, PermissionMode } from "@ikigai/permission";
import type { JsonObject } from "@ikigai/protocol";
import type { UserInput } from "../turn/user-input.ts";

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
