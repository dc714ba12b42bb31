import { tmpdir } from "node:os";
import { isAbsolute, join, relative } from "node:path";
import type { RegisteredTool } from "@ikigai/core";
import { startsAgents } from "@ikigai/core/internal";
import { hasOpenNeeds } from "@ikigai/core/trust";
import type { JsonObject, ToolAccess } from "@ikigai/protocol";
import { isInside, shellWord } from "@ikigai/system";
import { argumentsOf, type CallFacts, factsOf } from "./call-facts.ts";
import type { CommandVerdict } from "./commands.ts";
import {
  argumentsRead,
  changesFile,
  declaredAccess,
  isFileAccess,
  isFree,
  isInsideProject,
  isSearchAccess,
  projectBounds,
  realTarget,
  searchesInside,
} from "./paths.ts";
import type {
  CallToPermit,
  Decision,
  HookVerdict,
  PendingCall,
  Permission,
  PermissionLimit,
  RunPlace,
  SandboxUse,
  Verdict,
} from "./permission.ts";
import { partsProblem } from "./reading.ts";
import {
  hostRuleFor,
  mentionsProtected,
  pageHost,
  pathRulesIn,
  pathVerdict,
  protectionOf,
  readsUnasked,
  ruleVerdict,
} from "./rule-match.ts";

/*
 * The decision about a call. First what is known about it is compared with rules, hooks and mode, in the order of `rule`; then it gets
 * its place, and last the agents above limit it: the same question, as each of them would have to make the call.
 */

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
const places: readonly RunPlace[] = ["reading", "working", "recording", "outside"];

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

/** What the sandbox is for a call, if it can hold the call. */
function sandboxFor({ tool }: CallFacts, { sandboxOf }: Permission): SandboxUse | undefined {
  return sandboxOf?.(tool);
}

/** Whether files are all that a call can reach: ikigai's own tools for the web are asked about, wherever they run. */
function isHeldByPlace({ tool, declared: { access } }: CallFacts): boolean {
  return tool.scope !== "system" || access !== undefined;
}

/** Where a call runs that no one has let out of the sandbox. */
function heldPlace(facts: CallFacts, permission: Permission): RunPlace {
  const sandbox = sandboxFor(facts, permission);
  const { mode } = permission;
  if (sandbox === undefined) return "outside";
  if (mode === "plan" && isHeldByPlace(facts)) return "reading";
  return sandbox === "on" || mode === "auto" ? "working" : "outside";
}

/** Where a call runs. What the user is asked about runs outside the sandbox if that is what the question is about. */
function placeOf(facts: CallFacts, permission: Permission, { verdict, onlyReads }: Ruling): RunPlace {
  const held = heldPlace(facts, permission);
  if (facts.outside !== undefined) return "outside";
  if (facts.records) return "recording";
  // Language servers may run code of the project.
  if (isChecker(facts.tool) && sandboxFor(facts, permission))
    return changesFile(facts.declared.access) ? "working" : "reading";
  if (onlyReads && permission.mode !== "auto" && sandboxFor(facts, permission)) return "reading";
  // Where what a rule denies is hidden.
  const isSearch = isSearchAccess(facts.declared.access) && hasPathRules(permission);
  if (isSearch && verdict === "allow" && held === "outside" && sandboxFor(facts, permission)) return "reading";
  return verdict === "ask" && leavesProject(facts, permission) ? "outside" : held;
}

/** Whether it is the system's tool that asks language servers. */
function isChecker({ scope, schema }: RegisteredTool): boolean {
  return scope === "system" && schema.ikigai?.diagnostics !== undefined;
}

/** Whether a call of a system tool concerns a file that the sandbox does not let it change, or may hide. */
function leavesProject(facts: CallFacts, permission: Permission): boolean {
  const { tool, declared, filePath } = facts;
  const { access } = declared;
  if (tool.scope !== "system" || access === undefined || access.kind === "run-command") return false;
  return (
    isSearchAccess(access) ||
    !isInsideProject(filePath?.real, permission) ||
    placeVerdict(facts, permission) !== undefined ||
    protectionOf(filePath?.real ?? "", permission) !== undefined
  );
}

/** Whether a call of a system tool changes a file where the sandbox lets nothing be changed. */
function changesOutside({ tool, declared, filePath }: CallFacts, permission: Permission): boolean {
  if (tool.scope !== "system" || !changesFile(declared.access) || isInsideProject(filePath?.real, permission))
    return false;
  const { real } = filePath ?? {};
  if (real === undefined) return true;
  const project = realTarget(".", permission.projectDir) ?? permission.projectDir;
  return !["/tmp", "/var/tmp", tmpdir()].some((directory) => {
    // The sandbox has files of its own there, except the directories that lead to a project in there.
    const [top = ""] = isInside(project, directory) ? relative(directory, project).split("/") : [];
    return isInside(real, directory) && !(top !== "" && isInside(real, join(directory, top)));
  });
}

/** What a hook says against a call: the first that denies it, else the first that asks. */
function objectionOf(hooks: readonly HookVerdict[], { mode }: Permission): Ruling | undefined {
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
  return makesWorktree(facts) || (!onlyReads(facts.tool) && !managesJobs(facts) && !commandReads(facts, permission));
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

/** Whether it is a call of the system's tool for jobs. What it writes to one could be a command. */
function managesJobs({ tool, args }: CallFacts): boolean {
  const { scope, schema } = tool;
  return scope === "system" && schema.ikigai?.host?.join() === "job" && args.action !== "input";
}

/** What was found out about a call: it takes longer than all else, and a decision needs it several times. */
const reading = new WeakMap<CallFacts, boolean>();

/** Whether it is a command of the system's bash that is known to be read-only. Commands on other machines never are. */
function commandReads(facts: CallFacts, permission: Permission): boolean {
  const { command, commands, isForeign } = facts;
  if (command === undefined || isForeign || !readsUnasked(facts, permission)) return false;
  // Only the sandbox keeps a command from such a place.
  if (hasPathRules(permission) && sandboxFor(facts, permission) === undefined) return false;
  const known = reading.get(facts);
  if (known !== undefined) return known;
  const reads =
    partsProblem(commands, { ...permission, isHeld: sandboxFor(facts, permission) !== undefined }) === undefined;
  reading.set(facts, reads);
  return reads;
}

/** What the rules about places say; found out once, since they may take a look at the project's files. */
function placeVerdict(facts: CallFacts, permission: Permission): ReturnType<typeof pathVerdict> {
  const known = placed.get(facts);
  if (known?.permission === permission) return known.verdict;
  const verdict = pathVerdict(facts, permission, sandboxFor(facts, permission) !== undefined);
  placed.set(facts, { permission, verdict });
  return verdict;
}

const placed = new WeakMap<CallFacts, { permission: Permission; verdict: ReturnType<typeof pathVerdict> }>();

function hasPathRules({ rules }: Permission): boolean {
  return pathRulesIn(rules).length > 0;
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
  if (!mentionsProtected(command ?? json, permission.home) || commandReads(facts, permission)) return undefined;
  return "it names a protected directory: files there determine what runs";
}

/** Escapes and expansions of zsh and fish that spell a name without its letters: `\\x2e`, `\\u002e`, `$'…'`, `=name`, `${(e)x}`. */
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
  const { projectDir, readableDirs = [] } = permission;
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
  const bounds = projectBounds(permission);
  if (place === undefined || bounds === undefined || !isFree(place, bounds)) return false;
  return searchesInside(access, args, projectDir, bounds);
}

/**
 * Returns a call as the agent that sets a limit would have to make it, and the permission that then decides: an agent in another
 * directory must not do there what relative rules and "inside the project" do not allow here.
 */
export function withinLimit(
  call: PendingCall,
  tool: RegisteredTool,
  { home, readableDirs, sandboxOf, agreedNeeds, gitWrites, projectDir: own }: Permission,
  { projectDir = own, rules, ...limit }: PermissionLimit,
): { readonly seen: PendingCall; readonly permission: Permission } {
  const others = {
    ...(readableDirs && { readableDirs }),
    ...(sandboxOf && { sandboxOf }),
    ...(agreedNeeds && { agreedNeeds }),
    ...(gitWrites && { gitWrites }),
  };
  const permission = { ...limit, rules: [...rules], projectDir, home, ...others };
  return { seen: projectDir === own ? call : seenFrom(call, tool, own), permission };
}

/** Returns the same call as it would be made from another directory: with absolute paths, and commands that change the directory first. */
export function seenFrom(call: PendingCall, tool: RegisteredTool, directory: string): PendingCall {
  const declared = declaredAccess(tool);
  const { access } = declared;
  if (!access) return call;
  const args = argumentsRead(argumentsOf(call), declared);
  const changed = access.kind === "run-command" ? withCd(args, access, directory) : withPath(args, access, directory);
  return changed ? { ...call, arguments: JSON.stringify(changed), value: changed } : call;
}

type CommandAccess = Extract<ToolAccess, { kind: "run-command" }>;

function withCd(args: JsonObject, { command: name }: CommandAccess, directory: string): JsonObject | undefined {
  const command = args[name];
  return typeof command === "string" ? { ...args, [name]: `cd ${shellWord(directory)} && ${command}` } : undefined;
}

function withPath(
  args: JsonObject,
  { path: name }: Exclude<ToolAccess, CommandAccess>,
  directory: string,
): JsonObject | undefined {
  // A tool that gets null searches its directory, as without a path.
  const path = args[name] ?? ".";
  if (typeof path !== "string") return undefined;
  // Not normalised: `link/..` is the parent of the link's target.
  return { ...args, [name]: isAbsolute(path) ? path : `${directory}/${path || "."}` };
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
