// Promise 9 of SECURITY.md.
// @module-tag sampled
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { isRunning, tempDir } from "@ikigai/testing";
import { expect, test, vi } from "vitest";
import { runHost, startHost } from "./host.ts";
import { canDropPrivileges, unprivileged } from "./unprivileged-user.ts";
import { schema, tool } from "./world.ts";

const within = { timeout: 30_000, interval: 10 };

/** Waits for a file into which a tool writes its process id. */
async function pidFrom(path: string): Promise<number> {
  const pid = await vi.waitFor(() => {
    const number = Number.parseInt(readFileSync(path, "utf8"), 10);
    expect(number).toBeGreaterThan(0);
    return number;
  }, within);
  return pid;
}

test.concurrent("kills its tools when it is killed, wherever they have moved", async () => {
  const dir = await tempDir({
    "many-tool": `#!/bin/sh
echo $$ > \${0%/*}/leader
trap "" TERM
setsid sh -c 'echo $$ > "$1/daemon"; sleep 60' sh "\${0%/*}" &
env -u IKIGAI_CALL_ID setsid sh -c 'echo $$ > "$1/background"; exec sleep 60' sh "\${0%/*}" &
sleep 60
`,
  });
  const { child } = await startHost(`
    const tool = { ...registry.tools[0], name: "many", path: ${JSON.stringify(join(dir, "many-tool"))} };
    await core.callTool({ ...registry, tools: [tool] }, "many", "{}", { cwd: dir, projectDir: dir, sessionId: "s", callId: "c" });
  `);
  const [leader, daemon, background] = await Promise.all(
    ["leader", "daemon", "background"].map((name) => pidFrom(join(dir, name))),
  );
  child.kill("SIGKILL");
  await vi.waitFor(() => expect([leader, daemon].map((pid) => isRunning(pid ?? 0))).toEqual([false, false]), within);
  expect(isRunning(background ?? 0)).toBe(true);
  process.kill(background ?? 0, "SIGKILL");
});

test.concurrent("kills a tool that it was asking for its schema", async () => {
  const dir = await tempDir({ "tools/hang-tool": '#!/bin/sh\necho $$ > "$0.pid"\ntrap "" TERM\nsleep 60\n' });
  const { child } = await startHost(`
    await discover(${JSON.stringify(join(dir, "tools"))});
  `);
  const pid = await pidFrom(join(dir, "tools/hang-tool.pid"));
  child.kill("SIGKILL");
  await vi.waitFor(() => expect(isRunning(pid)).toBe(false), within);
});

test.concurrent("exits although its watchdog is running", async () => {
  expect(await runHost('print((await call("echo")).envelope);')).toEqual({ tool_success: true, result: { got: {} } });
});

test.concurrent("starts another watchdog if the first was killed", async () => {
  const { child } = await startHost(`
    await call("echo");
    const { spawnSync } = await import("node:child_process");
    const children = (what) =>
      spawnSync("pgrep", ["-P", String(process.pid), "-f", what], { encoding: "utf8" }).stdout.split("\\n").filter(Boolean);
    const soon = () => new Promise((settle) => setTimeout(settle, 10));
    const dogs = children("ikigai-watchdog");
    for (const pid of dogs) process.kill(Number(pid), "SIGKILL");
    const fs = await import("node:fs");
    while (dogs.some((pid) => fs.existsSync("/proc/" + pid))) await soon();
    await call("leave_daemon", "{}", { env: { ...process.env, PID_FILE: dir + "/unused" } });
    call("forever", "{}", { onProgress() {}, env: { ...process.env } });
    let tools = [];
    while (tools.length === 0) [, tools] = [await soon(), children("forever-tool")];
    fs.writeFileSync(dir + "/pid", tools[0]);
  `);
  const dir = child.spawnargs.at(-1)?.replace("host.mjs", "work") ?? "";
  const pid = await pidFrom(join(dir, "pid"));
  expect(isRunning(pid)).toBe(true);
  child.kill("SIGKILL");
  await vi.waitFor(() => expect(isRunning(pid)).toBe(false), within);
});

test.concurrent("reports too many open files, and recovers", async () => {
  const code = `
    const fs = await import("node:fs");
    const held = [];
    try { for (;;) held.push(fs.openSync("/dev/null", "r")); } catch {}
    for (let free = 0; free < 4; free++) {
      const { envelope } = await call("echo");
      if (envelope.tool_success) break;
      if (!/too many open files/.test(envelope.error)) print(envelope);
      fs.closeSync(held.pop());
    }
    for (const fd of held) fs.closeSync(fd);
    print((await call("echo")).envelope);
  `;
  expect(await runHost(code, { before: "ulimit -n 64;", closesInherited: true })).toEqual({
    tool_success: true,
    result: { got: {} },
  });
});

test.runIf(canDropPrivileges).concurrent("reports that no more processes can be started", async () => {
  const code = `
    const { execFileSync } = await import("node:child_process");
    execFileSync("prlimit", ["--pid", String(process.pid), "--nproc=1:"]);
    print((await call("echo")).envelope);
  `;
  expect(await runHost(code, { uid: unprivileged })).toMatchObject({
    error_code: "TOOL_UNAVAILABLE",
    error: "Tool 'echo' cannot be started: the system cannot start more processes now",
  });
});

test.runIf(canDropPrivileges).concurrent("reports files and directories of another user", async () => {
  const dir = await tempDir({ "tools/secret-tool": tool(schema("secret")), "closed/a-tool": tool(schema("a")) });
  chmodSync(dir, 0o755);
  chmodSync(join(dir, "tools/secret-tool"), 0o711);
  chmodSync(join(dir, "closed"), 0o700);
  const code = `
    const { tools, failed } = await discover(${JSON.stringify(join(dir, "tools"))});
    const { problems } = await discover(${JSON.stringify(join(dir, "closed"))});
    print({ tools, failed: failed.map(({ name, reason }) => name + ": " + reason), problems });
  `;
  expect(await runHost(code, { uid: unprivileged })).toEqual({
    tools: [],
    failed: ["secret: crash"],
    problems: [`Cannot look for tools in ${join(dir, "closed")}: permission denied.`],
  });
});

test.concurrent("asks five hundred tools with few descriptors, some of them hanging", {
  timeout: 180_000,
}, async () => {
  const dir = await tempDir();
  mkdirSync(join(dir, "tools"));
  for (let index = 0; index < 500; index++) {
    const text = index % 100 === 0 ? "#!/bin/sh\nsleep 60\n" : tool(schema(`t${index}`));
    writeFileSync(join(dir, `tools/t${index}-tool`), text, { mode: 0o755 });
  }
  const code = `
    const { tools, failed } = await discover(${JSON.stringify(join(dir, "tools"))});
    print({ tools: tools.length, reasons: [...new Set(failed.map(({ reason }) => reason))] });
  `;
  expect(await runHost(code, { before: "ulimit -n 256;" })).toEqual({ tools: 495, reasons: ["timeout"] });
});

test.concurrent("needs little memory for a flood of output", async () => {
  const code = `
    const peakMb = () => Number(/VmHWM:\\s+(\\d+)/.exec(fs.readFileSync("/proc/self/status", "utf8"))[1]) / 1_000;
    const fs = await import("node:fs");
    for (let warm = 0; warm < 20; warm++) await call("echo");
    const before = peakMb();
    const codes = [await call("flood"), await call("flood_stderr")].map(({ envelope }) => envelope.error_code ?? "ok");
    print({ codes, mb: peakMb() - before });
  `;
  const { codes, mb } = (await runHost(code)) as { codes: string[]; mb: number };
  expect(codes).toEqual(["OUTPUT_TOO_LARGE", "ok"]);
  // Measured: 3 MB; 34 MB if V8 decides when to free Node's read buffers.
  expect(mb).toBeLessThan(15);
});

test.concurrent("counts what ended in time as in time, even if it was asleep itself", async () => {
  const dir = await tempDir({ "nap-tool": '#!/bin/sh\necho $$ > "$0.pid"\nsleep 0.5\necho \'{"done":true}\'\n' });
  const host = await startHost(`
    const tool = { ...registry.tools[0], name: "nap", path: ${JSON.stringify(join(dir, "nap-tool"))} };
    const options = { cwd: dir, projectDir: dir, sessionId: "s", callId: "c", timeoutMs: 2_000 };
    const running = core.callTool({ ...registry, tools: [tool] }, "nap", "{}", options);
    console.log("started");
    print((await running).envelope);
  `);
  const pid = await pidFrom(join(dir, "nap-tool.pid"));
  host.child.kill("SIGSTOP");
  const sleeping = new Promise((settle) => setTimeout(settle, 2_500));
  await vi.waitFor(() => expect(isRunning(pid)).toBe(false), within);
  await sleeping;
  host.child.kill("SIGCONT");
  expect(await host.ended).toBe('started\n{"tool_success":true,"result":{"done":true}}\n');
});

test.concurrent("keeps working after its working directory was deleted", async () => {
  const code = `
    const fs = await import("node:fs");
    fs.mkdirSync(dir + "/gone");
    process.chdir(dir + "/gone");
    fs.rmdirSync(dir + "/gone");
    print((await call("echo")).envelope);
  `;
  expect(await runHost(code)).toEqual({ tool_success: true, result: { got: {} } });
});

test.runIf(existsSync("/usr/bin/script")).concurrent("keeps its tools off its own terminal", async () => {
  const code = `
    const fs = await import("node:fs");
    fs.accessSync("/dev/tty");
    fs.closeSync(fs.openSync("/dev/tty", "w"));
    print((await call("terminal")).json);
  `;
  const { ended } = await startHost(code, { before: `exec script -qec "$0 $1" /dev/null;` });
  expect(JSON.parse(await ended)).toBe('{"tool_success":true,"result":{"terminal":false}}');
});
