import { dirname } from "node:path";
import { maxSchemaBytes, schemaTimeoutMs } from "@ikigai/protocol";
import { HeadAndTail } from "../execution/head-and-tail.ts";
import { readHead } from "../files/read-head.ts";
import { readJsonObject } from "../json/read-json-object.ts";
import { readChunks } from "../process/read-chunks.ts";
import { startProcess, type ToolProcess } from "../process/start-process.ts";
import { toolEnvironment } from "../process/tool-environment.ts";
import { type End, untilSettled } from "../process/until-settled.ts";
import type { FailureReason } from "../registry/registry.ts";
import type { Candidate } from "./list-candidates.ts";
import { type KnownSchema, parseSchema } from "./parse-schema.ts";

/** Why a tool has said nothing that can be used. */
export interface SchemaFailure {
  readonly reason: FailureReason;
  /** One line. */
  readonly detail: string;
}

/** How long a tool may take to end after SIGTERM, in milliseconds: whoever prints a constant has nothing to tidy up. */
const graceMs = 100;

/** How much of stderr may show up in a reason, in bytes. */
const maxComplaintBytes = 300;

let questions = 0;

/**
 * Runs `X-tool --schema`, in the tool's own directory: what lies in the project must not change what it says.
 *
 * Its second counts from its own start. Afterwards nothing of it is left.
 */
export async function askSchema(
  candidate: Candidate,
  env: NodeJS.ProcessEnv,
  signal: AbortSignal | undefined,
): Promise<KnownSchema | SchemaFailure> {
  const { name, path, identity } = candidate;
  const obstacle = obstacleIn(path);
  if (obstacle !== undefined) return { reason: "not executable", detail: obstacle };
  const callId = `schema-${++questions}`;
  const started = await startProcess({
    path,
    args: ["--schema"],
    cwd: dirname(identity.realPath),
    env: toolEnvironment(env, candidate, { IKIGAI_CALL_ID: callId }),
    hasInput: false,
    hasProgress: false,
  });
  if ("failure" in started) return { reason: "not executable", detail: started.failure };
  const printed = collect(started.process);
  const { flooded } = printed;
  const end = await untilSettled(started.process, { callId, signal, flooded, graceMs, timeoutMs: schemaTimeoutMs });
  return failureOf(end, printed) ?? parse(Buffer.concat(printed.chunks), name);
}

interface Printed {
  readonly chunks: readonly Buffer[];
  readonly stderr: HeadAndTail;
  readonly flooded: Promise<void>;
  bytes: number;
}

function collect({ stdout, stderr }: ToolProcess): Printed {
  const chunks: Buffer[] = [];
  const ends = new HeadAndTail(maxComplaintBytes);
  let reportFlood = () => {};
  const flooded = new Promise<void>((settle) => {
    reportFlood = settle;
  });
  const printed: Printed = { chunks, stderr: ends, flooded, bytes: 0 };
  readChunks(stdout, (chunk) => {
    printed.bytes += chunk.length;
    if (printed.bytes > maxSchemaBytes) reportFlood();
    else chunks.push(chunk);
  });
  readChunks(stderr, (chunk) => ends.add(chunk));
  return printed;
}

function failureOf({ verdict, exit }: End, { bytes, stderr }: Printed): SchemaFailure | undefined {
  if (verdict === "timeout") return { reason: "timeout", detail: `it did not end within ${schemaTimeoutMs / 1_000} s` };
  if (bytes > maxSchemaBytes) return { reason: "too large", detail: `schema larger than ${maxSchemaBytes} bytes` };
  if (exit?.code === 0) return undefined;
  const cause = exit?.signal ? `killed by ${exit.signal}` : `exit code ${exit?.code}`;
  const [complaint] = stderr.toText().trim().split("\n");
  return { reason: "crash", detail: complaint ? `${cause}: ${complaint}` : cause };
}

function parse(bytes: Buffer, name: string): KnownSchema | SchemaFailure {
  const reading = readJsonObject(bytes);
  if (!reading.ok) return { reason: reading.isJson ? "invalid schema" : "invalid JSON", detail: reading.problem };
  const parsed = parseSchema(reading.value, name);
  return "schema" in parsed ? parsed : { reason: "invalid schema", detail: parsed.problem };
}

/**
 * Why a file should not even be tried: it begins neither like a program nor like text. The system hands what it does not
 * know to a shell, and a shell takes any bytes for commands.
 */
function obstacleIn(path: string): string | undefined {
  const head = readHead(path);
  // One that can be run and not read is for the system to judge.
  if (head === undefined || programMagic.includes(head.toString("hex", 0, 4))) return undefined;
  if (head.length === 0) return "it is empty";
  return head.includes(0) ? "it is neither a program nor a script" : undefined;
}

/** ELF; Mach-O for one architecture, its older form, and for several. */
const programMagic: readonly string[] = ["7f454c46", "cffaedfe", "cefaedfe", "cafebabe"];
