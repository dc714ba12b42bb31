import type { Outcome, RegisteredTool } from "@ikigai/core";
import { failedOutcome } from "@ikigai/core/internal";
import { shellWord } from "@ikigai/system";
import { asSentence } from "../model/as-sentence.ts";
import { argumentsOf, factsOf } from "../permission/call-facts.ts";
import { decide, touchesProtected } from "../permission/decide.ts";
import { isDoubtfulUrl } from "../permission/domain/plain-url.ts";
import { insertRule, whyStillAsked } from "../permission/insert-rule.ts";
import type { Answer, Decision, HookVerdict, PendingCall, Question } from "../permission/permission.ts";
import { ruleFor } from "../permission/rule-for.ts";
import { replacesUnseen } from "./seen-files.ts";
import { tellOfQuestion } from "./tell-of-question.ts";
import type { CallContext } from "./turn-context.ts";

/** A call that may need the user's permission. */
export interface CallToPermit {
  readonly call: PendingCall;
  readonly tool: RegisteredTool;
  /** What hooks have said about it. */
  readonly hooks: readonly HookVerdict[];
}

/** Asks for permission if needed; `undefined` if the call may run. */
export async function refusalOf(turn: CallContext, one: CallToPermit): Promise<Outcome | undefined> {
  const decision = decide(one.call, one.tool, turn.permission, one.hooks);
  if (decision.verdict === "allow") return unseenRefusal(turn, one);
  if (decision.verdict === "deny" || !turn.ask) return failedOutcome("TOOL_DENIED", deniedText(turn, one, decision));
  turn.waiting++;
  const asked = turn.question.then(() => {
    turn.waiting--;
    return askUser(turn, one);
  });
  turn.question = asked.catch(() => {});
  return asked;
}

/** Asks, unless the answer to an earlier question has decided it. */
async function askUser(turn: CallContext, one: CallToPermit): Promise<Outcome | undefined> {
  const { permission, ask } = turn;
  const { call, tool, hooks } = one;
  const decision = decide(call, tool, permission, hooks);
  if (turn.signal.aborted || !ask) return cancelled(call.name);
  if (decision.verdict === "allow") return unseenRefusal(turn, one);
  const isNews = replacesNews(turn, one);
  const reason = isNews ? `${decision.reason}; ${unseenText}` : decision.reason;
  const question = {
    ...questionOf(turn, one, { ...decision, reason }, isNews),
    get waiting() {
      return turn.waiting;
    },
  };
  tellOfQuestion(turn, `ikigai needs your permission to use ${tool.name}`);
  const answer = await orAbort(ask(question, turn.signal), turn.signal);
  if (answer === undefined) return cancelled(call.name);
  if (answer.allow) return remember(turn, question, answer);
  if (answer.isUnasked) return failedOutcome("TOOL_DENIED", deniedText(turn, one, decision));
  const words = answer.words?.trim();
  return failedOutcome(
    "TOOL_DENIED",
    words ? `The user denied this call and says: ${words}` : "The user denied this call.",
  );
}

const unseenText = "the file has changed on disk since the model last read or wrote it";

function replacesNews({ conversation, permission }: CallContext, { call, tool }: CallToPermit): boolean {
  return !tool.launcher && replacesUnseen(conversation, tool, argumentsOf(call), permission.projectDir);
}

/** Without a question, the user would not notice losing what they saved meanwhile. */
function unseenRefusal(turn: CallContext, one: CallToPermit): Outcome | undefined {
  if (!replacesNews(turn, one)) return undefined;
  const what = `${unseenText[0]?.toUpperCase()}${unseenText.slice(1)}`;
  const text = `${what}. Nothing was written. Read the file again, then make the call with its new content in mind.`;
  return failedOutcome("TOOL_DENIED", text);
}

/** Why a question offers no rule, besides what always needs one. */
const doubtfulText = "programs could find different hosts in its url";

function namesDoubtfulUrl(call: PendingCall): boolean {
  const { url } = argumentsOf(call);
  return typeof url === "string" && isDoubtfulUrl(url);
}

function questionOf(
  { permission }: CallContext,
  { call, tool }: CallToPermit,
  { reason, isByHook }: Decision,
  isNews = false,
): Question {
  const facts = factsOf(call, tool, permission.projectDir);
  const realPath = facts.filePath?.real;
  const isAlwaysAsked = isByHook || touchesProtected(facts, permission) !== undefined;
  const mustAsk = isAlwaysAsked || isNews;
  const rule = isAlwaysAsked ? undefined : ruleFor(facts, permission.projectDir);
  return {
    call,
    tool,
    reason: !isAlwaysAsked && namesDoubtfulUrl(call) ? doubtfulText : reason,
    ...(realPath !== undefined && { realPath }),
    ...(rule !== undefined && { rule }),
    ...(mustAsk && { mustAsk }),
  };
}

async function remember(
  turn: CallContext,
  question: Question,
  answer: Extract<Answer, { allow: true }>,
): Promise<undefined> {
  const { rule } = question;
  if (rule === undefined || !answer.remember) return;
  const added = { verdict: "allow", rule } as const;
  insertRule(turn.permission, added);
  if (answer.remember === "always") await turn.saveRule?.(added);
  const text = whyStillAsked(question, turn.permission, added);
  if (text !== undefined) turn.emit({ type: "notice", text });
}

function deniedText(turn: CallContext, one: CallToPermit, decision: Decision): string {
  const { verdict, reason, isByHook } = decision;
  if (verdict === "deny") return asSentence(`This call is not allowed: ${reason}`);
  const what = "This call needs permission, and this run is not interactive";
  if (isByHook) return asSentence(`${what}: ${reason}`);
  const { rule } = questionOf(turn, one, decision);
  if (rule !== undefined) return `${what}. To allow it: --allow ${shellWord(rule)}`;
  if (namesDoubtfulUrl(one.call))
    return `${what}: ${doubtfulText}. Write https://HOST/PATH, without a user name, spaces and backslashes.`;
  return `${what}. It always needs confirmation by the user.`;
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

/** The outcome of a call that the user interrupted. */
export function cancelled(name: string): Outcome {
  return failedOutcome("TOOL_CANCELLED", `Tool '${name}' was interrupted by the user`);
}
