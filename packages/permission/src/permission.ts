// The words of this package: modes, rules, calls that need a decision, decisions, and the questions that a user answers. Types, and the
// tables of modes and verdicts.

import type { RegisteredTool } from "@ikigai/core";
import type { AskResult, JsonObject, QuestionKind, ToolScope } from "@ikigai/protocol";

/** The texts about a mode. */
export interface PermissionModeFacts {
  /** A short name, for where there is little room. */
  readonly title: string;
  /** What happens to a call that no rule matches, in a few words. */
  readonly about: string;
}

/** The modes, in the order in which they are offered. */
export const permissionModeTable = {
  ask: { title: "ask", about: "ask (with -p: deny)" },
  edits: {
    title: "allow edits",
    about: "like ask, but ikigai's file tools may change the project",
  },
  auto: {
    title: "auto",
    about: "run it in the sandbox; ask for what needs to leave it",
  },
  plan: { title: "plan", about: "read only: change nothing, whatever rules allow" },
  allow: { title: "allow all", about: "run it" },
  deny: { title: "deny all", about: "deny it" },
} as const satisfies Readonly<Record<PermissionMode, PermissionModeFacts>>;

/**
 * Decides calls that no rule matches: `ask`, `edits` (like `ask`, but ikigai's file tools may change the project), `auto` (run in the
 * sandbox, or ask), `plan` (read only), `allow` or `deny`.
 */
export type PermissionMode = "ask" | "edits" | "auto" | "plan" | "allow" | "deny";

/** All modes, in the same order. */
export const permissionModes = Object.keys(permissionModeTable) as PermissionMode[];

/** The modes that a key switches between in a conversation, in order. @param hasSandbox whether calls can run in the sandbox. */
export function conversationModes(hasSandbox: boolean): readonly PermissionMode[] {
  return hasSandbox ? ["plan", "ask", "auto"] : ["plan", "ask", "edits", "allow"];
}

/** The decision about a call. */
export type Verdict = "allow" | "ask" | "deny";

/** All decisions. */
export const verdicts: readonly Verdict[] = ["allow", "ask", "deny"];

/** Whether a value is one of the decisions. Programs in JavaScript may pass others. */
export function isVerdict(value: unknown): value is Verdict {
  return verdicts.some((one) => one === value);
}

/**
 * Where a call runs. `reading`: in the sandbox, where nothing can be changed; `working`: in the sandbox, where the project can;
 * `committing`: the same, for git, which can write to the repository; `outside`: as the user.
 */
export type RunPlace = "reading" | "working" | "committing" | "outside";

/**
 * What the sandbox is for. `on`: all calls of a tool run in it, unless the user lets one out; `offered`: only those that need no
 * question.
 */
export type SandboxUse = "on" | "offered";

/** A rule, `tool`, `tool(pattern)` or `outside(…)` around one of these, and its verdict. `*` in the pattern matches any text. */
export interface PermissionRule {
  /** What happens to a call that matches. */
  readonly verdict: Verdict;
  /** As the user writes it, for instance `bash(git status*)`. */
  readonly rule: string;
}

/** Where a rule is saved: for the project's directory, or for all of them. */
export type RulePlace = "project" | "everywhere";

/** The permissions of a conversation. `rules` grows when the user wants a call remembered. */
export interface Permission {
  mode: PermissionMode;
  /** The first match decides. */
  rules: PermissionRule[];
  /** The directory in which system tools may read, list and search files without a question. */
  readonly projectDir: string;
  /** The directory in the project where calls run, after `/cd`: a real path. Absent: `projectDir`. */
  cwd?: string | undefined;
  /** Directories that count as the project, too: real paths. */
  directories?: readonly string[];
  /** Whether read-only bash commands in there need no question. Default: true. */
  readOnlyCommands?: boolean;
  /** Other directories in which system tools may read files without a question: where long outputs are saved. */
  readableDirs?: readonly string[];
  /** The directory with the user's tools and configuration. Writing there always needs a question. */
  readonly home: string;
  /** What the sandbox is for a tool's calls; `undefined` if it holds none of them. Absent: there is no sandbox. */
  readonly sandboxOf?: (tool: RegisteredTool) => SandboxUse | undefined;
  /** Whether git can write to the repository from the place `working`. Default: false. */
  readonly gitWrites?: boolean;
  /** What tools need that the user has agreed to for this conversation; see `needsKey`. */
  agreedNeeds?: Set<string>;
  /** What else must allow a call: the permissions of the agents that started this one. The strictest decides. */
  readonly limits?: readonly PermissionLimit[];
}

/** The directory in which calls run, and in which their relative paths begin. */
export function callDirectory({ cwd, projectDir }: Pick<Permission, "cwd" | "projectDir">): string {
  return cwd ?? projectDir;
}

/** The permissions of an agent that started another one, as they were then. */
export interface PermissionLimit extends Readonly<Pick<Permission, "mode" | "readOnlyCommands">> {
  readonly rules: readonly PermissionRule[];
  /** Its directory; absent if the other one works in a copy of it. */
  readonly projectDir?: string;
  /** The directories that counted as its project, too. */
  readonly directories?: readonly string[];
}

/** A call that needs a decision. */
export interface PendingCall {
  /** The model's ID of the call. */
  readonly id: string;
  /** The tool's name. */
  readonly name: string;
  /** A JSON object, as the model wrote it. */
  readonly arguments: string;
  /** The parsed arguments, if they are already parsed. */
  readonly value?: JsonObject;
  /** Why git cannot record work in the sandbox: the end of a sentence. Empty if it can; absent if no one has looked. */
  readonly gitProblem?: string;
}

/**
 * Whether a call is one of the bash that comes with ikigai, so that its arguments, its progress and its answer are known. Logs do not say
 * whose tool it was: without a scope, the name decides.
 */
export function isSystemBash(call: { readonly name: string; readonly scope?: ToolScope | undefined }): boolean {
  return call.name === "bash" && (call.scope ?? "system") === "system";
}

/** What a hook says about a call. */
export interface HookVerdict {
  /** A hook that is broken asks. */
  readonly verdict: Verdict;
  /** The hook and its reason: the end of a sentence. */
  readonly reason: string;
}

/** A call that may need the user's permission. */
export interface CallToPermit {
  readonly call: PendingCall;
  readonly tool: RegisteredTool;
  /** What hooks have said about it. */
  readonly hooks: readonly HookVerdict[];
  /** Whether the user has written the arguments, so that only a refusal is still possible. */
  readonly isUsers?: boolean;
}

/** The decision about a call, and its reason. */
export interface Decision {
  readonly verdict: Verdict;
  /** The reason, in a few words for the user. */
  readonly reason: string;
  /** Whether no further hook can change it. */
  readonly isFinal?: true;
  /** Whether a hook decided: a rule would not change it. */
  readonly isByHook?: true;
  /** Whether it is about what the tool needs: no rule would change it. */
  readonly isAboutNeeds?: true;
}

/** A question to the user about a call. */
export interface Question {
  /** The call that needs a decision. */
  readonly call: PendingCall;
  /** The tool that it calls. */
  readonly tool: RegisteredTool;
  /** Why the question is needed, in a few words. */
  readonly reason: string;
  /** The file or directory that the call names, symlinks resolved. */
  readonly realPath?: string;
  /** The rule that allows exactly this call, for instance `bash(npm test)`; absent if no rule can, or should, skip the question. */
  readonly rule?: string;
  /**
   * The rules to offer, the first one first: lists of rules that together allow the call, for instance `bash(npm test *)`. The exact
   * rule is among them. Absent with `rule`, and for a call that waits.
   */
  readonly offers?: readonly (readonly string[])[];
  /** Whether the mode `edits` would allow it: it changes a file of the project. */
  readonly isEdit?: true;
  /** The agents that make the call, from the outside to the inside; absent for a call of this session. */
  readonly agents?: readonly string[];
  /** The directory in which the agent works. */
  readonly directory?: string;
  /** Whether the user has to be asked although rules might allow the call: a hook asks, or the file has changed. */
  readonly mustAsk?: true;
  /**
   * The host that the call, which is already running or gets a page, wants to reach: `HOST`, or `HOST:PORT` for other ports than those
   * of http and https. The question is about that, `rule` allows the host, and `reason` says where it leads. Absent for a question about
   * the call itself.
   */
  readonly host?: string;
  /** Why the call must leave the sandbox, in the model's words; absent if it need not. */
  readonly outside?: string;
  /**
   * What the tool needs in the sandbox and the user has not agreed to, one per line. A yes is about this call, too; remembered, it is about
   * these needs, for this content of the tool's file. Absent if the question is about something else.
   */
  readonly needs?: readonly string[];
  /** The questions about the calls that wait behind this one. More may come while it is open. */
  readonly waiting?: readonly Question[];
}

/** The user's answer to a question. */
export type Answer =
  | {
      readonly allow: true;
      /** `session`: until this conversation ends; `project` and `everywhere`: also saves the rules, for this project or all. */
      readonly remember?: "session" | RulePlace;
      /** The rules to add. Default: the question's `rule`. */
      readonly rules?: readonly string[];
      /** What to run instead: the call's arguments as the user has changed them, a JSON object. The model learns of it. */
      readonly arguments?: string;
      /** The IDs of waiting calls that may run, too: the user has seen them. */
      readonly others?: readonly string[];
    }
  | {
      readonly allow: false;
      /** The user's words to the model. */
      readonly words?: string;
      /** The IDs of waiting calls that may not run, either. */
      readonly others?: readonly string[];
      /** No one could be asked. */
      readonly isUnasked?: true;
      /** The mode has changed while the question was open: the call is judged again. */
      readonly isOutdated?: true;
    };

/** A question about something else than a call, with two answers. All texts are ours, or sanitised by who shows them. */
export interface YesOrNo {
  /** A sentence above the question. */
  readonly why: string;
  readonly question: string;
  readonly yes: string;
  readonly no: string;
  /** Who asks. */
  readonly asker: string;
  /** Whether yes is the answer that loses nothing. */
  readonly isSafe?: boolean;
}

/** Asks the user; `undefined` if they do not answer. */
export type Confirm = (asked: YesOrNo, signal: AbortSignal) => Promise<boolean | undefined>;

/** Asks the user, one question at a time. Without it, every call that needs a question is denied. */
export type Ask = (question: Question, signal: AbortSignal) => Promise<Answer>;

/** A question that a tool puts to the user during its call. */
export interface ToolQuestion {
  /** The model's ID of the call. */
  readonly callId: string;
  /** The tool that asks. */
  readonly tool: RegisteredTool;
  /** The agents whose tool asks, from the outside to the inside; absent for a tool of this session. */
  readonly agents?: readonly string[];
  /** The directory in which the agent works. */
  readonly directory?: string;
  /** The tool's words. They may contain control characters and several lines. */
  readonly question: string;
  /** What kind of answer it wants. */
  readonly kind: QuestionKind;
  /** The answers to choose from, for the kind `choice`; else empty. */
  readonly options: readonly string[];
}

/**
 * Puts a tool's question to the user, one question at a time. The answer to a `confirm` is `yes` or `no`; that to a `choice` is one
 * of the options, or something else that the user has written. Returns `undefined` if the user can no longer be asked, and soon after
 * the signal is aborted.
 */
export type AnswerTool = (question: ToolQuestion, signal: AbortSignal) => Promise<AskResult | undefined>;
