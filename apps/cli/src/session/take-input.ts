// Runs what the user typed, the same in every face of a conversation: a slash command, a shell command after `!`, or a message, with which a
// turn begins. A face only shows and asks. The full screen (tui/app/submit.ts) and line mode (lines/take-message.ts) are `CommandFace`s and call
// `takeInput`; an editor (acp/run-prompt.ts) and a task (print/run-print.ts) have no commands of this kind: they are `Face`s and call `sendMessage`.
// In reading order: the faces, a message, a shell command, what an interrupted turn may have changed, and what follows a finished plan, which
// the user is asked to have carried out.

import { randomUUID } from "node:crypto";
import type { AgentEvent, TurnEnd, UserInput } from "@ikigai/agent";
import { endsPlan, runUsersCall, takeTurn } from "@ikigai/agent/internal";
import { findTool, type RegisteredTool } from "@ikigai/core";
import type { Image, Model, TypedCall } from "@ikigai/models";
import type { Progress } from "@ikigai/protocol";
import { sanitise } from "@ikigai/screen";
import type { Agent } from "../host/conversation/agent-from-flags.ts";
import { placesOfCalls } from "../host/places/find-places.ts";
import { turnAdvice } from "../render/failures.ts";
import { isSlashCommand } from "./commands/find-command.ts";
import { imagesIn } from "./images-in.ts";

/** How a face takes part in a turn. */
export interface TurnFace
  extends Omit<Parameters<typeof takeTurn>[2], "model" | "signal" | "notSent" | "limits" | "goal"> {
  /** A message was not sent: a hook has refused it, or the user. */
  readonly notSent?: (typed: string, isStopped: boolean) => void;
}

/** A face of a conversation that takes messages. */
export interface Face {
  readonly agent: Agent;
  readonly model: Model;
  /** Runs work that the user, or the end of the process, can stop. */
  work<Result>(kind: "thinking" | "running", run: (signal: AbortSignal) => Promise<Result>): Promise<Result>;
  /** Waits for the MCP servers and the tools, and says what of them cannot be used. */
  ready(signal: AbortSignal): Promise<void>;
  /** Tells the user something besides the answer; the text is sanitised. */
  warn(text: string): void;
  /** A turn begins. */
  begin(): TurnFace | Promise<TurnFace>;
  /** A turn has ended. @param words returns what to say about it, sanitised: that it was interrupted, or why it failed */
  ended(end: TurnEnd, words: () => Promise<string | undefined>): Promise<void> | void;
}

/** A face with commands. */
export interface CommandFace extends Face {
  /** Runs a slash command, or returns what it sends to the model. */
  command(text: string): Promise<string | undefined>;
  /** A command after `!` begins. */
  shell(command: ShellCommand): ShellFace;
}

/** A shell command that the user typed. */
export interface ShellCommand {
  readonly id: string;
  readonly call: TypedCall;
  readonly command: string;
  /** After `!!`: it stays out of the conversation. */
  readonly isApart: boolean;
}

/** How a face shows a shell command. */
export interface ShellFace {
  /** The tool is known. Returns whether the face has run the command itself. */
  started(tool: RegisteredTool | undefined): Promise<boolean> | boolean;
  progressed?(progress: Progress): void;
  ended(result: Extract<AgentEvent, { readonly type: "tool_result" }>): void;
}

/** Runs what the user typed; without empty ends. */
export async function takeInput(typed: string, face: CommandFace): Promise<void> {
  if (typed.startsWith("!")) return runShell(typed, face);
  // In Claude Code, it would be kept.
  if (/^#[^\S\n]+\S[^\n]*$/.test(typed))
    face.warn("This goes to the model as a message. To keep it for later sessions, add it to AGENTS.md.");
  const text = isSlashCommand(typed) ? await face.command(typed) : typed;
  if (text !== undefined) await sendMessage({ text, typed }, face);
}

/** A message to the model. */
export interface Message {
  readonly text: string;
  /** What the user typed: only the images that it names are attached. The text of a custom command may come from a project. */
  readonly typed?: string;
  readonly images?: readonly Image[];
}

/** Runs a turn with the model. */
export async function sendMessage({ text, typed = "", images = [] }: Message, face: Face): Promise<TurnEnd> {
  const { agent } = face;
  return face.work("thinking", async (signal) => {
    await face.ready(signal);
    const { emit, notSent, ...turn } = await face.begin();
    const input = withImages({ text, images }, typed, face);
    const changes = watchChanges(agent);
    const end = await takeTurn(agent, input, {
      ...turn,
      ...(await boundsOf(face)),
      model: face.model,
      signal,
      ...(notSent && { notSent: (one) => notSent(one.text === text ? typed : one.text, signal.aborted) }),
      emit(event) {
        changes.see(event);
        emit(event);
      },
    });
    await face.ended(end, async () => {
      if (end.reason === "interrupted") return changes.interrupted();
      if (!end.error) return undefined;
      const left = end.error.code === "limit_reached" ? sanitise((await import("./limits.ts")).leftToDo(agent)) : "";
      return `${sanitise(end.error.message)}${left}${turnAdvice(end.error.code)}`;
    });
    return end;
  });
}

/** The limits of a turn, and its goal. Loaded only by those who have set one. */
async function boundsOf({ agent, model }: Face): Promise<Pick<Parameters<typeof takeTurn>[2], "limits" | "goal">> {
  const { run, maxCost, maxMinutes, config } = agent;
  if ((run.goal ?? maxCost ?? maxMinutes ?? config.limits) === undefined) return {};
  const { turnLimits, towardsGoal } = await import("./limits.ts");
  const limits = await turnLimits(agent, model);
  const goal = async (signal: AbortSignal) => {
    const command = run.goal;
    const look = command === undefined ? { isReached: true, text: "" } : await towardsGoal(agent, command, signal);
    if (look.isReached) run.goal = undefined;
    return look;
  };
  return { ...(limits && { limits }), ...(run.goal !== undefined && { goal }) };
}

/** A message with the images that the user has named; says why others cannot be attached. */
export function withImages(input: UserInput, typed: string, { agent, warn }: Pick<Face, "agent" | "warn">): UserInput {
  const { images, problems } = imagesIn(typed, placesOfCalls(agent).projectDir);
  for (const problem of problems) warn(sanitise(problem));
  return { ...input, images: [...(input.images ?? []), ...images] };
}

/** Runs the command after `!` with the bash tool, without asking. It becomes part of the conversation; after `!!` it does not. */
async function runShell(typed: string, face: CommandFace): Promise<void> {
  const { agent } = face;
  const isApart = typed.startsWith("!!");
  const command = typed.slice(isApart ? 2 : 1).trim();
  if (command === "") return face.warn("Missing command after !, for example: !git status");
  await face.work("running", async (signal) => {
    const id = `typed-${randomUUID()}`;
    const call = { name: "bash", arguments: JSON.stringify(typedArguments(command)) };
    const shown = face.shell({ id, call, command, isApart });
    const registry = await agent.toolbox.current();
    await agent.commands.write();
    if (await shown.started(findTool(registry, "bash"))) return;
    const onProgress = shown.progressed && { onProgress: (progress: Progress) => shown.progressed?.(progress) };
    const outcome = await runUsersCall(agent, { ...call, id }, { registry, signal, isApart, ...onProgress });
    shown.ended({ type: "tool_result", id, name: "bash", ...outcome });
  });
}

/**
 * The arguments of bash for a command that the user typed after `!`. One that ends in `&` runs in the background, as a shell does it:
 * otherwise it would end with the call.
 */
export function typedArguments(typed: string): { readonly command: string; readonly background?: true } {
  const [, command] = /^([^\n]*[^&\s\\])\s*&$/.exec(typed) ?? [];
  return command === undefined ? { command: typed } : { command, background: true };
}

/** Programs that are interactive whatever their arguments, and those that are without any. */
const interactive = new Set(
  (
    "vi vim nvim view vimdiff nano pico emacs emacsclient hx helix micro joe kak ed less more most man info " +
    "top htop btop atop watch tmux screen mc ranger nnn lf vifm tig lazygit gitui fzf gum dialog whiptail " +
    "sudo su doas passwd ssh mosh telnet ftp sftp gdb lldb psql mysql redis-cli mongosh crontab visudo vipw"
  ).split(" "),
);
const interactiveAlone = new Set(
  "python python3 ipython node bun deno irb ghci lua R julia sqlite3 bash sh zsh fish bc".split(" "),
);

/** Logging in somewhere, and git commands that ask what to take or open an editor. */
const asking = [
  /^(?:\S+\s+){1,2}login\b/,
  /^git\s+(?:add|checkout|reset|restore|stash|commit|rebase)\s(?:.*\s)?(?:-p|--patch|-i|--interactive)\b/,
  /^git\s+commit\b(?!.*(?:\s-\w*[mFC]|--message|--file|--no-edit|--reuse-message|--fixup))/,
];

const begin = /^(?:(?:[A-Za-z_]\w*=\S*|env|exec|command|time|nohup|nice)\s+)*/;

/** Whether a command after a single `!` needs a terminal, judged by the program of each part. After `!!` every command gets it. */
export function wantsTerminal(command: string): boolean {
  const unquoted = command.replace(/'[^']*'|"(?:[^"\\]|\\.)*"/g, "x");
  return unquoted.split(/\|\||&&|[|;&\n]/).some((part) => {
    const call = part.trim().replace(begin, "");
    const [program = "", ...args] = call.split(/\s+/);
    const name = program.slice(program.lastIndexOf("/") + 1);
    if (interactive.has(name)) return !args.some((arg) => arg === "--version" || arg === "--help");
    return (interactiveAlone.has(name) && args.length === 0) || asking.some((pattern) => pattern.test(call));
  });
}

const readingKinds: readonly (string | undefined)[] = ["read-file", "list-files", "search-files"];

/** Whether a tool is one of ikigai's own that can only read files. */
export function onlyReads({ scope, schema }: RegisteredTool): boolean {
  const { access, diagnostics } = schema.ikigai ?? {};
  // A language server may write what it proposes.
  return scope === "system" && diagnostics === undefined && readingKinds.includes(access?.kind);
}

/** Watches a turn for calls that may change something. */
function watchChanges({ toolbox }: Agent) {
  const names = new Map<string, string>();
  const started = new Set<string>();
  return {
    see(event: AgentEvent): void {
      if (event.type === "tool_call") names.set(event.id, event.name);
      if (event.type === "tool_start") started.add(names.get(event.id) ?? "");
    },
    async interrupted(): Promise<string> {
      const { tools } = await toolbox.last();
      const reading = tools.filter(onlyReads).map(({ name }) => name);
      return interruptedText([...started].some((name) => !reading.includes(name)));
    },
  };
}

/** What to print of a turn that was interrupted. */
export function interruptedText(hasChanged: boolean): string {
  return hasChanged ? "Interrupted. Changes made so far are kept." : "Interrupted.";
}

export const planTitle = "Carry out this plan?";

/** The message to the model after a yes. */
export const carryOut = "Carry out the plan.";

/** An answer by which the work begins: `y` with a question before each change, `a` without. */
export type PlanYes = "y" | "a";

/** Whether a turn has ended with a finished plan. */
export function isPlan({ reason, text }: TurnEnd, { permission }: Agent): boolean {
  return reason === "done" && permission.mode === "plan" && endsPlan(text);
}

export function planYes({ sandbox }: Agent): Readonly<Record<PlanYes, string>> {
  return {
    y: "yes, and ask before each change",
    a: sandbox.isThere ? "yes, in the sandbox (auto)" : "yes, and allow edits in the project",
  };
}

export const keepPlanning = "no, keep planning";

/** Leaves plan mode for the mode that an answer names. */
export function leavePlan({ permission, sandbox }: Agent, letter: PlanYes): void {
  const fast = sandbox.isThere ? "auto" : "edits";
  permission.mode = letter === "a" ? fast : "ask";
}
