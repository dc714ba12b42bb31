// What an edit has broken: after a call that changed files, the tool that declares `diagnostics` is asked what is wrong now and was not
// before. Its servers start when a file of their language is first read or edited. What they say late comes with the next result.

import { existsSync, readFileSync, statSync } from "node:fs";
import { extname, join } from "node:path";
import type { RegisteredTool, Registry } from "@ikigai/core";
import { executeCall, hostCallId, prepareCall, withField } from "@ikigai/core/internal";
import { projectsOf, type RunPlace } from "@ikigai/permission";
import type { DiagnosticsReport, JsonObject } from "@ikigai/protocol";
import type { Conversation } from "@ikigai/session";
import { isInside, programFinder, within } from "@ikigai/system";
import type { SeenOutcome } from "./answer-files.ts";
import { touchOf } from "./call-files.ts";
import type { CallContext } from "./turn-context.ts";
import { withoutSecrets } from "./without-secrets.ts";

/** How long a result waits for what the edit has broken, in milliseconds. */
const maxWaitMs = 1_500;

/** How long the tool may take in all, in milliseconds: what is late belongs to the next result. */
const maxCallMs = 20_000;

/** The longest file that is checked, in bytes. */
const maxFileBytes = 2_097_152;

/** How many new problems a result has. */
const maxNew = 10;

/** The state of a conversation's checks. */
interface Checks {
  /** Whether a file of this extension can be checked. */
  readonly installed: Map<string, boolean>;
  /** Reports that came after their result. */
  readonly late: DiagnosticsReport[];
  /** Whether the tool has been called. */
  isStarted: boolean;
  /** Whether a server had not answered when the tool did. */
  isPending: boolean;
}

const checksOf = new WeakMap<Conversation, Checks>();

/** What checks need of a turn. */
type CheckingTurn = Pick<
  CallContext,
  "conversation" | "permission" | "config" | "env" | "spares" | "ahead" | "secrets"
>;

/** A call whose effect is checked. */
interface CheckedEdit {
  readonly tool: RegisteredTool;
  readonly args: JsonObject;
  readonly registry: Registry;
  readonly cwd: string;
}

/**
 * Prepares the check of a call that is about to run: an edit needs the text before it, and a file that is read may be edited next.
 * Returns what adds to the call's result; `undefined` if nothing is to be checked.
 */
export function checkEdit(
  turn: CheckingTurn,
  { tool, args, registry, cwd }: CheckedEdit,
): ((outcome: SeenOutcome) => Promise<SeenOutcome>) | undefined {
  const checker = checkerIn(turn, registry);
  if (!checker || checker === tool) return undefined;
  const checks = checksOf.get(turn.conversation) ?? newChecks(turn.conversation);
  const { file, writes, runs } = touchOf(tool, args, cwd);
  const isChecked =
    file !== undefined &&
    projectsOf(turn.permission).some((project) => isInside(file, project)) &&
    isInstalled(turn, checker, file);
  if (isChecked && !writes) void ask(turn, checker, { path: file, wait: false });
  if (isChecked && writes) {
    const before = textBefore(file);
    return async (outcome) =>
      before === undefined || hasFailed(outcome) ? outcome : withReport(outcome, turn, checker, { path: file, before });
  }
  // A command may have changed what is open; a server may have answered by now.
  return async (outcome) =>
    checks.isStarted && (runs || checks.isPending)
      ? withReport(outcome, turn, checker, { path: turn.permission.projectDir, before: true })
      : outcome;
}

/** The system's tool that says what is wrong with files, unless the user has turned it off. */
function checkerIn({ config, spares }: CheckingTurn, { tools }: Registry): RegisteredTool | undefined {
  if (config?.diagnostics?.show === "off" || !spares) return undefined;
  return tools.find(({ scope, schema, launcher }) => scope === "system" && schema.ikigai?.diagnostics && !launcher);
}

function newChecks(conversation: Conversation): Checks {
  const checks: Checks = { installed: new Map(), late: [], isStarted: false, isPending: false };
  checksOf.set(conversation, checks);
  return checks;
}

/** Whether the model needs a tool: one that asks language servers needs one that is installed. */
export function isUseful(tool: RegisteredTool, scene: CheckScene): boolean {
  const { diagnostics } = tool.schema.ikigai ?? {};
  if (tool.scope !== "system" || !diagnostics) return true;
  const { servers = {}, check = {} } = scene.config?.diagnostics ?? {};
  if (Object.keys({ ...servers, ...check }).length > 0) return true;
  const known = useful.get(tool) ?? isAnyThere(Object.values(diagnostics).flat(), scene);
  // Each request asks.
  useful.set(tool, known);
  return known;
}

const useful = new WeakMap<RegisteredTool, boolean>();

/** Whether a tool can check files with an extension: a server is installed, or the user has configured one or a command. */
function canCheck({ schema }: RegisteredTool, scene: CheckScene, extension: string): boolean {
  const { servers = {}, check = {} } = scene.config?.diagnostics ?? {};
  const names = new Map(Object.entries(schema.ikigai?.diagnostics ?? {})).get(extension) ?? [];
  return Object.hasOwn({ ...servers, ...check }, extension) || isAnyThere(names, scene);
}

/** Whether one of these is a program on the PATH or in the project's `node_modules/.bin`, or with a slash a file of the project. */
function isAnyThere(names: readonly string[], { env = process.env, permission: { projectDir } }: CheckScene): boolean {
  const onPath = programFinder(env.PATH ?? "", projectDir);
  const isThere = (name: string) =>
    existsSync(join(projectDir, name.includes("/") ? name : `node_modules/.bin/${name}`)) || onPath(name) !== undefined;
  return [...new Set(names)].some(isThere);
}

/** Where servers are looked for. */
type CheckScene = Pick<CheckingTurn, "config" | "env" | "permission">;

function isInstalled(turn: CheckingTurn, checker: RegisteredTool, file: string): boolean {
  const { installed } = checksOf.get(turn.conversation) ?? newChecks(turn.conversation);
  const extension = extname(file).slice(1).toLowerCase();
  const known = installed.get(extension) ?? canCheck(checker, turn, extension);
  installed.set(extension, known);
  return known;
}

/** The text of a file before an edit, `false` if it is not there; `undefined` if it is not checked. */
function textBefore(file: string): string | false | undefined {
  const stats = statSync(file, { throwIfNoEntry: false });
  if (!stats) return false;
  if (!stats.isFile() || stats.size > maxFileBytes) return undefined;
  try {
    return readFileSync(file, "utf8");
  } catch {
    return undefined;
  }
}

function hasFailed({ envelope }: SeenOutcome): boolean {
  return !envelope.tool_success || envelope.result.error !== undefined;
}

async function withReport(
  outcome: SeenOutcome,
  turn: CheckingTurn,
  checker: RegisteredTool,
  args: JsonObject,
): Promise<SeenOutcome> {
  const { late } = checksOf.get(turn.conversation) ?? newChecks(turn.conversation);
  let isWaiting = true;
  const asked = ask(turn, checker, args).then((report) => {
    if (!isWaiting && report) late.push(report);
    return report;
  });
  const report = await within(maxWaitMs, asked);
  isWaiting = false;
  return withDiagnostics(outcome, merged([...late.splice(0), ...(report ? [report] : [])]));
}

function merged(reports: readonly DiagnosticsReport[]): DiagnosticsReport {
  const found = reports.flatMap((report) => report.new);
  const more = found.length - maxNew + reports.reduce((sum, report) => sum + (report.more ?? 0), 0);
  const fixed = reports.reduce((sum, report) => sum + report.fixed, 0);
  return { new: found.slice(0, maxNew), ...(found.length >= maxNew && more > 0 && { more }), fixed };
}

/** Adds a report beside the tool's own text, which stays as it is. */
function withDiagnostics(outcome: SeenOutcome, report: DiagnosticsReport): SeenOutcome {
  if (!outcome.envelope.tool_success || (report.new.length === 0 && report.fixed === 0)) return outcome;
  return withField(outcome, "diagnostics", report);
}

/** Asks the tool. It runs where nothing can be changed, if there is a sandbox. Never rejects. */
async function ask(
  turn: CheckingTurn,
  checker: RegisteredTool,
  args: JsonObject,
): Promise<DiagnosticsReport | undefined> {
  const checks = checksOf.get(turn.conversation) ?? newChecks(turn.conversation);
  checks.isStarted = true;
  const place: RunPlace = turn.permission.sandboxOf?.(checker) === undefined ? "outside" : "reading";
  const value = { action: "diagnostics", ...args };
  const outcome = await executeCall(
    prepareCall(
      checker,
      { text: JSON.stringify(value), value },
      {
        ...turn.ahead.circumstances("diagnostics", checker, place),
        ...{ callId: hostCallId("diagnostics"), timeoutMs: maxCallMs, onProgress: undefined, answerBytes: undefined },
      },
    ),
  );
  const { envelope } = await withoutSecrets(outcome, turn.secrets);
  if (!envelope.tool_success || !Array.isArray(envelope.result.new)) return undefined;
  const { new: found, more, fixed, pending } = envelope.result as unknown as DiagnosticsReport & { pending?: boolean };
  checks.isPending = pending === true;
  return { new: found, ...(more !== undefined && { more }), fixed };
}
