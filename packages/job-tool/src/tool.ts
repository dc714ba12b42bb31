// The tool: passes an action on a job to the host, which has the jobs.

import { defineTool, requestJob, ToolFailure } from "@ikigai/tool-sdk";
import { output, parameters } from "./schema.ts";

export const jobTool = defineTool({
  name: "job",
  description:
    "Manage jobs: commands that go on after their call. wait for the end or for output, get new output, stop, list, or write a line of input. You get a message when a job ends, so wait only if you cannot go on without it.",
  parameters,
  output,
  annotations: { openWorldHint: false },
  errorCodes: ["NO_JOBS", "JOB_ENDED", "NO_INPUT"],
  ikigai: { host: ["job"] },
  async run({ action, job, timeout_ms: timeoutMs, until, line }, { fail }) {
    if (action !== "list" && job === undefined) fail("INVALID_ARG", `Which job? "${action}" needs "job": its number.`);
    if (action === "input" && line === undefined) fail("INVALID_ARG", 'Write what? "input" needs "line".');
    const result = await requestJob({ action, job, timeoutMs, until, line });
    if (!result) return fail("NO_JOBS", "No command continues as a job here.");
    const { error, error_code: code } = result;
    if (typeof error === "string") throw new ToolFailure<string>(String(code), error);
    return result;
  },
});
