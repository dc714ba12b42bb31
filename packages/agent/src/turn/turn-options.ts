import type { Catalog, RegisteredTool, Registry, SandboxSettings, SpareTools } from "@ikigai/core";
import type { Model, PatienceConfig, ThinkingLevel, Usage } from "@ikigai/models";
import type { Answer, AnswerTool, Ask, Confirm, Permission, PermissionRule, RulePlace } from "@ikigai/permission";
import type { HostUse, RecordedAnswers, TurnUndo } from "@ikigai/session";
import type { Config } from "../config/config.ts";
import type { ToolSettings } from "../config/tool-settings.ts";
import type { Hooks } from "../hooks/run-hooks.ts";
import type { ConversationJobs } from "../jobs/jobs.ts";
import type { Agents } from "../subagents/agent-state.ts";
import type { NamedAgent } from "../subagents/grant.ts";
import type { AgentEvent, UserInput } from "./agent-event.ts";
import type { TurnLimits } from "./limits.ts";
import type { OutputSchema } from "./output-schema.ts";
import type { FrozenPrompt } from "./system-prompt.ts";

/** A call whose programs may connect to hosts. */
export interface NetworkedCall {
  readonly tool: RegisteredTool;
  /** The `IKIGAI_CALL_ID` of its process. */
  readonly processId: string;
  /** Whether the user has permitted a host with the call. */
  readonly mayReach?: ((host: string) => boolean) | undefined;
  /**
   * Asks the user about a host, after the questions before it; `undefined` if it is decided by then, or the signal is aborted. Absent without a
   * user to ask.
   */
  readonly ask?: (host: string, isDecided: () => boolean, signal: AbortSignal) => Promise<Answer | undefined>;
  /** Absent if its programs cannot ask for that. */
  readonly recordGit?: RecordGit | undefined;
}

/** Runs a git command that records work for a program of a call. Never rejects. */
export type RecordGit = (request: Readonly<Record<string, unknown>>, signal: AbortSignal) => Promise<object>;

/** What a call exchanged with hosts. */
export interface CallEnd {
  readonly hosts: readonly HostUse[];
  /** What the model gets about hosts that were refused; absent without one. */
  readonly advice?: string;
  /** What the user should know, once: the network cannot be made. */
  readonly notice?: string;
}

/** The network of the sandboxes, for calls. */
export interface CallNetwork {
  /** A call begins. Returns what ends it. */
  callStarts(call: NetworkedCall): () => CallEnd;
}

/** What calls need besides the conversation. */
export interface CallOptions {
  /** The permissions. Their project is also where tools work. */
  readonly permission: Permission;
  /** Absent without a user to ask. */
  readonly ask?: Ask;
  /**
   * Asks whether to send a message although a hook that may refuse it is broken, and whether to wait for the project's files to be saved.
   * Absent without a user to ask: then neither is done.
   */
  readonly confirm?: Confirm;
  /**
   * Says how a rule can be given, for a denied call without a user to ask: the end of a sentence. Without a rule, how the mode auto
   * can be. Default: the rule alone.
   */
  readonly allowAdvice?: (rule?: string) => string;
  /** Puts the questions of tools to the user. Absent without a user to ask: then tools do not ask. */
  readonly answerTool?: AnswerTool;
  /** Whether someone sees what a tool shows during its call, as an event `shown`. Default: no. */
  readonly drawsVisuals?: boolean;
  /** Saves a rule permanently, like `saveRule`. */
  readonly saveRule?: (rule: PermissionRule, where: RulePlace) => Promise<void>;
  /** Saves that the user has agreed to what a tool needs, like `agreeToNeeds`. */
  readonly saveNeeds?: (tool: RegisteredTool) => Promise<void>;
  readonly emit: (event: AgentEvent) => void;
  /** Stops what runs: everything said and done so far stays in the conversation. */
  readonly signal?: AbortSignal;
  /** Returns how to run a tool's calls, like `toolRules`. */
  readonly settingsFor?: (name: string) => ToolSettings;
  /** Returns the sandbox that can hold a tool's calls, like `toolRules`. */
  readonly sandboxFor?: (name: string) => SandboxSettings | undefined;
  /** The network of the sandboxes. The user is asked about hosts, and the model learns which ones were refused. */
  readonly network?: CallNetwork;
  /** Settles when it is known whether the sandbox works. Calls wait for it. */
  readonly sandboxChecked?: () => Promise<void>;
  /** Called before each call of a tool, which waits for it. */
  readonly callStarts?: (tool: RegisteredTool) => Promise<void>;
  /** The jobs that calls leave. Its creator ends them. Default: calls leave none. */
  readonly jobs?: ConversationJobs;
  /** Keeps tool processes warm for the next call. Its creator closes it. */
  readonly spares?: SpareTools;
  /** Saves the project's files around the calls of a turn. */
  readonly undo?: TurnUndo;
  /** The environment of tools, before core removes the providers' keys. */
  readonly env?: NodeJS.ProcessEnv;
  /** The directory for output over the limit. */
  readonly overflowDir?: string;
  /** Returns the list of tools and skills, for the tools that load them. */
  readonly catalog?: () => Catalog | undefined;
  /** Answers calls instead of the tools: nothing runs, so there are no questions. */
  readonly recorded?: RecordedAnswers;
  /** The user's and the project's hooks. Default: none. */
  readonly hooks?: Hooks;
  /** The agents that tools may start. Default: none. */
  readonly agents?: Agents;
  /** The agents with instructions of their own. */
  readonly namedAgents?: readonly NamedAgent[];
  /** The model of the conversation, which agents use by default. */
  readonly model?: Pick<Model, "id">;
  /** How edits are checked. Default: new errors are part of their result. */
  readonly config?: Pick<Config, "diagnostics">;
  /** Keys, which are removed from tool output; see `secretsOf`. */
  readonly secrets?: readonly string[];
}

/** What a turn needs besides the conversation. */
export interface TurnOptions extends CallOptions {
  readonly model: Model;
  readonly prompt: FrozenPrompt;
  /** Returns the current tools; called before each request. */
  readonly registry: () => Promise<Registry>;
  /**
   * Takes the messages that the user has sent since the turn began. Called before each request, so that the model gets them
   * at its next step, and at the end: the turn continues while there are any.
   */
  readonly takeSteering?: () => readonly UserInput[];
  /** Whether the turn continues until the jobs that the model waits for have ended. */
  readonly waitsForJobs?: boolean;
  /** The form of the final answer. The model gets `maxCorrections` further steps for an answer that does not fit. */
  readonly outputSchema?: OutputSchema;
  readonly thinking?: ThinkingLevel;
  /** Returns the model's context window in tokens, if known by now. The conversation is compacted before it is full. */
  readonly contextWindow?: () => number | undefined;
  /** Returns what a usage costs, in US dollars, if that is known by now. */
  readonly costOf?: (usage: Usage) => number | undefined;
  /** Maximum number of requests. */
  readonly maxSteps?: number;
  /** What the turn may cost, and how long it may take. */
  readonly limits?: TurnLimits;
  /** Looks whether the turn's goal is reached, when the model is done, and returns what to say: to the model, which continues if it is not. */
  readonly goal?: (signal: AbortSignal) => Promise<{ readonly isReached: boolean; readonly text: string }>;
  /** Whether the tokens of this agent are used up: then the turn ends before the next request. */
  readonly isSpent?: () => boolean;
  readonly patience?: PatienceConfig;
  /** Called with a message that is not sent: a hook refuses it, or the user does. */
  readonly notSent?: (input: UserInput) => void;
}
