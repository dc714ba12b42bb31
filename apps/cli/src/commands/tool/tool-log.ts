// `ikigai tool log`: the calls of a session and of the agents that it started. In reading order: the log, then how it is printed as a table and
// as JSON.

import { join } from "node:path";
import { type Places, startedAgents } from "@ikigai/agent/internal";
import { textStart } from "@ikigai/protocol";
import { sanitiseLine } from "@ikigai/screen";
import {
  AgentError,
  logSuffix,
  type RecordedCall,
  type Recording,
  readOnlyLog,
  readRecording,
  sessionsDir,
} from "@ikigai/session";
import { argumentsJson, jsonObject } from "@ikigai/system";
import { commands } from "../../args/commands.ts";
import { readOperands, readOptions } from "../../args/read-options.ts";
import { exitCodes } from "../../host/terminal/exit.ts";
import { printOut } from "../../host/terminal/stdout.ts";
import { jsonOrText, parseObject, safeJson } from "../../render/json.ts";
import { duration, shortPath } from "../../render/short-forms.ts";
import type { Command } from "../command.ts";
import { type MadeCall, madeCall, shellLine, type ToolState, toolState } from "../replay/recorded-calls.ts";

const syntax = commands["tool log"];

export const toolLog: Command = {
  async run(args, { places }) {
    const { flags, operands } = readOptions(args, syntax.options);
    const [id] = readOperands(operands, syntax);
    const session = readRecording({ home: places.home, cwd: places.projectDir, id });
    const log = await toLog(session, flags.has("tree") ? places : undefined);
    printOut(flags.has("json") ? `${safeJson(toJson(log))}\n` : renderLog(log, places));
    return exitCodes.done;
  },
};

/** The calls of a session. */
interface Log {
  readonly session: Recording;
  readonly rows: readonly Row[];
}

/** A row of the log. `made` and `tool` are absent if the call never ran. */
interface Row {
  readonly number: number;
  readonly call: RecordedCall;
  readonly made?: MadeCall;
  readonly tool?: ToolState;
  /** The calls of the agent that it started. */
  readonly agent?: Log;
}

/** @param places where the agents' sessions are; absent to leave them out. @param above the sessions that contain this one. */
async function toLog(session: Recording, places?: Places, above: readonly string[] = []): Promise<Log> {
  const ids = [...above, session.id];
  const agents = places && agentsOf(session, places);
  const rows: Row[] = [];
  for (const [index, call] of session.calls.entries()) {
    const id = agents?.get(call.id);
    const agent = id === undefined || !places || ids.includes(id) ? undefined : readAgent(id, places);
    rows.push({ ...(await toRow(call, index + 1, session)), ...(agent && { agent: await toLog(agent, places, ids) }) });
  }
  return { session, rows };
}

/** The sessions of the agents that a session has started, by the call that started each. */
function agentsOf({ id }: Recording, { home }: Places): ReadonlyMap<string, string> {
  const log = readOnlyLog(join(sessionsDir(home), `${id}${logSuffix}`));
  return new Map(startedAgents({ log }).map(({ call, session }) => [call, session]));
}

/** The session of an agent; `undefined` if it was removed. */
function readAgent(id: string, { home, projectDir: cwd }: Places): Recording | undefined {
  try {
    return readRecording({ home, cwd, id });
  } catch (error) {
    if (error instanceof AgentError) return undefined;
    throw error;
  }
}

function renderLog({ session, rows }: Log, places: Places): string {
  const agentOf = ({ agent }: Row) => (agent ? `\n${indented(renderLog(agent, places))}` : "");
  return renderTitle(session, places) + rows.map((row) => renderRow(row) + agentOf(row)).join("");
}

function indented(text: string): string {
  return text.replace(/^(?=.)/gm, "  ");
}

async function toRow(call: RecordedCall, number: number, session: Recording): Promise<Row> {
  const made = madeCall(call, session);
  return { number, call, ...(made && { made, tool: await toolState(made) }) };
}

function renderTitle({ id, cwd, firstMessage = "", calls }: Recording, places: Places): string {
  const count = calls.length === 1 ? "1 call" : `${calls.length} calls`;
  const title = sanitiseLine(textStart(firstMessage.replace(/\s+/g, " "), 80));
  return `Session ${sanitiseLine(id)}, ${shortPath(cwd, { projectDir: places.projectDir })}, ${count}: ${title}\n`;
}

const remarks: Readonly<Record<ToolState["state"], string>> = {
  same: "",
  changed: "; the tool has changed since",
  gone: "; the tool no longer exists",
  unknown: "",
};

function renderRow({ number, call, made, tool }: Row): string {
  const head = `${number} ${call.name}${call.typed ? " (typed by you)" : ""}: ${renderEnd(call)}${tool ? remarks[tool.state] : ""}`;
  const sandbox = made?.sandbox ? ", in the sandbox" : "";
  const line = made ? shellLine(made) : sanitiseLine(`(not run) ${call.arguments}`);
  return `\n${sanitiseLine(head)}${sandbox}\n${line}\n`;
}

/** Describes in a few words how a call ended. */
function renderEnd({ start, result }: RecordedCall): string {
  if (!result) return `the session ended ${start ? "during" : "before"} the call`;
  const took = result.durationMs > 0 ? `, ${duration(result.durationMs)}` : "";
  const envelope = parseObject(result.json);
  if (envelope?.tool_success === false) return `${String(envelope.error_code)}${took}`;
  const answer = parseObject(JSON.stringify(envelope?.result ?? null));
  if (!answer) return "a damaged result";
  const { exit_code: exitCode, error, error_code: code } = answer;
  if (typeof error === "string") return `${typeof code === "string" ? code : "an error"}${took}`;
  return `${typeof exitCode === "number" ? `exit ${exitCode}` : "done"}${took}`;
}

function toJson({ session: { id, cwd }, rows }: Log): string {
  const calls = rows.map(({ number, call, made, tool, agent }) =>
    jsonObject({
      number: String(number),
      id: JSON.stringify(call.id),
      name: JSON.stringify(call.name),
      by: JSON.stringify(call.typed ? "user" : "model"),
      arguments: argumentsJson(made?.arguments ?? call.arguments),
      time: JSON.stringify(Number.isNaN(call.time.valueOf()) ? null : call.time),
      envelope: jsonOrText(call.result?.json ?? "null"),
      duration_ms: call.result ? String(Math.round(call.result.durationMs)) : "null",
      command: JSON.stringify(made ? shellLine(made) : null),
      ...(agent && { agent: toJson(agent) }),
      ...(made && {
        path: JSON.stringify(made.path),
        scope: JSON.stringify(made.scope),
        cwd: JSON.stringify(made.cwd),
        env: JSON.stringify(made.env),
        sandbox: JSON.stringify(made.sandbox ?? null),
        sha256: JSON.stringify(made.sha256 ?? null),
        tool: JSON.stringify(tool?.state),
      }),
    }),
  );
  return jsonObject({ session_id: JSON.stringify(id), cwd: JSON.stringify(cwd), calls: `[${calls.join(",")}]` });
}
