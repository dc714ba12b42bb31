import type { RegisteredTool } from "@ikigai/core";
import { startsAgents } from "@ikigai/core/internal";
import { isInside } from "@ikigai/system";
import { type CallFacts, factsOf } from "./call-facts.ts";
import { changesFile, isSearchAccess } from "./declared-access.ts";
import { isFree, isInsideProject, projectBounds } from "./inside-project.ts";
import type { CallToPermit, Decision, HookVerdict, PendingCall, Permission, Verdict } from "./permission.ts";
import { protectedByArguments, protectedByCommand } from "./protected-command.ts";
import { isProtected } from "./protected-path.ts";
import { partsProblem } from "./read-only/only-reads.ts";
import { realTarget } from "./real-target.ts";
import { readsUnasked, ruleVerdict } from "./rule-match.ts";
import { searchesInside } from "./search-scope.ts";
import { withinLimit } from "./within-limit.ts";

/**
 * Decides whether a call may run, needs a question, or must not run. The first matching user rule decides; without one,
 * system tools (including bash) may read inside the project; then the mode decides. Writing to places that determine what
 * runs needs a question whatever rules, hooks and mode allow. A tool's own declarations never allow a call, unless it is a
 * system tool. If agents that started this one limit it, the strictest decision counts.
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
  readonly facts: CallFacts;
}

/** As `decide`. */
export function judge(
  call: PendingCall,
  tool: RegisteredTool,
  permission: Permission,
  hooks: readonly HookVerdict[] = [],
): Judgement {
  const facts = factsOf(call, tool, permission.projectDir);
  const decision = (permission.limits ?? []).reduce(
    (strictest, limit) => {
      const { seen, permission: limiting } = withinLimit(call, tool, permission, limit);
      return stricter(strictest, decideAlone(factsOf(seen, tool, limiting.projectDir), limiting, hooks));
    },
    decideAlone(facts, permission, hooks),
  );
  return { decision, facts };
}

const severity: Readonly<Record<Verdict, number>> = { allow: 0, ask: 1, deny: 2 };

function stricter(own: Decision, limit: Decision): Decision {
  if (severity[limit.verdict] <= severity[own.verdict]) return own;
  return { ...limit, reason: `${limit.reason}, for the agent that started this one` };
}

function decideAlone(facts: CallFacts, permission: Permission, hooks: readonly HookVerdict[]): Decision {
  const verdict = ruleVerdict(facts, permission);
  if (verdict === "deny") return { verdict, reason: "a rule denies it", isFinal: true };
  if (permission.mode === "plan" && changesSomething(facts, permission)) {
    return { verdict: "deny", reason: "plan mode is read-only", isFinal: true };
  }
  const objection = objectionOf(hooks, permission);
  if (objection) return objection;
  const place = touchesProtected(facts, permission);
  if (place) return { verdict: permission.mode === "deny" ? "deny" : "ask", reason: place };
  if (verdict === "unclear") {
    return { verdict: permission.mode === "deny" ? "deny" : "ask", reason: "a rule might apply to what it runs" };
  }
  if (verdict === "ask") return { verdict, reason: "a rule requires a question" };
  const [allowing] = hooks;
  if (allowing) return { verdict: "allow", reason: allowing.reason, isByHook: true };
  if (verdict === "allow") return { verdict, reason: "a rule allows it" };
  if (onlyLoads(facts)) return { verdict: "allow", reason: "it only loads what ikigai lists" };
  if (staysInSession(facts)) return { verdict: "allow", reason: "it only asks you, or keeps notes of this session" };
  if (readsInside(facts, permission)) return { verdict: "allow", reason: "it reads inside the project" };
  if (permission.mode !== "deny" && commandReads(facts, permission)) {
    return { verdict: "allow", reason: "it only reads inside the project" };
  }
  if (permission.mode === "edits" && editsInside(facts, permission)) {
    return { verdict: "allow", reason: "it edits inside the project" };
  }
  const { mode } = permission;
  return { verdict: mode === "allow" || mode === "deny" ? mode : "ask", reason: `the mode is ${mode}` };
}

/** What a hook says against a call: the first that denies it, else the first that asks. */
function objectionOf(hooks: readonly HookVerdict[], { mode }: Permission): Decision | undefined {
  const denying = hooks.find(({ verdict }) => verdict === "deny");
  if (denying) return { ...denying, isByHook: true, isFinal: true };
  const asking = hooks.find(({ verdict }) => verdict === "ask");
  return asking && { verdict: mode === "deny" ? "deny" : "ask", reason: asking.reason, isByHook: true };
}

/**
 * Whether a tool may be asked about in plan mode. Its own declaration is not enough to run it without a question. Agents that the
 * system's tool starts are in plan mode, too.
 */
function onlyReads(tool: RegisteredTool): boolean {
  const { scope, schema } = tool;
  return (scope !== "project" && schema.annotations?.readOnlyHint === true) || isAgentTool(tool);
}

/** Whether it is the system's tool that starts agents: what these do is decided call by call. */
function isAgentTool(tool: RegisteredTool): boolean {
  return tool.scope === "system" && startsAgents(tool);
}

/** Whether a call may change something, for all that is known about it. */
function changesSomething(facts: CallFacts, permission: Permission): boolean {
  return makesWorktree(facts) || (!onlyReads(facts.tool) && !commandReads(facts, permission));
}

/** Whether it is a call that starts an agent in a copy of the repository: that makes a branch and files. */
function makesWorktree({ tool, args }: CallFacts): boolean {
  return isAgentTool(tool) && Boolean(args.worktree);
}

/** Whether it is a call of a system tool that does nothing but ask the user, or keep something for the session. */
function staysInSession({ tool, declared: { access } }: CallFacts): boolean {
  const { scope, schema } = tool;
  const { host = [], state = false } = schema.ikigai ?? {};
  const onlyAsks = host.join() === "ask";
  return scope === "system" && access === undefined && onlyReads(tool) && (onlyAsks || (state && host.length === 0));
}

/** What was found out about a call: it takes longer than all else, and a decision needs it several times. */
const reading = new WeakMap<CallFacts, boolean>();

/** Whether it is a command of the system's bash that is known to be read-only. Commands on other machines never are. */
function commandReads(facts: CallFacts, permission: Permission): boolean {
  const { command, commands, isForeign } = facts;
  if (command === undefined || isForeign || !readsUnasked(facts, permission)) return false;
  const known = reading.get(facts);
  if (known !== undefined) return known;
  const reads = partsProblem(commands, permission) === undefined;
  reading.set(facts, reads);
  return reads;
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

function editsInside({ tool, declared, filePath }: CallFacts, permission: Permission): boolean {
  return tool.scope === "system" && changesFile(declared.access) && isInsideProject(filePath?.real, permission);
}

/** Returns why a call always needs a question; `undefined` if it does not. */
export function touchesProtected(facts: CallFacts, permission: Permission): string | undefined {
  const { declared, json } = facts;
  if (declared.by === "unknown")
    return "the system tool of this name does not work, so the effect of the call is unknown";
  // The text of a task or a question may name any place.
  if (readsFiles(facts) || isAgentTool(facts.tool) || staysInSession(facts)) return undefined;
  const reason = protectedByAccess(facts, permission);
  // A tool may do more than it declares.
  return reason ?? (declared.by === "tool" ? protectedByArguments(json, permission.home) : undefined);
}

function protectedByAccess(facts: CallFacts, permission: Permission): string | undefined {
  const { home } = permission;
  const { declared, filePath, command, commands, isForeign, json } = facts;
  if (filePath && changesFile(declared.access)) {
    if (filePath.real === undefined) return "the target of the path is unknown";
    return isProtected(filePath.real, home)
      ? "it writes to a protected directory: files there determine what runs"
      : undefined;
  }
  if (command === undefined) return protectedByArguments(json, home);
  if (isForeign && mayHideNames(command)) return "the files that it names are unknown";
  const reason = protectedByCommand(command, commands, home);
  return reason !== undefined && commandReads(facts, permission) ? undefined : reason;
}

/** Escapes and expansions of zsh and fish that spell a name without its letters: `\x2e`, `\u002e`, `$'…'`, `=name`, `${(e)x}`. */
function mayHideNames(command: string): boolean {
  return /\\[0-7xXuUc]|\$'|(?:^|[\s;&|(])=[\w.]|\$\{\(|[([](?:#|\^|e:)/.test(command);
}

/** Whether it is a call of a system tool that only reads files. */
function readsFiles({ tool, declared: { access } }: CallFacts): boolean {
  return tool.scope === "system" && (access?.kind === "read-file" || isSearchAccess(access));
}

/** Whether it is a call of a system tool that loads tools and skills: a schema is no permission. */
function onlyLoads({ tool, declared: { access } }: CallFacts): boolean {
  const { scope, schema } = tool;
  return scope === "system" && access === undefined && schema.ikigai?.catalog === true && onlyReads(tool);
}

function readsInside(facts: CallFacts, permission: Permission): boolean {
  const { projectDir, home, readableDirs = [] } = permission;
  const { args, filePath, declared } = facts;
  const { access } = declared;
  if (!readsFiles(facts)) return false;
  if (!isSearchAccess(access)) {
    const { real } = filePath ?? {};
    const isReadable = (directory: string) => {
      const realDirectory = realTarget(directory, projectDir);
      return real !== undefined && realDirectory !== undefined && isInside(real, realDirectory);
    };
    return isInsideProject(real, permission) || readableDirs.some(isReadable);
  }
  const named = args[access.path];
  const place = realTarget(typeof named === "string" && named !== "" ? named : ".", projectDir);
  const bounds = projectBounds(projectDir, home);
  if (place === undefined || bounds === undefined || !isFree(place, bounds)) return false;
  return searchesInside(access, args, projectDir, bounds);
}
