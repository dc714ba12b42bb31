// @module-tag sampled
import { copyFileSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { isRunning } from "@ikigai/testing";
import { expect, test, vi } from "vitest";
import { callTool, findTool } from "../src/index.ts";
import { runHost, startHost } from "./host.ts";
import { canDropPrivileges } from "./unprivileged-user.ts";
import { circumstances, schema, tool, world } from "./world.ts";

const within = { timeout: 30_000, interval: 10 };

/** The processes of a user, without zombies. */
function processesOf(uid: number): string[] {
  return readdirSync("/proc").filter((pid) => {
    try {
      const status = readFileSync(`/proc/${pid}/status`, "utf8");
      return new RegExp(`^Uid:\\s+${uid}\\s`, "m").test(status) && !/^State:\s+[ZX]/m.test(status);
    } catch {
      return false;
    }
  });
}

test.runIf(canDropPrivileges)(
  "ends a fork bomb, and can call tools afterwards",
  async () => {
    const uid = 60_000 + (process.pid % 5_000);
    const code = `
    const { envelope } = await call("bomb", "{}", { timeoutMs: 700 });
    // Zombies count until they are reaped.
    let again = false;
    for (let tries = 0; tries < 100 && !again; tries++) {
      again = (await call("echo")).envelope.tool_success;
      await new Promise((settle) => setTimeout(settle, 100));
    }
    print({ code: envelope.error_code, again });
  `;
    expect(await runHost(code, { uid, before: 'exec prlimit --nproc=200 "$0" "$1";' })).toEqual({
      code: "TOOL_TIMEOUT",
      again: true,
    });
    await vi.waitFor(() => expect(processesOf(uid)).toEqual([]), within);
  },
  60_000,
);

test("ignores changes of the system clock", async () => {
  const clock = join(import.meta.dirname, "fixtures/jumping-clock.cjs");
  const code = `
    const looked = [new Date(), new Date()];
    const timedOut = await call("forever", "{}", { timeoutMs: 500 });
    const done = await call("split_character", "{}", { timeoutMs: 20_000 });
    const { tools } = await discover(${JSON.stringify(join(import.meta.dirname, "fixtures"))});
    print({
      jumpDays: Math.round(Math.abs(looked[1] - looked[0]) / 86_400_000),
      timedOut: [timedOut.envelope.error_code, timedOut.durationMs >= 500 && timedOut.durationMs < 20_000],
      done: [done.envelope.tool_success, done.durationMs >= 100 && done.durationMs < 20_000],
      tools: tools.length > 10,
    });
  `;
  expect(await runHost(code, { env: { NODE_OPTIONS: `--require=${clock}` } })).toEqual({
    jumpDays: 800,
    timedOut: ["TOOL_TIMEOUT", true],
    done: [true, true],
    tools: true,
  });
});

test("returns one result after the host was suspended beyond a tool's timeout, and keeps working", async () => {
  const host = await startHost(`
    const running = call("forever", "{}", { timeoutMs: 1_000 });
    console.log("started");
    const { envelope } = await running;
    console.log(envelope.error_code, (await call("echo")).envelope.tool_success);
  `);
  await vi.waitFor(() => expect(host.printed).toContain("started"), within);
  host.child.kill("SIGSTOP");
  await new Promise((settle) => setTimeout(settle, 2_500));
  host.child.kill("SIGCONT");
  expect(await host.ended).toBe("started\nTOOL_TIMEOUT true\n");
});

test("survives a tool that is rewritten in place while it runs", async () => {
  const slow = tool(schema("slow"), `echo $$ > "$0.pid"; sleep 0.5; echo '{"old":true}'`);
  const { root, discover } = await world({ "system/slow-tool": slow });
  const registry = await discover();
  const path = join(root, "system/slow-tool");
  const running = callTool(registry, "slow", "{}", await circumstances());
  await vi.waitFor(() => expect(readFileSync(`${path}.pid`, "utf8")).toMatch(/\n/), within);
  writeFileSync(path, `${"#".repeat(slow.length)}\necho '{"new":true}'\n`);
  const { envelope } = await running;
  // A shell reads a script as it runs, so either text may continue.
  expect(envelope.tool_success || envelope.error_code).toBeOneOf([true, "INVALID_OUTPUT", "TOOL_CRASHED"]);
  expect(isRunning(Number(readFileSync(`${path}.pid`, "utf8")))).toBe(false);
  renameSync(await written(root, tool(schema("slow"), "cat > /dev/null; echo '{\"newer\":true}'")), path);
  const after = await callTool(await discover(), "slow", "{}", await circumstances());
  expect(after.envelope).toEqual({ tool_success: true, result: { newer: true } });
});

async function written(dir: string, text: string): Promise<string> {
  const path = join(dir, "new-tool");
  writeFileSync(path, text, { mode: 0o755 });
  return path;
}

test("skips or finds tools that appear and disappear during discovery", async () => {
  const { root, discover } = await world({ "system/there-tool": tool(schema("there")) });
  const path = join(root, "system/flicker-tool");
  const flicker = setInterval(() => {
    try {
      if (Math.random() < 0.5) copyFileSync(join(root, "system/there-tool"), path);
      else rmSync(path, { force: true });
    } catch {
      // A running file cannot be written.
    }
  }, 1);
  try {
    for (let round = 0; round < 30; round++) {
      const registry = await discover({ fresh: true });
      expect(findTool(registry, "there")).toBeDefined();
      const flickering = findTool(registry, "flicker");
      if (flickering) await callTool(registry, "flicker", "{}", await circumstances());
      const others = registry.tools.filter(({ name }) => name !== "there" && name !== "flicker");
      expect(others).toEqual([]);
    }
  } finally {
    clearInterval(flicker);
  }
});

test("fails at once for a tool that prompts on a terminal, and for git asking for a password", async () => {
  const { discover } = await world({
    "system/ask-tool": tool(
      schema("ask"),
      "cat > /dev/null; asked=false; read -r answer < /dev/tty && asked=true; echo '{\"asked\":'$asked'}'",
    ),
    "system/git-tool": tool(
      schema("git"),
      `cat > /dev/null; printf '{"said":"%s"}' "$(git credential fill 2>&1 << 'END' | tr -d '"\\n'
protocol=https
host=127.0.0.1

END
)"`,
    ),
  });
  const registry = await discover();
  const startMs = performance.now();
  const asked = await callTool(registry, "ask", "{}", await circumstances());
  const git = await callTool(registry, "git", "{}", await circumstances());
  expect(performance.now() - startMs).toBeLessThan(10_000);
  expect(asked.envelope).toEqual({ tool_success: true, result: { asked: false } });
  expect(git.json).toMatch(/terminal prompts disabled|not found/);
});

test("reports an environment that is too large, and accepts large arguments", async () => {
  const { discover } = await world({ "system/count-tool": tool(schema("count"), `printf '{"bytes":%d}' "$(wc -c)"`) });
  const registry = await discover();
  const big = { ...process.env, BIG: "x".repeat(200_000) };
  const refused = await callTool(registry, "count", "{}", await circumstances({ env: big }));
  expect(refused.envelope).toMatchObject({ error_code: "TOOL_UNAVAILABLE" });
  const args = JSON.stringify({ text: "x".repeat(3_000_000) });
  const { envelope } = await callTool(registry, "count", args, await circumstances());
  expect(envelope).toEqual({ tool_success: true, result: { bytes: args.length } });
});
