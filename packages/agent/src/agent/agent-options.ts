import type { LanguageModel, PatienceConfig, ThinkingLevel } from "@ikigai/models";
import type { AnswerTool, Ask, PermissionMode, PermissionRule } from "@ikigai/permission";
import type { JsonObject } from "@ikigai/protocol";

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
