// The decision about a call. First what is known about it (call-facts.ts, effects.ts) is compared with rules (rule-match.ts), hooks and
// mode, in the order of `rule`; then it gets its place (place.ts), and last the agents above limit it (limits.ts): the same question, as
// each of them would have to make the call.

import type { RegisteredTool } from "@ikigai/core";
import { hasOpenNeeds } from "@ikigai/core/trust";
import type { CallToPermit, Decision, HookVerdict, PendingCall, Permission, RunPlace, Verdict } from "../permission.ts";
import { hostRuleFor } from "../rules/host-rules.ts";
import type { CommandVerdict } from "../shell/commands.ts";
import { changesFile, isFileAccess } from "../targets/paths.ts";
import { type CallFacts, factsOf } from "./call-facts.ts";
import {
  changesSomething,
  commandReads,
  editsInside,
  isAgentTool,
  makesWorktree,
  managesJobs,
  onlyLoads,
  readsFiles,
  readsInside,
  staysInSession,
} from "./effects.ts";
import { withinLimit } from "./limits.ts";
import { changesOutside, heldPlace, isHeldByPlace, placeOf, placeVerdict, sandboxFor } from "./place.ts";
import { mentionsProtected, pageHost, protectionOf, ruleVerdict } from "./rule-match.ts";

/**
 * Decides whether a call may run, needs a question, or must not run, and where it runs. The first matching user rule decides; without
 * one, system tools (including bash) may read inside the project; then the mode decides: `auto` and `plan` run what the sandbox holds.
 * Writing to places that determine what runs, outside the sandbox, needs a question whatever rules, hooks and mode allow. A tool's
 * own declarations never allow a call, unless it is a system tool. If agents that started this one limit it, the strictest decision
 * and the narrowest place count.
 *
 * @param hooks what the hooks say. The strictest counts, before rules that allow and before the mode.
 */
export function decide(
  call: PendingCall,
  tool: RegisteredTool,
  permission: Permission,
  hooks: readonly HookVerdict[] = [],
): Decision {
  return judge(call, tool, permission, hooks).decision;
}

/** A decision, and the facts that it depends on, to ask about the call without finding them again. */
export interface Judgement {
  readonly decision: Decision;
  /** Where the call runs if it may. */
  readonly place: RunPlace;
  /** Whether it could run in the place `reading` without a question. */
  readonly mayRead: boolean;
  readonly facts: CallFacts;
}

/** As `decide`. */
export function judge(
  call: PendingCall,
  tool: RegisteredTool,
  permission: Permission,
  hooks: readonly HookVerdict[] = [],
): Judgement {
  const facts = factsOf(call, tool, permission);
  const own = ruled(facts, permission, hooks);
  const ruling = (permission.limits ?? []).reduce((strictest, limit) => {
    const { seen, permission: limiting } = withinLimit(call, tool, permission, limit);
    return stricter(strictest, ruled(factsOf(seen, tool, limiting), limiting, hooks));
  }, own);
  const { onlyReads: _, mayRead = false, place, ...decision } = ruling;
  return { decision, place, mayRead, facts };
}

function ruled(facts: CallFacts, permission: Permission, hooks: readonly HookVerdict[]): PlacedRuling {
  const ruling = rule(facts, permission, hooks);
  const place = placeOf(facts, permission, ruling);
  return { ...(needsRuling(facts, permission, place, ruling) ?? ruling), place };
}

/** In the sandbox, nothing but the user's yes gives a tool what it needs: not a rule, a mode or a hook. */
function needsRuling({ tool }: CallFacts, permission: Permission, place: RunPlace, ruling: Ruling): Ruling | undefined {
  const { mode, agreedNeeds } = permission;
  if (place === "outside" || ruling.verdict === "deny" || !hasOpenNeeds(tool, place === "reading")) return undefined;
  if (agreedNeeds?.has(needsKey(tool))) return undefined;
  const reason = "you have not agreed to what it needs";
  return { verdict: mode === "deny" ? "deny" : "ask", reason, isAboutNeeds: true };
}

/** A decision, and what the place depends on. */
interface Ruling extends Decision {
  readonly onlyReads?: true;
  readonly mayRead?: boolean;
}

type PlacedRuling = Ruling & { readonly place: RunPlace };

const severity: Readonly<Record<Verdict, number>> = { allow: 0, ask: 1, deny: 2 };

/** From what permits least. */
const places: readonly RunPlace[] = ["reading", "working", "committing", "outside"];

function stricter(own: PlacedRuling, limit: PlacedRuling): PlacedRuling {
  const place = places.find((one) => one === own.place || one === limit.place) ?? "reading";
  const mayRead = [own, limit].every((one) => one.verdict === "allow" || one.mayRead === true);
  if (severity[limit.verdict] <= severity[own.verdict]) return { ...own, place, mayRead };
  return { ...limit, place, mayRead, reason: `${limit.reason}, for the agent that started this one` };
}

function rule(facts: CallFacts, permission: Permission, hooks: readonly HookVerdict[]): Ruling {
  const { mode } = permission;
  if (placeVerdict(facts, permission) === "deny")
    return { verdict: "deny", reason: "a rule denies this path", isFinal: true };
  const verdict = rulesSay(facts, permission);
  if (verdict === "deny") return { verdict, reason: "a rule denies it", isFinal: true };
  if (mode === "plan") {
    const reason = planProblem(facts, permission);
    if (reason !== undefined) return { verdict: "deny", reason, isFinal: true };
  }
  const objection = objectionOf(hooks, permission);
  if (objection) return objection;
  const ask = mode === "deny" ? "deny" : "ask";
  const protectedReason = touchesProtected(facts, permission);
  if (protectedReason) return { verdict: ask, reason: protectedReason };
  if (verdict === "unclear") return { verdict: ask, reason: "a rule might apply to what it runs" };
  if (verdict === "ask") return { verdict, reason: "a rule requires a question" };
  // Neither a mode nor a hook lets a call out of the sandbox.
  if (facts.outside !== undefined && verdict !== "allow") return { verdict: ask, reason: "it leaves the sandbox" };
  const [allowing] = hooks;
  if (allowing) return { verdict: "allow", reason: allowing.reason, isByHook: true };
  if (verdict === "allow") return { verdict, reason: "a rule allows it" };
  if (onlyLoads(facts)) return { verdict: "allow", reason: "it only loads what ikigai lists" };
  if (managesJobs(facts)) return { verdict: "allow", reason: "it only looks at what you have allowed, or ends it" };
  if (staysInSession(facts)) return { verdict: "allow", reason: "it only asks you, or keeps notes of this session" };
  if (readsInside(facts, permission)) return { verdict: "allow", reason: "it reads inside the project" };
  if (mode !== "deny" && commandReads(facts, permission))
    return { verdict: "allow", reason: "it only reads", onlyReads: true };
  if (mode === "edits" && editsInside(facts, permission))
    return { verdict: "allow", reason: "it edits inside the project" };
  return byMode(facts, permission);
}

/** What the rules say about a call: those about its tool, and for a page those about its host. */
function rulesSay(facts: CallFacts, permission: Permission): CommandVerdict {
  const isHeld = facts.outside === undefined && heldPlace(facts, permission) !== "outside";
  const verdict = ruleVerdict(facts, permission, isHeld);
  const host = verdict === "deny" ? undefined : pageHost(facts);
  const ofHost = host && hostRuleFor(host, { rules: permission.rules })?.verdict;
  return ofHost === "deny" ? ofHost : (verdict ?? ofHost);
}

/** What the mode says about a call that nothing else decides. */
function byMode(facts: CallFacts, permission: Permission): Ruling {
  const { mode } = permission;
  const held = heldPlace(facts, permission);
  if (mode === "auto" && changesOutside(facts, permission))
    return { verdict: "ask", reason: "the file is outside the project" };
  if ((mode === "auto" || mode === "plan") && held !== "outside" && isHeldByPlace(facts))
    return { verdict: "allow", reason: held === "reading" ? "the sandbox is read-only" : "it runs in the sandbox" };
  if (mode === "auto" && isAgentTool(facts.tool) && !makesWorktree(facts))
    return { verdict: "allow", reason: "each call of the agent is decided on its own" };
  const reason = `the mode is ${mode}`;
  if (mode === "allow" || mode === "deny") return { verdict: mode, reason };
  const { readOnlyCommands = true } = permission;
  const mayRead = readOnlyCommands && facts.command !== undefined && sandboxFor(facts, permission) !== undefined;
  return { verdict: "ask", reason, mayRead };
}

/** Why plan mode does not even ask about a call. */
function planProblem(facts: CallFacts, permission: Permission): string | undefined {
  const readOnly = "plan mode is read-only";
  if (heldPlace(facts, permission) !== "reading") return changesSomething(facts, permission) ? readOnly : undefined;
  if (facts.outside !== undefined) return "plan mode lets nothing leave the sandbox";
  return changesFile(facts.declared.access) ? readOnly : undefined;
}

/** What a hook says against a call: the first that denies it, else the first that asks. */
function objectionOf(hooks: readonly HookVerdict[], { mode }: Permission): Ruling | undefined {
  const denying = hooks.find(({ verdict }) => verdict === "deny");
  if (denying) return { ...denying, isByHook: true, isFinal: true };
  const asking = hooks.find(({ verdict }) => verdict === "ask");
  return asking && { verdict: mode === "deny" ? "deny" : "ask", reason: asking.reason, isByHook: true };
}

/** Whether the mode `edits` would allow a call that is asked about in the mode `ask`. */
export function isAllowedInEdits(
  { call, tool, hooks }: CallToPermit,
  facts: CallFacts,
  permission: Permission,
): boolean {
  if (permission.mode !== "ask" || !changesFile(facts.declared.access)) return false;
  return decide(call, tool, { ...permission, mode: "edits" }, hooks).verdict === "allow";
}

/** Returns why a call always needs a question; `undefined` if it does not. */
export function touchesProtected(facts: CallFacts, permission: Permission): string | undefined {
  const { declared, argumentsText } = facts;
  if (placeVerdict(facts, permission) === "ask") return "a rule about this path requires a question";
  if (declared.by === "unknown")
    return "the system tool of this name does not work, so the effect of the call is unknown";
  // What the sandbox holds cannot change what runs, except for the tools of ikigai, which may get more for an answer.
  const isHeld = facts.outside === undefined && heldPlace(facts, permission) !== "outside";
  if (isHeld && !isFileAccess(declared.access)) return undefined;
  // The text of a task or a question may name any place.
  if (readsFiles(facts) || isAgentTool(facts.tool) || staysInSession(facts) || managesJobs(facts)) return undefined;
  const { filePath, command, isForeign } = facts;
  if (filePath && changesFile(declared.access)) {
    if (filePath.real === undefined) return "the target of the path is unknown";
    const reason = protectionOf(filePath.real, permission);
    if (reason !== undefined || declared.by === "system") return reason;
  }
  if (isForeign && mayHideNames(command ?? "")) return "the files that it names are unknown";
  // What is spelled otherwise passes: this guards against mistakes, the sandbox against the rest.
  if (!mentionsProtected(command ?? argumentsText, permission.home) || commandReads(facts, permission))
    return undefined;
  return "it names a protected directory: files there determine what runs";
}

/** Escapes and expansions of zsh and fish that spell a name without its letters: `\\x2e`, `\\u002e`, `$'…'`, `=name`, `${(e)x}`. */
function mayHideNames(command: string): boolean {
  return /\\[0-7xXuUc]|\$'|(?:^|[\s;&|(])=[\w.]|\$\{\(|[([](?:#|\^|e:)/.test(command);
}

/** A tool that the user has agreed to what it needs: for this conversation, or with `isForOnce` for one call. */
export function withAgreedNeeds(
  tool: RegisteredTool,
  { agreedNeeds }: Pick<Permission, "agreedNeeds">,
  isForOnce = false,
): RegisteredTool {
  const { openNeeds, ...settled } = tool;
  return openNeeds && (isForOnce || agreedNeeds?.has(needsKey(tool))) ? settled : tool;
}

/** What a yes for the length of a conversation is about: this content of the tool's file, and these needs. */
export function needsKey({ path, identity, schema }: RegisteredTool): string {
  return JSON.stringify([path, identity.stamp, schema.ikigai?.needs]);
}
