// Promise 9 of SECURITY.md.
// @module-tag sampled
import { isRunning } from "@ikigai/testing";
import { expect, test, vi } from "vitest";
import { startHost } from "./host.ts";
import { serviceStage } from "./service-stage.ts";
import { isLinux, servingStage, untilGone } from "./serving-tool.ts";

const onLinux = test.runIf(isLinux);
const note = "It left processes running; they were killed.";

test.each([
  ["exits at the end of its input", undefined],
  ["ignores the end of its input", "deaf-to-eof"],
  ["ignores it and SIGTERM", "deaf"],
])("ends a service that %s", async (_what, mode) => {
  const { answer, spares } = await serviceStage(mode === undefined ? {} : { START_MODE: mode });
  const { pid } = await answer();
  await spares.close();
  expect(isRunning(Number(pid))).toBe(false);
});

test("ends a service that was stopped", async () => {
  const { answer, spares } = await serviceStage();
  const { pid } = await answer();
  process.kill(Number(pid), "SIGSTOP");
  await spares.close();
  expect(isRunning(Number(pid))).toBe(false);
});

onLinux("kills what a call left running in another session, after its answer", async () => {
  const { call, answer } = await serviceStage();
  const { pid } = await answer();
  const { envelope, notes } = await call({ mode: "left-by-call" });
  expect(notes).toEqual([note]);
  await untilGone(envelope.tool_success && envelope.result.left);
  expect(await answer()).toMatchObject({ pid, count: 3 });
});

onLinux.each(["left-by-service", "left-in-group"])(
  "keeps what a service started for itself, also over other calls, until it ends: %s",
  async (mode) => {
    const { call, answer, spares, options } = await serviceStage();
    const { envelope, notes } = await call({ mode });
    const left = Number(envelope.tool_success && envelope.result.left);
    expect(notes).toEqual([]);
    const served = await servingStage();
    for (let time = 0; time < 3; time++) {
      await served.answer({}, { ...options, spares });
      await answer();
    }
    expect(isRunning(left)).toBe(true);
    await spares.close();
    await untilGone(left);
  },
);

onLinux("kills what a service left running when it dies", async () => {
  const { answer, call } = await serviceStage();
  const { left } = await answer({ mode: "left-by-service" });
  await call({ mode: "crash" });
  await untilGone(left);
});

/** A host whose service has started a process of its own, and that prints both ids. */
const served = `
  const spares = core.spareTools();
  const serve = (args, options = {}) => call("counting", JSON.stringify(args), { spares, home, ...options });
  const { envelope } = await serve({ mode: "left-by-service" });
  print([envelope.result.pid, envelope.result.left]);
`;

async function idsOf(host: { printed: string }): Promise<unknown[]> {
  await vi.waitFor(() => expect(host.printed).toContain("\n"), 20_000);
  return JSON.parse(host.printed.split("\n")[0] ?? "");
}

onLinux.each([
  ["does nothing", "setInterval(() => {}, 1000);"],
  ["works on a call", 'await serve({ mode: "deaf" });'],
  [
    "ends services",
    'void spares.close(); process.stdout.write("\\n"); await new Promise((end) => setTimeout(end, 9000));',
  ],
])("leaves nothing running when the host is killed while it %s", async (_what, rest) => {
  const host = await startHost(`${served}\n${rest}`, { env: { START_MODE: "deaf" } });
  const ids = await idsOf(host);
  host.child.kill("SIGKILL");
  for (const id of ids) await untilGone(id);
});

onLinux.each([
  ["exits", "process.exit();"],
  ["has nothing left to do", ""],
  ["closes its pool", "await spares.close();"],
])(
  "leaves nothing running when the host %s",
  async (_what, rest) => {
    const host = await startHost(`${served}\n${rest}`);
    const ids = await idsOf(host);
    await host.ended;
    for (const id of ids) await untilGone(id);
    // A host that does not end would be waited for without end.
  },
  60_000,
);
