// What the model and the user learn about the sandbox from a call that failed in it, or that may have failed unnoticed: the sandbox is
// seldom what a program's error names.

import type { RegisteredTool } from "@ikigai/core";
import { outsideArgument, withField } from "@ikigai/core/internal";
import { factsOf, type PendingCall, projectsOf, type RunPlace } from "@ikigai/permission";
import type { Conversation } from "@ikigai/session";
import { isInside, userHome } from "@ikigai/system";
import type { SeenOutcome } from "./answer-files.ts";
import type { CallContext } from "./turn-context.ts";

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
