// `ikigai -p`: one turn, its answer on stdout in the wanted format, and its exit code. own-command-of and replayed-session are loaded only by
// prompts that need them.

import { existsSync, fstatSync, readFileSync } from "node:fs";
import type { AgentEvent, TurnEnd } from "@ikigai/agent";
import { readOutputSchema, TaskReport } from "@ikigai/agent/internal";
import { IkigaiError } from "@ikigai/core/errors";
import { type Model, noUsage } from "@ikigai/models";
import type { JsonValue } from "@ikigai/protocol";
import { sanitise, sanitiseLine } from "@ikigai/screen";
import type { RecordedAnswers } from "@ikigai/session";
import { systemReason } from "@ikigai/system";
import type { OutputFormat } from "../args/option.ts";
import type { Invocation } from "../args/parse-argv.ts";
import { UsageError } from "../args/usage-error.ts";
import {
  type Agent,
  agentWithServers,
  loadServers,
  serversOf,
  worktreeOf,
} from "../host/conversation/agent-from-flags.ts";
import { requireSandbox } from "../host/conversation/command-tools.ts";
import { sayAtExit } from "../host/conversation/open-notices.ts";
import { type ChosenModel, chooseModel } from "../host/model/choose-model.ts";
import { findPlaces } from "../host/places/find-places.ts";
import { type CommandErrorCode, exitCodes, failureExit, untilExit } from "../host/terminal/exit.ts";
import { printError, printOut } from "../host/terminal/stdout.ts";
import { taskAdvice } from "../render/failures.ts";
import { parseObject, safeJson } from "../render/json.ts";
import { printFaithfully } from "../render/line-output.ts";
import { reportTools, requireRules } from "../render/tool/report-tools.ts";
import { type Message, sendMessage, type TurnFace } from "../session/take-input.ts";
import { workLeft } from "../session/work-left.ts";
import type { ReplayedSession } from "./replayed-session.ts";

type PrintInvocation = Extract<Invocation, { kind: "print" }>;

/** A task that can start. */
interface Task {
  readonly agent: Agent;
  readonly model: Model;
  readonly message: Message;
  readonly outputSchema: TurnFace["outputSchema"];
  readonly recorded: RecordedAnswers | undefined;
}

/**
 * Does one task without a terminal; returns the exit code. stdout gets only the answer.
 *
 * @throws UsageError if there is no prompt.
 */
export async function runPrint(invocation: PrintInvocation): Promise<number> {
  const { format } = invocation;
  const worktree = await worktreeOf(invocation.flags);
  const flags = worktree?.flags ?? invocation.flags;
  let agent: Agent | undefined;
  let task: Task;
  try {
    task = await prepareTask({ ...invocation, flags }, (opened) => {
      agent = opened;
    });
  } catch (error) {
    // A command line or a configuration that cannot be used is no result.
    if (error instanceof IkigaiError && failureExit(error).exitCode === exitCodes.failed)
      printUnstarted(error, agent, format);
    await worktree?.leave(true);
    throw error;
  }
  const end = await doTask(task, format);
  if (end.error?.code === "limit_reached") {
    const { leftToDo } = await import("../session/limits.ts");
    const left = leftToDo(task.agent).trim();
    if (left !== "") printError(`${sanitise(left)}\n`);
  }
  await task.agent.endSession("other", sayAtExit);
  for (const line of await workLeft(task.agent)) printError(`${sanitise(line)}\n`);
  await worktree?.leave(false);
  return exitCodeOf(end);
}

/** Opens the agent and prints what the user should know. */
async function prepareTask({ prompt, flags }: PrintInvocation, onOpen: (agent: Agent) => void): Promise<Task> {
  const outputSchema = flags.schemaFile === undefined ? undefined : await readSchemaFile(flags.schemaFile);
  // Loaded only by a task that replays a session.
  const replayed =
    flags.replay === undefined ? undefined : (await import("./replayed-session.ts")).readReplayed(flags.replay);
  const recording = replayed?.recording;
  const named = await serversOf(flags);
  refuseServers("servers_unreadable", named.problems);
  const agent = await agentWithServers(named, flags, {
    keepsOutputs: true,
    ...(recording && { replayOf: recording.replayOf ?? recording.id }),
  });
  onOpen(agent);
  await requireSandbox(agent.rules, agent.places, agent.env);
  await requireRules(agent);
  loadServers(agent);
  const [input, chosen] = await Promise.all([
    readPipedInput({ isNeeded: prompt.trim() === "" && recording?.firstMessage === undefined }),
    chooseOrReplay(agent, flags.model, replayed),
  ]);
  if ("model" in chosen) void chosen.model.prepare?.();
  if ("problem" in input) throw new UsageError(input.problem);
  if (recording && flags.model === undefined && !["", recording.firstMessage?.trim()].includes(prompt.trim()))
    throw new UsageError("--replay without --model repeats the recorded messages, not another: leave out the prompt.");
  const own = prompt.startsWith("/")
    ? await (await import("./own-command-of.ts")).ownCommandOf(prompt, agent)
    : undefined;
  const given = [own ?? prompt, input.text].filter((part) => part.trim() !== "").join("\n\n");
  const text = given === "" ? (recording?.firstMessage ?? "") : given;
  if (text === "") throw new UsageError('Missing a prompt. Write: ikigai -p "PROMPT"');
  for (const notice of agent.notices) printError(`${sanitise(notice)}\n`);
  if ("error" in chosen) throw chosen.error;
  if (recording) printError(`Replaying session ${sanitiseLine(recording.id)}: no tool runs.\n`);
  for (const notice of [chosen.notice, chosen.model.notice])
    if (notice !== undefined) printError(`${sanitise(notice)}\n`);
  await requireServers(agent);
  await reportTools(agent);
  // Only images that the prompt names: piped input and the text of a custom command may come from anyone.
  const message = { text, typed: prompt };
  return { agent, model: chosen.model, message, outputSchema, recorded: replayed?.answers };
}

async function chooseOrReplay(
  agent: Agent,
  wanted: string | undefined,
  replayed: ReplayedSession | undefined,
): Promise<ChosenModel> {
  if (replayed && wanted === undefined) return replayed;
  const isPlanned = agent.permission.mode === "plan" && agent.config.models?.plan !== undefined;
  return chooseModel(agent, wanted ?? (isPlanned ? "plan" : undefined));
}

async function doTask({ agent, model, message, outputSchema, recorded }: Task, format: OutputFormat): Promise<TurnEnd> {
  const report = new TaskReport(agent.conversation.id);
  const output = recorded ? safely : faithfully;
  const printing: PrintOptions = { format, output, hasSchema: outputSchema !== undefined };
  if (format === "stream-json") output.json(report.start(startOf(agent, model)));
  return sendMessage(message, {
    agent,
    model,
    work: (_, run) => untilExit(run),
    warn: (problem) => printError(`${problem}\n`),
    async ready() {},
    begin: () => ({
      ...(outputSchema && { outputSchema }),
      ...(recorded && { recorded }),
      waitsForJobs: true,
      emit: (event) => printEvent(event, report, printing),
    }),
    ended: (end) => printEnd(end, report, printing),
  });
}

function startOf({ conversation: { cwd }, instructions }: Agent, { id }: Model) {
  return { model: id, cwd, instructions };
}

function exitCodeOf({ reason }: TurnEnd): number {
  switch (reason) {
    case "done":
      return exitCodes.done;
    case "interrupted":
      return exitCodes.interrupted;
    case "failed":
    case "max_steps":
    case "loop":
      return exitCodes.failed;
    default:
      return reason satisfies never;
  }
}

/** When to say that a pipe is waited for, and for how long its first bytes are, in milliseconds: a CI's may stay open and empty. */
const noticeMs = 3_000;
const firstBytesMs = 30_000;

const empty = "To run without piped input: </dev/null";

/** Limit of piped input, in bytes. */
const maxBytes = 10 * 1_048_576;

/** The piped input; empty if stdin is a terminal, closed or /dev/null. */
type PipedInput = { readonly text: string } | { readonly problem: string };

/**
 * Reads piped input until end of file.
 *
 * @param isNeeded whether the task depends on it; if so, waits without a limit.
 */
async function readPipedInput({ isNeeded }: { isNeeded: boolean }): Promise<PipedInput> {
  if (!mayCarryText()) return { text: "" };
  const { stdin } = process;
  const chunks: Buffer[] = [];
  let bytes = 0;
  return new Promise((settle) => {
    const finish = (result: PipedInput) => {
      clearTimers();
      stdin.removeAllListeners().on("error", () => {});
      stdin.destroy();
      settle(result);
    };
    const text = () => ({ text: Buffer.concat(chunks).toString("utf8") });
    const say = () => printError(`Waiting for data on stdin. ${empty}\n`);
    const giveUp = () => finish({ problem: `No data on stdin for ${firstBytesMs / 1_000} s. ${empty}` });
    const timers = isNeeded ? [] : [setTimeout(say, noticeMs), setTimeout(giveUp, firstBytesMs)];
    const clearTimers = () => timers.forEach(clearTimeout);
    stdin.on("data", (chunk: Buffer) => {
      clearTimers();
      chunks.push(chunk);
      bytes += chunk.length;
      if (bytes > maxBytes) finish({ problem: `Expected at most ${maxBytes} bytes on stdin, got more.` });
    });
    stdin.on("end", () => finish(text())).on("error", () => finish(text()));
  });
}

function mayCarryText(): boolean {
  try {
    const stdin = fstatSync(0);
    return stdin.isFIFO() || stdin.isFile() || stdin.isSocket();
  } catch {
    return false;
  }
}

/**
 * Reads the file of --output-schema.
 *
 * @throws UsageError if it cannot be read, is not JSON, or is not a JSON Schema.
 */
async function readSchemaFile(path: string): Promise<TurnFace["outputSchema"]> {
  const read = await readOutputSchema(parse(textOf(path), path));
  if ("problem" in read) throw new UsageError(`--output-schema ${path} is not a usable JSON Schema. ${read.problem}`);
  return read.schema;
}

function textOf(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    const reason = systemReason(error as NodeJS.ErrnoException);
    throw new UsageError(`Cannot read --output-schema ${path}: ${reason}.`);
  }
}

function parse(text: string, path: string): JsonValue {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new UsageError(`--output-schema ${path} is not JSON: ${(error as Error).message}.`);
  }
}

/** Why MCP servers of a task cannot be used: the task may need them, so it does not begin. */
type ServersErrorCode = Extract<CommandErrorCode, "servers_unreadable" | "servers_not_started">;

/** @throws IkigaiError if there are problems, one sentence each. */
function refuseServers(code: ServersErrorCode, problems: readonly string[]): void {
  if (problems.length > 0) throw new IkigaiError<CommandErrorCode>(code, problems.map(sanitiseLine).join("\n"));
}

/**
 * Waits until the MCP servers of the task have said what they have, and their tools are loaded.
 *
 * @throws IkigaiError `servers_not_started` if one of them cannot be used.
 */
async function requireServers({ servers, toolbox }: Agent): Promise<void> {
  if (!servers) return;
  await servers.untilLoaded();
  refuseServers("servers_not_started", servers.problems);
  for (const line of servers.takeNews()) printError(`${sanitiseLine(line)}\n`);
  await toolbox.current();
}

/** Writes to stdout. */
interface Output {
  json(text: string): void;
  text(text: string): void;
}

/** Unchanged: programs get exactly the text of the model and the tools. */
export const faithfully: Output = {
  json: (text) => printFaithfully(`${text}\n`),
  text: printFaithfully,
};

/** Sanitised: the text comes from a session file that anyone may have written, and must not control a terminal. */
export const safely: Output = {
  json: (text) => printOut(`${safeJson(text)}\n`),
  text: (text) => printOut(sanitise(text)),
};

/** How a task is printed. */
export interface PrintOptions {
  readonly format: OutputFormat;
  readonly output: Output;
  /** Whether the answer must fit a schema: then nothing else is printed. */
  readonly hasSchema: boolean;
}

/** Prints an event as it happens, and records it for the result. */
export function printEvent(event: AgentEvent, report: TaskReport, { format, output }: PrintOptions): void {
  const line = event.type === "turn_end" ? undefined : report.line(event);
  if (event.type === "notice") printError(`${sanitise(event.text)}\n`);
  if (format === "stream-json" && line !== undefined) output.json(line);
}

/** Prints the result of the task. */
export function printEnd(end: TurnEnd, report: TaskReport, { format, output, hasSchema }: PrintOptions): void {
  for (const refusal of refusals(report)) printError(`${sanitise(refusal)}\n`);
  if (end.error) printError(`ikigai: ${sanitise(end.error.message)}${taskAdvice(end.error.code, report.sessionId)}\n`);
  if (format === "json") output.json(report.json(end));
  else if (format === "stream-json") output.json(report.end(end));
  else {
    const text = hasSchema ? (end.structured ?? "") : end.text;
    if (text !== "") output.text(text.endsWith("\n") ? text : `${text}\n`);
  }
}

/** Prints the result of a task that could not start. @param agent absent if it could not be opened either */
export function printUnstarted({ code, message }: IkigaiError, agent: Agent | undefined, format: OutputFormat): void {
  if (format === "text") return;
  const { id, log } = agent?.conversation ?? {};
  // Only a resumed session has a file.
  const sessionId = log?.path !== undefined && existsSync(log.path) ? id : undefined;
  const cwd = agent?.conversation.cwd ?? findPlaces(process.env).projectDir;
  const report = new TaskReport(sessionId);
  const error = { code: String(code), message };
  const end = { reason: "failed" as const, text: "", steps: 0, usage: noUsage, error };
  const start = { model: null, cwd, instructions: agent?.instructions ?? [] };
  const lines = format === "json" ? [report.json(end)] : [report.start(start), report.end(end)];
  for (const line of lines) safely.json(line);
}

/** Why calls were denied, or kept from something, one per line: the user can allow them. */
function refusals({ calls }: TaskReport): string[] {
  const told = [...calls.values()].flatMap(({ name, envelope }) => {
    const { error_code: code, error, sandbox } = parseObject(envelope) ?? {};
    const why = code === "TOOL_DENIED" ? error : sandbox;
    return why === undefined ? [] : [`${name}: ${why}`];
  });
  return [...new Set(told)];
}
