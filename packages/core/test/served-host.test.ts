import { dirname } from "node:path";
import { isRunning } from "@ikigai/testing";
import { expect, test, vi } from "vitest";
import { runHost, startHost } from "./host.ts";
import { isLinux, untilGone } from "./serving-tool.ts";

const onLinux = test.runIf(isLinux);

/** A host that has called the fixture once and printed its process id. */
const served = `
  const spares = core.spareTools();
  const serve = (args, options = {}) => call("serving", JSON.stringify(args), { spares, ...options });
  const { envelope } = await serve({});
  print(envelope.result.pid);
`;

onLinux("neither keeps its host alive nor outlives it", async () => {
  await untilGone(Number(await runHost(served)));
});

onLinux.each([
  ["waits", "setInterval(() => {}, 1000);"],
  ["works on a call", 'await serve({ mode: "hang" });'],
])("ends with a host that is killed while it %s", async (_what, rest) => {
  const host = await startHost(`${served} ${rest}`);
  const pid = await vi.waitFor(() => {
    expect(Number(host.printed)).toBeGreaterThan(0);
    return Number(host.printed);
  }, 50_000);
  expect(isRunning(pid)).toBe(true);
  host.child.kill("SIGKILL");
  await untilGone(pid);
});

onLinux("calls in a waiting process when no more files can be opened", async () => {
  // Without directories of the project, which cost a look at the file.
  const PATH = `${dirname(process.execPath)}:/usr/bin:/bin`;
  const code = `
    const fs = await import("node:fs");
    ${served.replace("print(envelope.result.pid)", "")}
    const open = [];
    try { for (;;) open.push(fs.openSync("/dev/null")); } catch {}
    const full = await serve({ n: 2 });
    for (const fd of open) fs.closeSync(fd);
    const after = await serve({ n: 3 });
    print([full.envelope, after.envelope]);
  `;
  const [full, after] = Object(await runHost(code, { before: "ulimit -n 100;", closesInherited: true, env: { PATH } }));
  expect(full).toMatchObject({ tool_success: true, result: { got: { n: 2 } } });
  expect(after).toMatchObject({ tool_success: true, result: { got: { n: 3 } } });
});

onLinux("uses another process after the umask has changed", async () => {
  const code = `
    ${served.replace("print(envelope.result.pid)", "")}
    process.umask(0o077);
    print([envelope.result, (await serve({})).envelope.result]);
  `;
  const [first, second] = Object(await runHost(code));
  expect(second).toMatchObject({ calls: 1 });
  expect(second.pid).not.toBe(first.pid);
});

onLinux("leaves nothing running after many calls, and keeps as many descriptors open as before", async () => {
  const code = `
    const fs = await import("node:fs");
    ${served.replace("print(envelope.result.pid)", "")}
    const count = () => fs.readdirSync("/proc/self/fd").length;
    const pids = new Set();
    await serve({});
    const before = count();
    for (let n = 0; n < 600; n++) pids.add((await serve({ n })).envelope.result.pid);
    print({ before, after: count(), pids: [...pids] });
    spares.close();
  `;
  const { before, after, pids } = Object(await runHost(code));
  // On a loaded machine there are two processes now and then, with four pipes each.
  expect(after).toBeLessThanOrEqual(before + 4);
  expect(pids.length).toBeGreaterThanOrEqual(3);
  for (const pid of pids) await untilGone(pid);
});
