import { findTool, type Outcome, type RegisteredTool, type Registry } from "@ikigai/core";
import { type CallArguments, executeCall, failedOutcome, notFound, prepareCall } from "@ikigai/core/internal";
import { shellWord } from "@ikigai/system";
import type { ToolCallPart } from "../model/message.ts";
import { argumentsOf, factsOf } from "../permission/call-facts.ts";
import { decide, touchesProtected } from "../permission/decide.ts";
import { insertRule, ruleThatAsks, stillAskedText } from "../permission/insert-rule.ts";
import type { Answer, PendingCall, Question } from "../permission/permission.ts";
import { ruleFor } from "../permission/rule-for.ts";
import { type CheckedCall, contentHash, keepCheckpoint } from "../rewind/checkpoints.ts";
import { whyNotWritten } from "../session/open-session-log.ts";
import { type SeenOutcome, withImages } from "./answer-images.ts";
import { callStart } from "./call-start.ts";
import { replacesUnseen, watchFile } from "./seen-files.ts";
import type { TurnContext } from "./turn-context.ts";
import { withoutSecrets } from "./without-secrets.ts";

/** Takes one call to its result. */
export async function runCall(
  turn: TurnContext,
  { id, name }: ToolCallPart,
  args: CallArguments,
  registry: Registry,
): Promise<SeenOutcome> {
  const { recorded } = turn;
  if (turn.signal.aborted) return cancelled(name);
  if (recorded) return recorded.answer(name, args.text);
  const tool = findTool(registry, name);
  if (tool === undefined) return notFound(registry, name);
  const refusal = await refusalOf(turn, { id, name, arguments: args.text, value: args.value }, tool);
  if (refusal) return refusal;
  if (turn.signal.aborted) return cancelled(name);
  return makeCall(turn, id, tool, args);
}

async function makeCall(
  turn: TurnContext,
  id: string,
  tool: RegisteredTool,
  args: CallArguments,
): Promise<SeenOutcome> {
  const { conversation, ahead } = turn;
  const circumstances = ahead.circumstances(id, tool.name);
  const prepared = prepareCall(tool, args, { ...circumstances, callId: id, ahead: ahead.take(id) });
  turn.record({ type: "tool_start", id, ...(await callStart(prepared)) });
  turn.emit({ type: "tool_start", id, name: tool.name, path: tool.path, scope: tool.scope });
  // A tool that runs elsewhere changes no file on this machine.
  const isHere = !tool.launcher;
  const checkpoint = isHere && keepOldContent(turn, { id, tool, args: args.value, circumstances });
  const watched = isHere && watchFile(conversation, tool, args.value, circumstances.cwd);
  const outcome = await executeCall(prepared);
  if (watched) watched.ended(outcome);
  if (checkpoint) {
    const { path } = checkpoint;
    turn.record({ type: "changed", id, path, sha256: contentHash(path) });
  }
  return withoutSecrets(withImages(outcome, tool, circumstances), turn.secrets);
}

/** If this fails, the call still runs: a full disk must not prevent the edits that free space on it. */
function keepOldContent(turn: TurnContext, call: CheckedCall) {
  try {
    const checkpoint = keepCheckpoint(turn.conversation, call);
    if (checkpoint) turn.record(checkpoint);
    return checkpoint;
  } catch (error) {
    turn.emit({ type: "notice", text: `What this call changes cannot be undone: ${whyNotWritten(error)}.` });
    return undefined;
  }
}

/** Asks for permission if needed; `undefined` if the call may run. */
async function refusalOf(turn: TurnContext, call: PendingCall, tool: RegisteredTool): Promise<Outcome | undefined> {
  const { permission, ask } = turn;
  const { verdict, reason } = decide(call, tool, permission);
  if (verdict === "allow") return unseenRefusal(turn, call, tool);
  if (verdict === "deny" || !ask) return failedOutcome("TOOL_DENIED", deniedText(turn, call, tool, verdict, reason));
  const asked = turn.question.then(() => askUser(turn, call, tool));
  turn.question = asked.catch(() => {});
  return asked;
}

/** Asks, unless the answer to an earlier question has decided it. */
async function askUser(turn: TurnContext, call: PendingCall, tool: RegisteredTool): Promise<Outcome | undefined> {
  const { permission, ask } = turn;
  const { verdict, reason } = decide(call, tool, permission);
  if (turn.signal.aborted || !ask) return cancelled(call.name);
  if (verdict === "allow") return unseenRefusal(turn, call, tool);
  const isUnseen = replacesNews(turn, call, tool);
  const question = questionOf(turn, call, tool, isUnseen ? `${reason}; ${unseenText}` : reason);
  const answer = await orAbort(ask(question, turn.signal), turn.signal);
  if (answer === undefined) return cancelled(call.name);
  if (answer.allow) return remember(turn, question, answer);
  const words = answer.words?.trim();
  return failedOutcome(
    "TOOL_DENIED",
    words ? `The user denied this call and says: ${words}` : "The user denied this call.",
  );
}

const unseenText = "the file has changed on disk since the model last read or wrote it";

function replacesNews({ conversation, permission }: TurnContext, call: PendingCall, tool: RegisteredTool): boolean {
  return !tool.launcher && replacesUnseen(conversation, tool, argumentsOf(call), permission.projectDir);
}

/** Without a question, the user would not notice losing what they saved meanwhile. */
function unseenRefusal(turn: TurnContext, call: PendingCall, tool: RegisteredTool): Outcome | undefined {
  if (!replacesNews(turn, call, tool)) return undefined;
  const what = `${unseenText[0]?.toUpperCase()}${unseenText.slice(1)}`;
  const text = `${what}. Nothing was written. Read the file again, then make the call with its new content in mind.`;
  return failedOutcome("TOOL_DENIED", text);
}

function questionOf({ permission }: TurnContext, call: PendingCall, tool: RegisteredTool, reason: string): Question {
  const facts = factsOf(call, tool, permission.projectDir);
  const realPath = facts.filePath?.real;
  const isAlwaysAsked = touchesProtected(facts, permission) !== undefined;
  return {
    call,
    tool,
    reason,
    ...(realPath !== undefined && { realPath }),
    ...(!isAlwaysAsked && { rule: ruleFor(facts, permission.projectDir) }),
  };
}

async function remember(
  turn: TurnContext,
  question: Question,
  answer: Extract<Answer, { allow: true }>,
): Promise<undefined> {
  const { rule } = question;
  if (rule === undefined || !answer.remember) return;
  const added = { verdict: "allow", rule } as const;
  insertRule(turn.permission, added);
  if (answer.remember === "always") await turn.saveRule?.(added);
  const above = ruleThatAsks(question, turn.permission, added);
  if (above) turn.emit({ type: "notice", text: stillAskedText(above) });
}

function deniedText(
  turn: TurnContext,
  call: PendingCall,
  tool: RegisteredTool,
  verdict: string,
  reason: string,
): string {
  if (verdict === "deny") return `This call is not allowed: ${reason}.`;
  const { rule } = questionOf(turn, call, tool, reason);
  const hint =
    rule === undefined ? "It always needs confirmation by the user." : `To allow it: --allow ${shellWord(rule)}`;
  return `This call needs permission, and this run is not interactive. ${hint}`;
}

/** Stops waiting for an answer when the user stops the turn. */
async function orAbort<Value>(promise: Promise<Value>, signal: AbortSignal): Promise<Value | undefined> {
  if (signal.aborted) return undefined;
  let onAbort = () => {};
  const aborted = new Promise<undefined>((resolve) => {
    onAbort = () => resolve(undefined);
    signal.addEventListener("abort", onAbort);
  });
  try {
    return await Promise.race([promise, aborted]);
  } finally {
    signal.removeEventListener("abort", onAbort);
  }
}

function cancelled(name: string): Outcome {
  return failedOutcome("TOOL_CANCELLED", `Tool '${name}' was interrupted by the user`);
}
