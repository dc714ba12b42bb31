// What a turn and its calls work with. In order: the network of calls; the options of calls in their parts (the user, how tools run,
// what surrounds a run, agents), and of turns; tools that start early; the state while a turn runs; its log, its hooks and its questions.

import type { Catalog, RegisteredTool, Registry, SandboxSettings, SpareTools } from "@ikigai/core";
import type { ExpectedCall, startAhead } from "@ikigai/core/internal";
import type { Model, Patience, PatienceConfig, ThinkingLevel, Usage } from "@ikigai/models";
import type {
  Answer,
  AnswerTool,
  Ask,
  Confirm,
  PendingCall,
  Permission,
  PermissionRule,
  Question,
  RulePlace,
  RunPlace,
} from "@ikigai/permission";
import type { Conversation, HostUse, RecordedAnswers, SessionEvent, TurnUndo } from "@ikigai/session";
import type { Config } from "../config/config.ts";
import type { ToolSettings } from "../config/tool-settings.ts";
import type { HookScene, Hooks } from "../hooks/run-hooks.ts";
import type { ConversationJobs } from "../jobs/conversation-jobs.ts";
import type { Agents } from "../subagents/agents.ts";
import type { NamedAgent } from "../subagents/grant.ts";
import type { AgentEvent, UserInput } from "./agent-event.ts";
import type { OutputSchema } from "./output-schema.ts";
import type { FrozenPrompt } from "./system-prompt.ts";
import type { LimitWatch, LoopGuard, TurnLimits } from "./turn-limits.ts";

/** Asks about a host. @param asked `near`: where it leads, if not to the internet. */
export type AskAboutHost = (
  asked: { readonly host: string; readonly near?: string | undefined },
  isDecided: () => boolean,
  signal: AbortSignal,
) => Promise<Answer | undefined>;

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
  readonly ask?: AskAboutHost;
  /** Absent if its programs cannot ask for that. */
  readonly commitGit?: CommitGit | undefined;
}

/** Runs a git command that records work for a program of a call. Never rejects. */
export type CommitGit = (request: Readonly<Record<string, unknown>>, signal: AbortSignal) => Promise<object>;

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

/** The user, as calls reach them. Without a user to ask, all questions are absent. */
export interface UserLink {
  readonly ask?: Ask;
  /**
   * Asks whether to send a message although a hook that may refuse it is broken, and whether to wait for the project's files to be saved.
   * Absent: neither is done.
   */
  readonly confirm?: Confirm;
  /** Puts the questions of tools to the user. Absent: tools do not ask. */
  readonly answerTool?: AnswerTool;
  /**
   * Says how a rule can be given, for a denied call without a user to ask: the end of a sentence. Without a rule, how the mode auto
   * can be. Default: the rule alone.
   */
  readonly allowAdvice?: (rule?: string) => string;
  /** Saves a rule permanently, like `saveRule`. */
  readonly saveRule?: (rule: PermissionRule, where: RulePlace) => Promise<void>;
  /** Saves that the user has agreed to what a tool needs, like `agreeToNeeds`. */
  readonly saveNeeds?: (tool: RegisteredTool) => Promise<void>;
  /** Whether someone sees what a tool shows during its call, as an event `shown`. Default: no. */
  readonly drawsVisuals?: boolean;
}

/** How tools are run: `aheadCalls` makes the circumstances of each call of this. */
export interface ToolRuns {
  /** Returns how to run a tool's calls, like `toolRules`. */
  readonly settingsFor?: (name: string) => ToolSettings;
  /** Returns the sandbox that can hold a tool's calls, like `toolRules`. */
  readonly sandboxFor?: (name: string) => SandboxSettings | undefined;
  /** The environment of tools, before core removes the providers' keys. */
  readonly env?: NodeJS.ProcessEnv;
  /** The directory for output over the limit. */
  readonly overflowDir?: string;
  /** Keeps tool processes warm for the next call. Its creator closes it. */
  readonly spares?: SpareTools;
  /** The jobs that calls leave. Its creator ends them. Default: calls leave none. */
  readonly jobs?: ConversationJobs;
  /** Returns the list of tools and skills, for the tools that load them. */
  readonly catalog?: () => Catalog | undefined;
  /** How edits are checked. Default: new errors are part of their result. */
  readonly config?: Pick<Config, "diagnostics">;
}

/** What surrounds the run of a call. */
export interface CallSurroundings {
  /** Settles when it is known whether the sandbox works. Calls wait for it. */
  readonly sandboxChecked?: () => Promise<void>;
  /** The network of the sandboxes. The user is asked about hosts, and the model learns which ones were refused. */
  readonly network?: CallNetwork;
  /** Called before each call of a tool, which waits for it. */
  readonly callStarts?: (tool: RegisteredTool) => Promise<void>;
  /** Saves the project's files around the calls of a turn. */
  readonly undo?: TurnUndo;
}

/** The agents that calls may start. */
export interface StartableAgents {
  /** Default: none. */
  readonly agents?: Agents;
  /** The agents with instructions of their own. */
  readonly namedAgents?: readonly NamedAgent[];
  /** The model of the conversation, which agents use by default. */
  readonly model?: Pick<Model, "id">;
}

/** What calls need besides the conversation. */
export interface TurnCallOptions extends UserLink, ToolRuns, CallSurroundings, StartableAgents {
  /** The permissions. Their project is also where tools work. */
  readonly permission: Permission;
  /** The user's and the project's hooks. Default: none. */
  readonly hooks?: Hooks;
  /** Answers calls instead of the tools: nothing runs, so there are no questions. */
  readonly recorded?: RecordedAnswers;
  /** Keys, which are removed from tool output; see `secretsOf`. */
  readonly secrets?: readonly string[];
  readonly emit: (event: AgentEvent) => void;
  /** Stops what runs: everything said and done so far stays in the conversation. */
  readonly signal?: AbortSignal;
}

/** What a turn needs besides the conversation. */
export interface TurnOptions extends TurnCallOptions {
  readonly model: Model;
  readonly prompt: FrozenPrompt;
  /** Returns the current tools; called before each request. */
  readonly currentRegistry: () => Promise<Registry>;
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

/** Tools started early because the model has begun a call. */
export interface AheadCalls {
  /**
   * Returns the circumstances of a call in the current step, whether it has arrived or is only expected.
   *
   * @param place where it runs. Default: where most calls of the tool do.
   */
  circumstances(id: string, tool: RegisteredTool, place?: RunPlace): ExpectedCall;
  start(id: string, name: string, registry: Registry): void;
  /** Returns the process started for a call, if there is one. */
  take(id: string): ReturnType<typeof startAhead>;
  /** The request is being sent. */
  asked(): void;
  /** Ends the processes whose calls did not arrive. */
  discard(): void;
}

/** What running calls needs: of a turn, or of a call that another program's model makes. A function that needs less says so. */
export interface CallContext extends TurnCallOptions {
  readonly conversation: Conversation;
  readonly signal: AbortSignal;
  readonly secrets: readonly string[];
  readonly questions: QuestionQueue;
  readonly guard: LoopGuard;
  readonly ahead: AheadCalls;
  /** Why a hook ended the turn. */
  hookEnd?: string;
  /** Writes to the log before the event takes effect. Notifies the user once if that fails. */
  record(event: SessionEvent): void;
}

/** What hooks need of a turn. */
export type HookedTurn = Pick<
  CallContext,
  "hooks" | "recorded" | "agents" | "conversation" | "permission" | "secrets" | "signal" | "record" | "emit"
>;

/** A running turn: its options and its state. */
export interface TurnContext extends TurnOptions, CallContext {
  readonly signal: AbortSignal;
  readonly model: Model;
  readonly secrets: readonly string[];
  readonly patience: Patience;
  usage: Usage;
  steps: number;
  /** The text of the last step. */
  text: string;
  /** The number of corrections: answers that did not fit the output schema. */
  corrections: number;
  /** How often the model has been done since its last call, with a goal that is not reached. */
  idleAnswers: number;
  /** How often a rejected request had to be shortened; 0 again after one that succeeded. */
  compactions: number;
  /** The number of steps when the model last failed to summarize, so that it is not asked again at every step. */
  summaryFailedAtStep?: number;
  /** The server has rejected a request with a thinking level, and accepted it without: the rest of the turn has none. */
  leavesOutThinking?: boolean;
  /** How often hooks have had the turn continued. */
  continuations: number;
  /** Follows what the turn uses; absent without limits. */
  readonly watch?: LimitWatch;
}

/** Returns a function that writes to a conversation's log. @param tell called once for each new problem with the log. */
export function recorder({ log }: Conversation, tell: (problem: string) => void): (event: SessionEvent) => void {
  const reported = new Set([log.problem]);
  return (event) => {
    log.append(event);
    const { problem } = log;
    if (problem === undefined || reported.has(problem)) return;
    reported.add(problem);
    tell(problem);
  };
}

/** A turn as its hooks see it; `undefined` without hooks, and when recorded answers replace what would run. */
export function sceneOf(turn: HookedTurn): HookScene | undefined {
  const { hooks, recorded, conversation, permission, secrets, signal } = turn;
  if (!hooks || recorded || hooks.finder.isEmpty()) return undefined;
  return {
    ...{ hooks, conversation, permission, secrets, signal },
    record: (event) => turn.record(event),
    notice: (text) => turn.emit({ type: "notice", text }),
  };
}

/** Runs the hooks for a question to the user, who does not wait for them. */
export function tellOfQuestion(turn: HookedTurn, message: string): void {
  const scene = sceneOf(turn);
  // The session that started an agent reports its questions to the hooks.
  if (scene && !turn.agents?.grant) void tell(scene, message);
}

async function tell(scene: HookScene, message: string): Promise<void> {
  // Loaded only now: most users have no hooks.
  const { runAll } = await import("../hooks/run-hooks.ts");
  await runAll(scene, "question", { message, notification_type: "permission_prompt" });
}

/** The questions of a turn. */
export class QuestionQueue {
  #last: Promise<unknown> = Promise.resolve();
  readonly #waiting: Question[] = [];
  // Not by the calls' IDs, which a server can use again.
  readonly #decided = new WeakMap<PendingCall, "allow" | "deny">();
  #answerCount = 0;

  /** Asks when the questions before it are answered. */
  next<Value>(ask: () => Promise<Value>): Promise<Value> {
    const asked = this.#last.then(ask);
    this.#last = asked.catch(() => {});
    return asked;
  }

  /** Asks about a call when the questions before it are answered. Until then, an answer to one of these can decide it. */
  nextAbout<Value>(question: Question, ask: () => Promise<Value>): Promise<Value> {
    this.#waiting.push(question);
    return this.next(() => {
      this.#waiting.splice(this.#waiting.indexOf(question), 1);
      return ask();
    });
  }

  /** The questions about the calls that wait until they can be asked about. More may come. */
  get waiting(): readonly Question[] {
    return this.#waiting;
  }

  /** Counts an answer, and keeps what it says about calls that wait. */
  answered(answer: Answer | undefined): void {
    this.#answerCount++;
    for (const { call } of this.#waiting)
      if (answer?.others?.includes(call.id)) this.#decided.set(call, answer.allow ? "allow" : "deny");
  }

  /** How many questions have been answered: what they allowed may have changed what a call does. */
  get answerCount(): number {
    return this.#answerCount;
  }

  /** Returns what the user has said about a call with the answer to an earlier question. */
  decided(call: PendingCall): "allow" | "deny" | undefined {
    return this.#decided.get(call);
  }
}
