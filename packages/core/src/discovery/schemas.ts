// The schemas of tools: read from comments, or asked for with `--schema`.
import { dirname } from "node:path";
import {
  type KnownSchema,
  maxSchemaBytes,
  plainHeaderBytes,
  readPlainTools,
  readToolSchema,
  schemaTimeoutMs,
  textStart,
} from "@ikigai/protocol";
import { type Command, type Failure, launcherPlace, type SandboxSettings } from "@ikigai/sandbox";
import {
  explainEnvFailure,
  explainForeignProgram,
  explainTakenOption,
  fileObstacle,
  type JsonReading,
  readHead,
  readJsonObject,
  tellingLine,
  visibleInstructions,
} from "@ikigai/system";
import { hostSandbox } from "../leftovers/host-sandbox.ts";
import { type End, untilSettled } from "../leftovers/settle.ts";
import { startGuarded } from "../leftovers/watchdog.ts";
import { type PrintedOutput, printedOutput } from "../process/read-output.ts";
import { hostCallId, toolCommand, withoutProviderKeys } from "../process/tool-command.ts";
import type { FailureReason } from "../registry/registry.ts";
import type { Candidate } from "./candidates.ts";
import type { KnownFile } from "./schema-cache.ts";

/** Why a tool did not give a usable schema. */
export interface SchemaFailure {
  readonly reason: FailureReason;
  /** One line. */
  readonly detail: string;
}

/** Time a tool gets to exit after SIGTERM, in milliseconds: printing a constant needs no cleanup. */
const graceMs = 100;

/**
 * Extra time for a tool that is still using the processor when its second is over, in milliseconds: on a busy machine or a cold
 * disk an interpreter takes longer to start.
 */
const busyMs = 2_000;

/** How much of stderr is searched for a reason, in bytes, and how much of it is quoted, in characters. */
const maxComplaintBytes = 8_192;
const maxComplaintLength = 300;

/** How much of an answer that is not JSON is quoted, in characters. */
const maxQuotedLength = 60;

/** Time limit for a tool behind a launcher, in milliseconds: it includes making the connection. */
const launchedTimeoutMs = 10_000;

/** How tools are asked for their schemas. */
export interface AskOptions {
  /** The project the tools work for. */
  readonly projectDir: string;
  /** Environment the tools' environment is derived from. Default: `process.env`. */
  readonly env?: NodeJS.ProcessEnv | undefined;
  /** Returns the sandbox for a tool of this name; `--schema` then runs in it, read-only. */
  readonly sandboxFor?: ((name: string) => SandboxSettings | undefined) | undefined;
  /** Aborts discovery. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * Runs `X-tool --schema` in the tool's own directory, so that files of the project cannot influence the answer.
 *
 * The time limit starts with the process and is extended while the process is busy. No process is left afterwards.
 */
export async function askSchema(candidate: Candidate, options: AskOptions): Promise<KnownSchema | SchemaFailure> {
  const { name, path, launcher } = candidate;
  const obstacle = launcher ? undefined : fileObstacle(path);
  if (obstacle !== undefined) return { reason: "not executable", detail: obstacle };
  const callId = hostCallId("schema");
  const timeoutMs = launcher ? launchedTimeoutMs : schemaTimeoutMs;
  const command = schemaCommand(candidate, callId, options);
  if ("failure" in command) return { reason: "not executable", detail: command.failure };
  const started = await startGuarded(command);
  if ("failure" in started) return { reason: "not executable", detail: started.failure };
  const printed = printedOutput(started.process, { stdoutBytes: maxSchemaBytes, stderrBytes: maxComplaintBytes });
  const { flooded } = printed;
  const end = await untilSettled(started.process, {
    callId,
    signal: options.signal,
    flooded,
    graceMs,
    busyMs,
    timeoutMs,
  });
  const hasFailed = end.verdict === "exited" && (end.exit?.code !== 0 || printed.stdout.bytes.length === 0);
  if (hasFailed && !launcher) {
    const notStarted = explainEnvFailure(path, end.exit?.code, command.env.PATH ?? "") ?? explainForeignProgram(path);
    if (notStarted !== undefined) return { reason: "not executable", detail: notStarted };
    const taken = explainTakenOption(path);
    if (taken !== undefined) return { reason: "crash", detail: taken };
  }
  return failureOf(end, printed, timeoutMs) ?? parse(printed.stdout.bytes, name);
}

function schemaCommand(candidate: Candidate, callId: string, options: AskOptions): Command | Failure {
  const { path, identity, launcher } = candidate;
  const { env = process.env, projectDir } = options;
  const run = {
    tool: candidate,
    args: ["--schema"],
    call: { IKIGAI_CALL_ID: callId },
    cwd: launcher ? "/" : dirname(identity.realPath),
    ...{ projectDir, env, hasInput: false, hasProgress: false },
  };
  if (launcher) {
    return toolCommand(
      run,
      launcherPlace(launcher, { projectDir, env: withoutProviderKeys(env), timeoutMs: launchedTimeoutMs }),
    );
  }
  const sandbox = options.sandboxFor?.(candidate.name);
  const toolFiles = [path, identity.realPath];
  return toolCommand(run, sandbox && hostSandbox({ ...sandbox, isReadOnly: true }, { projectDir, toolFiles }));
}

function failureOf(
  { verdict, exit }: End,
  { isFlooded, stderr }: PrintedOutput,
  timeoutMs: number,
): SchemaFailure | undefined {
  if (verdict === "timeout") return { reason: "timeout", detail: `it did not end within ${timeoutMs / 1_000} s` };
  if (isFlooded) return { reason: "too large", detail: `schema larger than ${maxSchemaBytes} bytes` };
  if (exit?.code === 0) return undefined;
  const cause = exit?.signal ? `--schema was killed by ${exit.signal}` : `--schema ended with exit code ${exit?.code}`;
  const complaint = textStart(tellingLine(stderr.toText()), maxComplaintLength);
  return { reason: "crash", detail: complaint === "" ? cause : `${cause}: ${complaint}` };
}

function parse(bytes: Buffer, name: string): KnownSchema | SchemaFailure {
  const reading = readJsonObject(bytes);
  if (!reading.ok) return unreadable(bytes, reading);
  const parsed = readToolSchema(reading.value, name);
  return "schema" in parsed ? visibleSchema(parsed) : { reason: "invalid schema", detail: parsed.problem };
}

/** Keywords with text for the model. */
const texts = ["title", "description"];

/** Removes invisible characters from the texts of a schema; names and values stay as they are. */
function visibleSchema({ schema, warnings }: KnownSchema): KnownSchema {
  const given: string[] = [];
  const visible = JSON.parse(JSON.stringify(schema), (key, value: unknown) => {
    if (typeof value !== "string" || !texts.includes(key)) return value;
    given.push(value);
    return visibleInstructions(value).text;
  }) as KnownSchema["schema"];
  const { note } = visibleInstructions(given.join("\n"));
  return note === undefined ? { schema, warnings } : { schema: visible, warnings: [...warnings, `Its schema ${note}`] };
}

/** What `--schema` printed instead of an object. */
function unreadable(bytes: Buffer, { isJson, problem }: JsonReading & { readonly ok: false }): SchemaFailure {
  const text = bytes.toString("utf8").trim();
  if (text === "") return { reason: "invalid JSON", detail: "--schema printed nothing" };
  if (isJson) return { reason: "invalid schema", detail: problem };
  if (text.startsWith("{"))
    return { reason: "invalid JSON", detail: `--schema printed text that is not JSON: ${problem}` };
  const [line = ""] = text.split(/[\r\n]/);
  const start = textStart(line, maxQuotedLength);
  const quoted = JSON.stringify(start === text ? start : `${start}…`);
  return {
    reason: "invalid JSON",
    detail: `--schema printed ${quoted}, which is not JSON: ${problem}; a plain tool needs the comment "# @describe what it does"`,
  };
}

/**
 * Reads the tools that the comments of a file describe, or those of the `.desc` file beside it; `undefined` without a description: then the
 * file itself must be asked. Runs nothing.
 */
export function plainTools({
  name,
  path,
  launcher,
  sidecar,
  scope,
}: Candidate): readonly KnownFile[] | SchemaFailure | undefined {
  // What runs elsewhere cannot be read, and ikigai's own tools answer in JSON.
  if (launcher || scope === "system") return undefined;
  const described = sidecar?.path ?? path;
  const reading = readPlainTools(readHead(described, plainHeaderBytes)?.toString("utf8") ?? "", name);
  if (reading === undefined)
    return sidecar && { reason: "invalid schema", detail: `${sidecar.path} has no line "# @describe what it does"` };
  if ("problem" in reading) {
    const { line, column, text, expected } = reading.problem;
    return { reason: "invalid schema", detail: `${described}:${line}:${column}: ${expected}: ${text.trim()}` };
  }
  const isBare = sidecar === undefined && reading.tools.some(({ plain }) => plain.isBare);
  return reading.tools.map(({ plain: { isBare: _, parameters, ...plain }, ...known }) => ({
    ...visibleSchema(known),
    // The schema has the descriptions, and every start reads them.
    plain: { ...plain, parameters: parameters.map(({ description: __, ...rest }) => rest), ...(isBare && { isBare }) },
  }));
}
