import { graceMs, type JsonObject } from "@ikigai/protocol";
import type { Wrong } from "./check.ts";
import { exitWords } from "./describe-end.ts";
import { quoted } from "./quoted.ts";
import { requiredParameters } from "./sample-arguments.ts";
import type { ServedProcess } from "./served-process.ts";
import type { Reply } from "./served-tool.ts";
import type { Subject } from "./subject.ts";

/** How to call one kind of process that answers several calls. Each function throws a `ServingProblem` for anything but a reply. */
export interface Wire {
  start(subject: Subject): Promise<ServedProcess>;
  reply(tool: ServedProcess, args: JsonObject): Promise<Reply>;
  /** What is wrong after a reply. */
  problemAfter(tool: ServedProcess, args: JsonObject): Promise<Wrong | undefined>;
}

/** Calls without a required parameter; without one, `{}` would be a real call. */
export async function refusalProblem(subject: Subject, wire: Wire): Promise<Wrong | undefined> {
  if (requiredParameters(await subject.schema()).length === 0) return undefined;
  const { exitCode, stderr } = await subject.refuse("{}");
  const expected = stderr.toString("utf8").replace(/\n$/, "");
  await using tool = await wire.start(subject);
  const reply = await wire.reply(tool, {});
  // Another check reports a tool that does not reject it.
  if (exitCode === 0) return undefined;
  if (!("refused" in reply))
    return `Called with {} it answered ${quoted(JSON.stringify(reply.answer))} instead of "refused".`;
  if (reply.refused !== expected)
    return `Called with {} it refused with ${quoted(reply.refused)}, and with one process per call with ${quoted(expected)}.`;
  return await wire.problemAfter(tool, {});
}

/** Writes a frame that is not JSON. */
export async function brokenFrameProblem(subject: Subject, start: Wire["start"]): Promise<Wrong | undefined> {
  await using tool = await start(subject);
  tool.write("{\n");
  const line = await tool.nextLine();
  const exitCode = await tool.exitCode(graceMs);
  if (line !== undefined) return `Given the frame { it printed ${quoted(line)} instead of exiting with 1.`;
  if (exitCode === undefined) return `Given the frame { it was still running ${graceMs} ms later.`;
  if (exitCode !== 1)
    return `Given the frame { it ${exitWords(exitCode, tool.stderr())} instead of exiting with code 1.`;
  return tool.stderr().trim() === "" ? "Given the frame { it printed no reason on stderr." : undefined;
}
