// Whether a call may run, and where. `judge` decides; what it leaves open is a question to the user, one at a time. In order: the
// decision, the question, what an answer changes, and the words of a refusal.

import { failedOutcome, type Outcome } from "@ikigai/core";
import { describeNeeds } from "@ikigai/core/trust";
import { asSentence } from "@ikigai/models";
import {
  type Answer,
  argumentsOf,
  type CallFacts,
  type CallToPermit,
  callDirectory,
  factsOf,
  hasParameter,
  hostText,
  insertRule,
  isAllowedInEdits,
  isDoubtfulUrl,
  type Judgement,
  judge,
  missingArgument,
  needsKey,
  pageHost,
  type Question,
  type RunPlace,
  refusedAddress,
  ruleFor,
  ruleOffers,
  touchesProtected,
  whyStillAsked,
} from "@ikigai/permission";
import { unlessAborted, userHome } from "@ikigai/system";
import { replacesUnseen } from "./call-files.ts";
import { type CallContext, type HookedTurn, tellOfQuestion, type UserLink } from "./turn-context.ts";

/** Whether a call may run. */
export interface Permit {
  /** Why not. */
  readonly refusal?: Outcome | undefined;
  /** The arguments that the user wants instead. */
  readonly changed?: string | undefined;
  /** Where it runs. */
  readonly place: RunPlace;
  /** Whether the user has agreed to what the tool needs, for this call. */
  readonly hasNeeds?: true;
  /** What to add to the result if it fails: why it ran there, and what would let it do more. */
  readonly advice?: string;
}

/** What deciding about a call needs of its turn: what the rules say, what the model has seen, and how the user is asked. */
type PermitScene = UserLink & HookedTurn & Pick<CallContext, "questions" | "undo">;

/** Asks for permission if needed. */
export async function permitCall(turn: PermitScene, asked: CallToPermit): Promise<Permit> {
  const judgement = judgeCall(turn, asked);
  const { place, mayRead } = judgement;
  const { verdict } = judgement.decision;
  const refusal = verdict === "ask" ? await refusedAddress(judgement.facts) : undefined;
  if (refusal !== undefined)
    return denied(turn, asked, { ...judgement, decision: { verdict: "deny", reason: refusal, isFinal: true } });
  if (verdict === "allow" || (verdict === "ask" && asked.isUsers))
    return { refusal: unseenRefusal(turn, asked), place };
  // There is no user to ask, and where nothing can be changed nothing need be asked.
  if (mayRead && !turn.ask) {
    return { place: "reading", advice: `It ran where nothing can be changed. ${deniedText(turn, asked, judgement)}` };
  }
  if (verdict === "deny" || !turn.ask) return denied(turn, asked, judgement);
  const version = versionOf(turn);
  return turn.questions.nextAbout(questionOf(turn, asked, judgement), () =>
    askUser(turn, asked, versionOf(turn) === version ? judgement : judgeCall(turn, asked), judgement),
  );
}

function judgeCall({ permission }: Pick<PermitScene, "permission">, { call, tool, hooks }: CallToPermit): Judgement {
  return judge(call, tool, permission, hooks);
}

/** Differs if a call has to be judged again. */
function versionOf({ permission: { mode, rules, agreedNeeds }, questions: { answerCount } }: PermitScene): string {
  return JSON.stringify([answerCount, mode, rules, agreedNeeds?.size]);
}

/** Asks, unless the answer to an earlier question has decided it. @param shown what was shown beside that question. */
async function askUser(
  turn: PermitScene,
  asked: CallToPermit,
  judgement: Judgement,
  shown: Judgement,
): Promise<Permit> {
  const { ask, questions } = turn;
  const { call, tool } = asked;
  const { place } = judgement;
  const { verdict } = judgement.decision;
  if (turn.signal.aborted || !ask) return { refusal: cancelled(call.name), place };
  if (verdict === "allow") return { refusal: unseenRefusal(turn, asked), place };
  if (verdict === "deny") return denied(turn, asked, judgement);
  const { isAboutNeeds } = judgement.decision;
  if (questions.decided(call) === "allow" && !replacesNews(turn, asked))
    return movedRefusal(turn, asked, shown) ?? { place, ...(isAboutNeeds && { hasNeeds: true }) };
  if (questions.decided(call) === "deny") return refused("The user denied this call.");
  const about = questionOf(turn, asked, judgement);
  const { rule } = about;
  const offers = rule !== undefined && { offers: ruleOffers(asked, judgement.facts, rule, turn.permission) };
  const question = { ...about, ...offers, waiting: questions.waiting };
  // It is ready when the user answers.
  if (place !== "reading") turn.undo?.expect(tool);
  tellOfQuestion(turn, `ikigai needs your permission to use ${tool.name}`);
  const answer = await unlessAborted(ask(question, turn.signal), turn.signal);
  questions.answered(answer);
  if (answer === undefined) return { refusal: cancelled(call.name), place };
  const moved = answer.allow === true ? movedRefusal(turn, asked, judgement) : undefined;
  if (moved) return moved;
  if (answer.allow === true && question.needs) return agreed(turn, question, answer, place);
  if (answer.allow === true) return { ...(await allowed(turn, question, answer)), place };
  if (answer.isUnasked) return denied(turn, asked, judgement);
  if (answer.isOutdated) return askUser(turn, asked, judgeCall(turn, asked), judgement);
  const words = answer.words?.trim();
  return refused(words ? `The user denied this call and says: ${words}` : "The user denied this call.");
}

/** While a question is open, a job can put a link into the path: the user has agreed to where it led. */
function movedRefusal(
  { permission }: Pick<PermitScene, "permission">,
  { call, tool }: CallToPermit,
  { facts }: Judgement,
): Permit | undefined {
  const { real } = factsOf(call, tool, permission).filePath ?? {};
  const shown = facts.filePath?.real;
  if (real === shown) return undefined;
  const now = real === undefined ? "nowhere" : `to ${real}`;
  return refused(
    `The path leads ${now} by now, but ${shown === undefined ? "nowhere" : `to ${shown}`} when the user was asked. Nothing was run.`,
  );
}

function refused(text: string): Permit {
  return { refusal: failedOutcome("TOOL_DENIED", text), place: "reading" };
}

const unseenText = "the file has changed on disk since the model last read or wrote it";

function replacesNews({ conversation, permission }: PermitScene, { call, tool }: CallToPermit): boolean {
  return !tool.launcher && replacesUnseen(conversation, tool, argumentsOf(call), callDirectory(permission));
}

/** Without a question, the user would not notice losing what they saved meanwhile. */
function unseenRefusal(turn: PermitScene, asked: CallToPermit): Outcome | undefined {
  if (!replacesNews(turn, asked)) return undefined;
  const what = `${unseenText[0]?.toUpperCase()}${unseenText.slice(1)}`;
  const text = `${what}. Nothing was written. Read the file again, then make the call with its new content in mind.`;
  return failedOutcome("TOOL_DENIED", text);
}

/** Why no rule can be about a call, and what the model can do about it. */
interface NoRule {
  readonly reason: string;
  readonly advice?: string;
}

/** Why no rule can be about the call, if it is because of its arguments. */
function whyNoRule(facts: CallFacts, allowAdvice = (rule: string) => `the rule ${rule}`): NoRule | undefined {
  const { name } = facts.tool;
  const missing = missingArgument(facts);
  if (missing !== undefined) {
    const quoted = JSON.stringify(missing);
    if (hasParameter(facts.tool, missing)) return { reason: `the argument ${quoted} is missing` };
    const reason = `calls of ${name} are judged by the argument ${quoted}, which this override of ${name} does not have`;
    return { reason, advice: `To allow all calls of ${name}: ${allowAdvice(name)}` };
  }
  const { url } = facts.args;
  if (typeof url !== "string" || !isDoubtfulUrl(url)) return undefined;
  return {
    reason: "programs could find different hosts in its url",
    advice: "Write https://HOST/PATH, without a user name, spaces and backslashes.",
  };
}

/** The question about a call. */
function questionOf(turn: PermitScene, asked: CallToPermit, { decision, facts, place }: Judgement): Question {
  const { permission } = turn;
  const { call, tool } = asked;
  const isNews = replacesNews(turn, asked);
  const reason = isNews ? `${decision.reason}; ${unseenText}` : decision.reason;
  const realPath = facts.filePath?.real;
  const { isAboutNeeds = false } = decision;
  const { needs } = tool.schema.ikigai ?? {};
  const isAlwaysAsked = decision.isByHook || isAboutNeeds || touchesProtected(facts, permission) !== undefined;
  const mustAsk = isAlwaysAsked || isNews;
  // Where the sandbox holds calls, a page is a matter of its host.
  const isByHost = !isAlwaysAsked && (place !== "outside" || permission.mode === "auto");
  const page = isByHost ? pageHost(facts) : undefined;
  const host = page && hostText(page);
  const own = isAlwaysAsked ? undefined : ruleFor(facts, permission.projectDir);
  const rule = host === undefined ? own : `host(${host})`;
  return {
    call,
    tool,
    reason: isAlwaysAsked ? reason : (whyNoRule(facts)?.reason ?? reason),
    ...(realPath !== undefined && { realPath }),
    ...(rule !== undefined && { rule }),
    ...(host !== undefined && { host }),
    ...(facts.outside !== undefined && { outside: facts.outside }),
    ...(isAboutNeeds && needs && { needs: describeNeeds(needs, { userHome: userHome() ?? "/" }) }),
    ...(mustAsk && { mustAsk }),
    ...(!mustAsk && isAllowedInEdits(asked, facts, permission) && { isEdit: true }),
  };
}

/** Keeps what an answer says about further calls. */
async function allowed(
  turn: PermitScene,
  question: Question,
  { remember, rules, arguments: changed }: Extract<Answer, { allow: true }>,
): Promise<Pick<Permit, "changed">> {
  const { rule } = question;
  if (rule === undefined || !remember) return { changed };
  const added = (rules ?? [rule]).map((one) => ({ verdict: "allow", rule: one }) as const);
  for (const one of added) {
    insertRule(turn.permission, one);
    if (remember !== "session") await turn.saveRule?.(one, remember);
  }
  const last = added.at(-1);
  const text = last && whyStillAsked(question, turn.permission, last);
  if (text !== undefined) turn.emit({ type: "notice", text });
  return { changed };
}

/** Keeps what an answer says about what a tool needs. */
async function agreed(
  turn: PermitScene,
  { tool }: Question,
  { remember, arguments: changed }: Extract<Answer, { allow: true }>,
  place: RunPlace,
): Promise<Permit> {
  if (remember) {
    turn.permission.agreedNeeds ??= new Set();
    turn.permission.agreedNeeds.add(needsKey(tool));
  }
  if (remember && remember !== "session") await turn.saveNeeds?.(tool);
  return { changed, place, hasNeeds: true };
}

/** The outcome of a call that the user was not asked about. A call that lacks an argument needs no permission: it is wrong. */
function denied(turn: PermitScene, asked: CallToPermit, judgement: Judgement): Permit {
  const { verdict, isByHook } = judgement.decision;
  const missing = missingArgument(judgement.facts);
  if (verdict === "deny" || isByHook || missing === undefined || !hasParameter(asked.tool, missing))
    return refused(deniedText(turn, asked, judgement));
  const text = `Expected the argument ${JSON.stringify(missing)}, which is missing. Nothing was run.`;
  return { refusal: failedOutcome("INVALID_PARAMS", text), place: "reading" };
}

function deniedText(turn: PermitScene, asked: CallToPermit, judgement: Judgement): string {
  const { verdict, reason, isByHook, isAboutNeeds } = judgement.decision;
  if (isAboutNeeds) {
    const { needs = [] } = questionOf(turn, asked, judgement);
    return `The user has not agreed to what ${asked.tool.name} needs: it ${needs.join("; ")}. The user can, with: ikigai tool allow ${asked.tool.name}`;
  }
  if (verdict === "deny") return asSentence(`Denied: ${reason}`);
  const what = "This call needs permission, and this run is not interactive";
  if (isByHook) return asSentence(`${what}: ${reason}`);
  const { rule } = questionOf(turn, asked, judgement);
  if (rule !== undefined) return `${what}. To allow it: ${turn.allowAdvice?.(rule) ?? `the rule ${rule}`}`;
  const why = whyNoRule(judgement.facts, turn.allowAdvice);
  if (!why)
    return `${what} (${reason}). No rule can allow it: it always needs confirmation by the user, in a conversation.`;
  return [`${what}: ${why.reason}.`, why.advice].filter(Boolean).join(" ");
}

/** The outcome of a call that the user interrupted. */
export function cancelled(name: string): Outcome {
  return failedOutcome("TOOL_CANCELLED", `Tool '${name}' was interrupted by the user`);
}
