import type { PatienceConfig } from "../config/config.ts";
import type { ThinkingLevel } from "../model/model.ts";
import type { Ask, PermissionRule } from "../permission/permission.ts";
import type { PermissionMode } from "../permission/permission-modes.ts";
import type { LanguageModel } from "../providers/language-model.ts";

/** What an agent may do without a question, and who is asked. */
export interface AgentPermission {
  /** What happens to a call that no rule matches; the configured mode, else `ask`. */
  readonly mode?: PermissionMode;
  /** Come before the configured rules; the first that matches decides. */
  readonly rules?: readonly PermissionRule[];
  /** Is asked, one question at a time. Without it, every call that would be a question is denied. */
  readonly ask?: Ask;
}

/** What an agent is made of. Only `cwd` decides where it works. */
export interface AgentOptions {
  /**
   * `provider/model`, or a language model of the AI SDK. Otherwise the configured model, else that of the first provider with
   * a key, else a local Ollama's.
   */
  readonly model?: string | LanguageModel;
  /** The project's directory: tools work in it, its `.ikigai/tools` count if the user trusts them. The process's own unless set. */
  readonly cwd?: string;
  readonly permission?: AgentPermission;
  /**
   * The directory of the tools that your program brings, for instance the `node_modules/.bin` into which `@ikigai/bash-tool`
   * was installed. They are not asked for trust, so never take it from the project. None unless set.
   */
  readonly toolsDir?: string;
  /** The user's directory (configuration, tools, trust, sessions); `IKIGAI_HOME`, else `~/.ikigai`, unless set. */
  readonly home?: string;
  /** Keys of providers, addresses, what tools inherit without those keys; `process.env` unless set. */
  readonly env?: NodeJS.ProcessEnv;
  /** The id of a session to continue, or the beginning of it. A new session unless set. */
  readonly session?: string;
  /** What else must not reach tools' answers, files or events, beside the keys that are known. */
  readonly secrets?: readonly string[];
  readonly thinking?: ThinkingLevel;
  /** How many requests one message may take; 500 unless set here or configured. */
  readonly maxSteps?: number;
  /** How much the model reads, in tokens, where ikigai does not know it. Room is made before it is full. */
  readonly contextWindow?: number;
  /** Comes before the configured patience: timeouts of ikigai's own providers, and retries. */
  readonly patience?: PatienceConfig;
}
