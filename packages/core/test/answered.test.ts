import { isRunning } from "@ikigai/testing";
import { expect, test, vi } from "vitest";
import { execute } from "../src/index.ts";
import { stage } from "./waiting-tool.ts";

const notes = 'echo $$ >> "$PID_FILE"; cat > /dev/null;';
const closes = "exec >&- 2>&-;";

/** Calls a tool that declares `prestart` and runs this body. */
async function call(body: string, more?: object, different: object = {}) {
  const scene = await stage(`${notes} ${body}`, more);
  const outcome = await execute(scene.waiting, "{}\n", { ...scene.options, ...different });
  return { ...outcome, pids: scene.pids() };
}

// Only on Linux can the host see that a process that has closed its stdout is about to exit.
const onLinux = test.runIf(process.platform === "linux");

onLinux("kills a tool with prestart once it has answered and closed its stdout", async () => {
  const { envelope, durationMs, notes, pids } = await call(`echo '{"a":1}'; ${closes} exec sleep 60`);
  expect(envelope).toEqual({ tool_success: true, result: { a: 1 } });
  expect(notes).toEqual([]);
  expect(durationMs).toBeLessThan(20_000);
  await vi.waitFor(() => expect(isRunning(pids[0] ?? 0)).toBe(false), 50_000);
});

onLinux("kills and reports what the tool has left behind", async () => {
  const daemon = `setsid sh -c 'echo $$ >> "$PID_FILE"; exec sleep 60' > /dev/null 2>&1 &`;
  const untilThere = 'while [ "$(wc -l < "$PID_FILE")" -lt 2 ]; do sleep 0.01; done;';
  const { envelope, notes, pids } = await call(`${daemon} ${untilThere} echo '{}'; ${closes} exec sleep 60`);
  expect(envelope).toMatchObject({ tool_success: true });
  expect(notes).toEqual(["It left processes running; they were killed."]);
  expect(pids.length).toBe(2);
  for (const pid of pids) await vi.waitFor(() => expect(isRunning(pid)).toBe(false), 50_000);
});

test.concurrent("uses the exit code of a tool that exits at once, even after a complete answer", async () => {
  for (let round = 0; round < 20; round++) {
    const { envelope } = await call("echo '{}'; exit 3");
    expect(envelope).toMatchObject({ error_code: "TOOL_CRASHED", exit_code: 3 });
  }
});

test.concurrent.each([
  ["an incomplete answer", `printf '{"a":'; ${closes}`, undefined],
  ["no answer", closes, undefined],
  ["an answer but no prestart", `echo '{}'; ${closes}`, {}],
])("gives a tool that closes its stdout after %s its full time", async (_what, body, more) => {
  const { envelope } = await call(`${body} sleep 60`, more, { timeoutMs: 1_000 });
  expect(envelope).toMatchObject({ error_code: "TOOL_TIMEOUT" });
});
