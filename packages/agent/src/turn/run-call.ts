// Takes one call to its result. In order: its way from permission to the outcome, what a sandbox may have kept from it, arguments
// that the user changed, the run itself with all that is watched meanwhile, and the file that it may change.

import { findTool, type RegisteredTool, type Registry } from "@ikigai/core";
import {
  type ExpectedCall,
  executeCall,
  failedOutcome,
  mayChange,
  notFound,
  outsideArgument,
  prepareCall,
  startsAgents,
  withField,
} from "@ikigai/core/internal";
import { type ShownVisual, systemMessage, type ToolCallPart } from "@ikigai/models";
import {
  argumentsRead,
  type Confirm,
  changesFile,
  declaredAccess,
  factsOf,
  fileTarget,
  type PendingCall,
  permittedHosts,
  projectsOf,
  type RunPlace,
  withAgreedNeeds,
} from "@ikigai/permission";
import type { JsonObject } from "@ikigai/protocol";
import { keepIndex } from "@ikigai/sandbox";
import { type Conversation, contentHash, keepCheckpoint } from "@ikigai/session";
import { isInside, userHome } from "@ikigai/system";
import { afterCall, beforeCall, type HookedCall, withContext } from "../hooks/event-hooks.ts";
import { hooksFor } from "../hooks/run-hooks.ts";
import { type SeenOutcome, withImages, withVisuals } from "./answer-files.ts";
import { type CheckedArguments, checkArguments, watchFile, withOwnNames } from "./call-facts.ts";
import { checkEdit } from "./edit-check.ts";
import { askAboutHost, gitRecorder, hostFor, withRecording } from "./host-for.ts";
import { cancelled, permitCall } from "./permit-call.ts";
import { callStart } from "./record-call.ts";
import { type CallContext, sceneOf } from "./turn-context.ts";
import { withoutSecrets } from "./without-secrets.ts";

/** Takes one call to its result. @param hooked the call as its hooks have left it. */
export async function runCall(
  turn: CallContext,
  part: ToolCallPart,
  hooked: HookedCall,
  registry: Registry,
): Promise<SeenOutcome> {
  const { recorded } = turn;
  const { id, name, arguments: written } = part;
  const { args, verdicts, context, isUsers = false } = hooked;
  if (turn.signal.aborted) return cancelled(name);
  if (recorded) return recorded.answer(name, written);
  const tool = findTool(registry, name);
  if (tool === undefined) return notFound(registry, name);
  await turn.sandboxChecked?.();
  const call = await withRecording(turn, { id, name, arguments: args.text, value: args.value }, tool);
  const { refusal, changed, place, advice, hasNeeds } = await permitCall(turn, {
    call,
    tool,
    hooks: verdicts,
    isUsers,
  });
  if (refusal) return withContext(refusal, context);
  const target = { id, tool: withAgreedNeeds(tool, turn.permission, hasNeeds), registry };
  if (changed !== undefined) {
    const again = await asUserWrote(turn, target, changed);
    return "error" in again ? failedOutcome("INVALID_PARAMS", again.error) : runCall(turn, part, again, registry);
  }
  if (turn.signal.aborted) return cancelled(name);
  const { agents } = turn;
  if (!agents || !startsAgents(tool)) {
    const outcome = await makeCall(turn, target, hooked, place);
    if (place === "outside") return outcome;
    const isHeld = hasFailed(outcome) || (advice !== undefined && readOnly.test(outcome.json));
    if (!isHeld && advice !== undefined) tellReadOnly(turn);
    if (!isHeld) return outcome;
    const told = advice ?? heldBack(turn, place, { call, tool, outcome });
    return told === undefined ? outcome : withAdvice(outcome, told);
  }
  const { runAgentCall } = await import("../subagents/run-agent-call.ts");
  const agentCall = { id, args: args.value, tools: registry.tools, ...agentScene(turn) };
  // The tools of an agent run in the sandbox, but in there it would have neither the user's directory nor a provider.
  const own = tool.scope === "system" ? "outside" : place;
  return runAgentCall(agents, agentCall, async (agent) =>
    turn.signal.aborted ? cancelled(name) : makeCall(turn, target, hooked, own, agent),
  );
}

function hasFailed({ envelope }: SeenOutcome): boolean {
  if (!envelope.tool_success || typeof envelope.result.error_code === "string") return true;
  return typeof envelope.result.exit_code === "number" && envelope.result.exit_code !== 0;
}

const readOnly = /Read-only file system|EROFS/;

const toldReadOnly = new WeakSet<Conversation>();

/** Tells the user once: such a command may have swallowed the error of a change. */
function tellReadOnly({ conversation, allowAdvice, emit }: CallContext): void {
  if (toldReadOnly.has(conversation)) return;
  toldReadOnly.add(conversation);
  const way = allowAdvice?.() ?? "the permission mode auto";
  emit({ type: "notice", text: `Commands run read-only here. To let them change the project: ${way}` });
}

/** What programs say when the sandbox keeps something from them, and seldom otherwise, and what it keeps: in working, in reading. */
const limits: readonly (readonly [said: RegExp, working: string, reading: string])[] = [
  [
    /Read-only file system|EROFS|Operation not permitted|EPERM|Device or resource busy|EBUSY/,
    "only the project and /tmp can be changed, not .git",
    "nothing but /tmp can be changed",
  ],
  [
    /[Cc]ould not resolve|EAI_AGAIN|[Nn]etwork is unreachable|name resolution/,
    "hosts need the user's permission",
    "there is no network",
  ],
  [
    /ECONNREFUSED|Connection refused|Could(?:n't| not) connect/,
    "localhost is the sandbox's own (a rule host(localhost:PORT) opens a port of the machine)",
    "there is no network",
  ],
];

/** A file that is not there, which is ordinary unless it is in the home. */
const missing = /No such file or directory|ENOENT/;

/** What the sandbox has kept from a call that has failed, if that may be why. */
function heldBack(
  { permission }: CallContext,
  place: RunPlace,
  { call, tool, outcome: { envelope, json } }: { call: PendingCall; tool: RegisteredTool; outcome: SeenOutcome },
): string | undefined {
  const said = envelope.tool_success ? json : `${envelope.error}${envelope.stderr}`;
  const home = userHome();
  const found = limits.flatMap(([words, working, reading]) =>
    words.test(said) ? [place === "reading" ? reading : working] : [],
  );
  const { real } = factsOf(call, tool, permission).filePath ?? {};
  const isElsewhere = real !== undefined && !projectsOf(permission).some((project) => isInside(real, project));
  const isFileMissing = isElsewhere && envelope.tool_success && envelope.result.error_code === "FILE_NOT_FOUND";
  const isNamed = home !== undefined && (said.includes(`${home}/`) || /(?<![^\s'"])\.\.\//.test(said));
  if (isFileMissing || (isNamed && missing.test(said))) found.push("most of the home is hidden, and /tmp is its own");
  if (found.length === 0) return undefined;
  const ran = `It ran in the sandbox, where ${[...new Set(found)].join("; ")}.`;
  if (permission.mode === "plan") return ran;
  return `${ran} If that is why it failed, make it again with "${outsideArgument.name}": why.`;
}

function withAdvice(outcome: SeenOutcome, advice: string): SeenOutcome {
  return withField(outcome, "sandbox", [outcome.envelope.sandbox, advice].filter(Boolean).join(" "));
}

/** A call as the user has changed it: its hooks see it again. If they change it once more, the user is asked once more. */
async function asUserWrote(
  turn: CallContext,
  { id, tool, registry }: Pick<CallTarget, "id" | "tool" | "registry">,
  text: string,
): Promise<HookedCall | Extract<CheckedArguments, { error: string }>> {
  const checked = checkArguments(text);
  if ("error" in checked) return checked;
  const args = withOwnNames(tool.name, checked, registry);
  const said = `The user changed the arguments of this call to: ${text}`;
  const scene = sceneOf(turn);
  const hooks = scene ? await hooksFor(scene, "before-call", tool.name, registry) : [];
  const changed = { args, isChanged: true, isUsers: true, verdicts: [], context: [said] };
  if (!scene || hooks.length === 0) return changed;
  const after = await beforeCall(scene, hooks, { id, tool, args });
  if (after.ends !== undefined) turn.hookEnd ??= after.ends;
  return { ...changed, ...after, isChanged: true, isUsers: !after.isChanged, context: [said, ...after.context] };
}

/** What a new agent gets of this conversation. */
function agentScene({ conversation, permission, settingsFor, model, namedAgents: named = [], hooks }: CallContext) {
  // That of a tool without settings of its own.
  const { sandbox } = settingsFor?.("") ?? {};
  return { conversation, permission, sandbox, model: model?.id ?? "", named, finder: hooks?.finder };
}

/** What is called. */
interface CallTarget {
  readonly id: string;
  readonly tool: RegisteredTool;
  readonly registry: Registry;
}

/** The real path of the file that a call of the system's tool for reading was allowed to read. */
function fileReadBy({ permission }: CallContext, tool: RegisteredTool, call: PendingCall): string | undefined {
  const { declared, filePath } = factsOf(call, tool, permission);
  return tool.scope === "system" && declared.access?.kind === "read-file" ? filePath?.real : undefined;
}

async function makeCall(
  turn: CallContext,
  { id, tool, registry }: CallTarget,
  hooked: HookedCall,
  where: RunPlace,
  agent?: ExpectedCall["agent"],
): Promise<SeenOutcome> {
  const { conversation, ahead } = turn;
  const { args, isChanged } = hooked;
  await turn.callStarts?.(tool);
  if (where !== "reading") await turn.undo?.ready(tool, confirmNext(turn), turn.signal);
  if (turn.signal.aborted) return cancelled(tool.name);
  const place = { ...ahead.circumstances(id, tool, where), ...(agent && { agent }) };
  const shown: ShownVisual[] = [];
  const host = hostFor(turn, { id, tool, args: args.value, registry, place, shown });
  const circumstances = { ...place, host };
  const prepared = prepareCall(tool, args, { ...circumstances, callId: id, ahead: ahead.take(id) });
  const changed = isChanged && { arguments: args.text };
  turn.record({ type: "tool_start", id, ...(await callStart(prepared)), ...changed });
  turn.emit({ type: "tool_start", id, name: tool.name, path: tool.path, scope: tool.scope, ...changed });
  // A tool that runs elsewhere changes no file on this machine.
  const isHere = !tool.launcher;
  const checkpoint = isHere && keepOldContent(turn, { id, tool, args: args.value, circumstances });
  const watched = isHere && watchFile(conversation, tool, args.value, circumstances.cwd);
  const check = isHere && checkEdit(turn, { tool, args: args.value, registry, cwd: circumstances.cwd });
  const call = { id, name: tool.name, arguments: args.text, value: args.value };
  const ask = turn.ask && { ask: askAboutHost(turn, { call, tool }) };
  const mayReach = permittedHosts(tool, args.value);
  const recordGit = place.sandbox?.asksForGit ? gitRecorder(turn, { id, tool }) : undefined;
  const leaveNetwork = turn.network?.callStarts({ tool, processId: prepared.callId, mayReach, ...ask, recordGit });
  const checkIndex = where === "recording" ? keepIndex(place.projectDir) : undefined;
  const outcome = await executeCall(prepared);
  const indexAdvice = checkIndex?.();
  const { hosts = [], advice, notice } = leaveNetwork?.() ?? {};
  if (notice !== undefined) turn.emit({ type: "notice", text: notice });
  if (hosts.length > 0) turn.record({ type: "network", id, hosts });
  const withFiles = withImages(outcome, tool, place, () => fileReadBy(turn, tool, call));
  const drawn = withVisuals(withFiles, tool, place, turn.secrets);
  const seen = { ...(await withoutSecrets(drawn, turn.secrets)), ...(shown.length > 0 && { shown }) };
  const scene = sceneOf(turn);
  // Before the file is looked at: what a formatter changes belongs to the call.
  const after = scene && (await afterCall(scene, { id, tool, args: args.value }, seen));
  if (after?.ends !== undefined) turn.hookEnd ??= after.ends;
  if (watched) watched.ended(outcome);
  if (checkpoint) {
    const { path } = checkpoint;
    turn.record({ type: "changed", id, path, sha256: contentHash(path) });
  }
  const all = [indexAdvice, advice].filter((one) => one !== undefined).join(" ");
  const checked = check ? await check(seen) : seen;
  const told = all === "" ? checked : withAdvice(checked, all);
  return withContext(told, [...hooked.context, ...(after?.context ?? [])]);
}

/** Asks after the questions that are open. */
function confirmNext(turn: CallContext): Confirm | undefined {
  const { confirm } = turn;
  if (!confirm) return undefined;
  return (asked, signal) => {
    const answer = turn.question.then(() => confirm(asked, signal));
    turn.question = answer.catch(() => {});
    return answer;
  };
}

/** If this fails, the call still runs: a full disk must not prevent the edits that free space on it. */
function keepOldContent(turn: CallContext, call: CheckedCall) {
  try {
    const path = changedPath(call);
    const checkpoint = path === undefined ? undefined : keepCheckpoint(turn.conversation, { id: call.id, path });
    if (checkpoint) turn.record(checkpoint);
    return checkpoint;
  } catch (error) {
    turn.emit({ type: "notice", text: `What this call changes cannot be undone: ${systemMessage(error)}.` });
    return undefined;
  }
}

export interface CheckedCall {
  readonly id: string;
  readonly tool: RegisteredTool;
  readonly args: JsonObject;
  readonly circumstances: Pick<ExpectedCall, "cwd" | "projectDir" | "env" | "sandbox">;
}

/** Returns the file that a call names, symlinks resolved, if the call can change it. */
export function changedPath({ tool, args, circumstances }: CheckedCall): string | undefined {
  const declared = declaredAccess(tool);
  const { access } = declared;
  if (!changesFile(access)) return undefined;
  const { cwd, projectDir, sandbox, env = process.env } = circumstances;
  const named = argumentsRead(args, declared)[access.path];
  const path = typeof named === "string" && named !== "" ? fileTarget(named, declared, cwd) : undefined;
  if (path === undefined || !sandbox) return path;
  return mayChange(path, sandbox, { projectDir, cwd, env }) ? path : undefined;
}
