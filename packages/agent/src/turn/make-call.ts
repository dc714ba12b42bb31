// Makes a call that is permitted. In order: its process and what the process can ask for; what is watched while it runs, which are the
// files it may change and the sandbox around it; what becomes of its outcome: files, keys, hooks; and what the model and the user learn about
// the sandbox from a call that failed in it, or may have failed unnoticed: the sandbox is seldom what a program's error names.

import type { Outcome, RegisteredTool, Registry } from "@ikigai/core";
import { type ExpectedCall, executeCall, outsideArgument, prepareCall, withField } from "@ikigai/core/internal";
import { type ShownVisual, systemMessage } from "@ikigai/models";
import { type Confirm, factsOf, type PendingCall, permittedHosts, projectsOf, type RunPlace } from "@ikigai/permission";
import { keepIndex } from "@ikigai/sandbox";
import { type Conversation, contentHash, keepCheckpoint } from "@ikigai/session";
import { isInside, userHome } from "@ikigai/system";
import { afterCall, type HookedCall, withContext } from "../hooks/event-hooks.ts";
import { type SeenOutcome, seenOutcome } from "./answer-files.ts";
import { changedPath, watchFile } from "./call-files.ts";
import { checkEdit } from "./edit-check.ts";
import { gitCommitter } from "./git-commits.ts";
import { askAboutHost, hostFor } from "./host-for.ts";
import { cancelled } from "./permit-call.ts";
import { callStart } from "./record-call.ts";
import { type CallContext, sceneOf } from "./turn-context.ts";

/** A call that may run. */
export interface PermittedCall {
  readonly id: string;
  readonly tool: RegisteredTool;
  readonly registry: Registry;
  /** Its arguments, as its hooks and the user have left them. */
  readonly hooked: HookedCall;
  /** Where it runs. */
  readonly place: RunPlace;
  /** What a call that starts an agent passes to it. */
  readonly agent?: ExpectedCall["agent"];
}

/** Makes a call, with all that belongs to it before, meanwhile and after. */
export async function makeCall(turn: CallContext, call: PermittedCall): Promise<SeenOutcome> {
  const { tool, place, hooked } = call;
  await turn.callStarts?.(tool);
  if (place !== "reading") await turn.undo?.ready(tool, confirmNext(turn), turn.signal);
  if (turn.signal.aborted) return cancelled(tool.name);
  const run = prepareRun(turn, call);
  await reportStart(turn, run);
  const filesWatched = watchFiles(turn, run);
  const sandboxWatched = watchSandbox(turn, run);
  const outcome = await executeCall(run.prepared);
  const advice = sandboxWatched.ended();
  const seen = await seenOf(turn, run, outcome);
  // Before the files are looked at: what a formatter changes belongs to the call.
  const said = await runHooksAfter(turn, run, seen);
  const checked = await filesWatched.ended(seen);
  return withContext(advice === "" ? checked : withAdvice(checked, advice), [...hooked.context, ...said]);
}

/** Asks after the questions that are open. */
function confirmNext({ confirm, questions }: Pick<CallContext, "confirm" | "questions">): Confirm | undefined {
  return confirm && ((asked, signal) => questions.next(() => confirm(asked, signal)));
}

/** A call with its process. */
interface Run extends PermittedCall {
  /** The call as the rules know it. */
  readonly pending: PendingCall & Required<Pick<PendingCall, "value">>;
  /** The circumstances in which it runs, as its process was started in them. */
  readonly circumstances: ExpectedCall;
  readonly prepared: ReturnType<typeof prepareCall>;
  /** What its tool has shown the user so far. */
  readonly shown: ShownVisual[];
}

/** Prepares the process, or takes the one that was started ahead. */
function prepareRun(turn: CallContext, call: PermittedCall): Run {
  const { id, tool, registry, place, agent } = call;
  const { args } = call.hooked;
  const circumstances = { ...turn.ahead.circumstances(id, tool, place), ...(agent && { agent }) };
  const shown: ShownVisual[] = [];
  const host = hostFor(turn, { id, tool, args: args.value, registry, directories: circumstances, shown });
  const prepared = prepareCall(tool, args, { ...circumstances, host, callId: id, ahead: turn.ahead.take(id) });
  const pending = { id, name: tool.name, arguments: args.text, value: args.value };
  return { ...call, pending, circumstances, prepared, shown };
}

/** Writes to the log what is needed to repeat the call, and reports that it runs. */
async function reportStart(
  turn: Pick<CallContext, "record" | "emit">,
  { id, tool, hooked: { args, isChanged }, prepared }: Run,
): Promise<void> {
  const changed = isChanged && { arguments: args.text };
  turn.record({ type: "tool_start", id, ...(await callStart(prepared)), ...changed });
  turn.emit({ type: "tool_start", id, name: tool.name, path: tool.path, scope: tool.scope, ...changed });
}

/** The files that a running call may change: their old content, what the model knows of them, and what an edit breaks. */
interface WatchedFiles {
  /** @returns the outcome with what the edit has broken. */
  ended(seen: SeenOutcome): Promise<SeenOutcome>;
}

function watchFiles(turn: CallContext, run: Run): WatchedFiles {
  const { id, tool, registry, pending, circumstances } = run;
  // A tool that runs elsewhere changes no file on this machine.
  if (tool.launcher) return { ended: async (seen) => seen };
  const args = pending.value;
  const checkpoint = keepOldContent(turn, run);
  const watched = watchFile(turn.conversation, tool, args, circumstances.cwd);
  const check = checkEdit(turn, { tool, args, registry, cwd: circumstances.cwd });
  return {
    async ended(seen) {
      watched.ended(seen);
      if (checkpoint) {
        const { path } = checkpoint;
        turn.record({ type: "changed", id, path, sha256: contentHash(path) });
      }
      return check ? check(seen) : seen;
    },
  };
}

/** If this fails, the call still runs: a full disk must not prevent the edits that free space on it. */
function keepOldContent(
  turn: Pick<CallContext, "conversation" | "record" | "emit">,
  { id, tool, pending, circumstances }: Pick<Run, "id" | "tool" | "pending" | "circumstances">,
) {
  try {
    const path = changedPath({ tool, args: pending.value, circumstances });
    const checkpoint = path === undefined ? undefined : keepCheckpoint(turn.conversation, { id, path });
    if (checkpoint) turn.record(checkpoint);
    return checkpoint;
  } catch (error) {
    turn.emit({ type: "notice", text: `What this call changes cannot be undone: ${systemMessage(error)}.` });
    return undefined;
  }
}

/** The sandbox of a running call: the hosts that its programs reach, and the index of git where git can write it. */
interface WatchedSandbox {
  /** @returns what the model gets about hosts that were refused and an index that was changed; empty without any. */
  ended(): string;
}

function watchSandbox(turn: CallContext, { id, tool, pending, place, circumstances, prepared }: Run): WatchedSandbox {
  const leaveNetwork = turn.network?.callStarts({
    tool,
    processId: prepared.callId,
    mayReach: permittedHosts(tool, pending.value),
    ...(turn.ask && { ask: askAboutHost(turn, { call: pending, tool }) }),
    commitGit: circumstances.sandbox?.asksForGit ? gitCommitter(turn, { id, tool }) : undefined,
  });
  const checkIndex = place === "committing" ? keepIndex(circumstances.projectDir) : undefined;
  return {
    ended() {
      const indexAdvice = checkIndex?.();
      const { hosts = [], advice, notice } = leaveNetwork?.() ?? {};
      if (notice !== undefined) turn.emit({ type: "notice", text: notice });
      if (hosts.length > 0) turn.record({ type: "network", id, hosts });
      return [indexAdvice, advice].filter((one) => one !== undefined).join(" ");
    },
  };
}

/** What the model and the user see of the outcome: with the files that it names, without keys. */
async function seenOf(
  { permission, secrets }: Pick<CallContext, "permission" | "secrets">,
  { tool, pending, circumstances, shown }: Run,
  outcome: Outcome,
): Promise<SeenOutcome> {
  const readFile = () => {
    const { declared, filePath } = factsOf(pending, tool, permission);
    return tool.scope === "system" && declared.access?.kind === "read-file" ? filePath?.real : undefined;
  };
  const seen = await seenOutcome(outcome, tool, { ...circumstances, secrets, readFile });
  return shown.length === 0 ? seen : { ...seen, shown };
}

/** Returns what the hooks after the call say to the model. */
async function runHooksAfter(turn: CallContext, { id, tool, pending }: Run, seen: SeenOutcome) {
  const scene = sceneOf(turn);
  if (!scene) return [];
  const { context, ends } = await afterCall(scene, { id, tool, args: pending.value }, seen);
  if (ends !== undefined) turn.hookEnd ??= ends;
  return context;
}

/** A call that ran in the sandbox. */
interface HeldCall {
  readonly call: PendingCall;
  readonly tool: RegisteredTool;
  readonly place: RunPlace;
  /** What the permission says about a failure there. */
  readonly advice: string | undefined;
}

/** Adds to a failed call what may explain it: the advice that came with its permission, else what the sandbox keeps from programs. */
export function withSandboxAdvice(
  turn: Pick<CallContext, "permission" | "conversation" | "allowAdvice" | "emit">,
  { advice, ...held }: HeldCall,
  outcome: SeenOutcome,
): SeenOutcome {
  if (held.place === "outside") return outcome;
  const isHeld = hasFailed(outcome) || (advice !== undefined && readOnly.test(outcome.json));
  if (!isHeld && advice !== undefined) tellReadOnly(turn);
  if (!isHeld) return outcome;
  const told = advice ?? heldBack(turn, held, outcome);
  return told === undefined ? outcome : withAdvice(outcome, told);
}

/** Adds a sentence about the sandbox to what the model gets. */
export function withAdvice(outcome: SeenOutcome, advice: string): SeenOutcome {
  return withField(outcome, "sandbox", [outcome.envelope.sandbox, advice].filter(Boolean).join(" "));
}

function hasFailed({ envelope }: SeenOutcome): boolean {
  if (!envelope.tool_success || typeof envelope.result.error_code === "string") return true;
  return typeof envelope.result.exit_code === "number" && envelope.result.exit_code !== 0;
}

const readOnly = /Read-only file system|EROFS/;

const toldReadOnly = new WeakSet<Conversation>();

/** Tells the user once: such a command may have swallowed the error of a change. */
function tellReadOnly({
  conversation,
  allowAdvice,
  emit,
}: Pick<CallContext, "conversation" | "allowAdvice" | "emit">): void {
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
  { permission }: Pick<CallContext, "permission">,
  { call, tool, place }: Omit<HeldCall, "advice">,
  { envelope, json }: SeenOutcome,
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
