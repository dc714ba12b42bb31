// Promise 2 of SECURITY.md.
import { chmodSync, copyFileSync, existsSync, readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { tempDir } from "@ikigai/testing";
import { afterEach, describe, expect, test, vi } from "vitest";
import { discover, execute, findTool, type RegisteredTool } from "../src/index.ts";
import { sandboxProblem, startAhead } from "../src/internal.ts";
import { hasBubblewrap, runsWith, sandboxStage } from "./sandbox-stage.ts";
import { callPrepared } from "./waiting-tool.ts";
import { circumstances, schema, tool } from "./world.ts";

afterEach(() => vi.unstubAllEnvs());

describe.skipIf(!hasBubblewrap)("a call in the sandbox (needs bwrap)", () => {
  test.concurrent("keeps a tool's output on a timeout, and kills all of it", async () => {
    const mark = `59.${process.pid}66`;
    const timeoutMs = 4_000;
    const { discover, projectDir, sandbox } = await sandboxStage({
      "system/slow-tool": tool(
        schema("slow"),
        `cat > /dev/null; printf '"part'; trap "printf 'ial\\"'; exit" TERM; sleep ${mark} & wait`,
      ),
    });
    const slow = findTool(await discover(), "slow") as RegisteredTool;
    const own = await circumstances({ cwd: projectDir, projectDir, sandbox, timeoutMs });
    const { envelope, durationMs } = await execute(slow, "{}", own);
    expect(envelope).toMatchObject({ error_code: "TOOL_TIMEOUT", exit_code: null, stdout: '"partial"' });
    expect(durationMs).toBeLessThan(20_000);
    expect(runsWith(mark)).toBe(false);
  });

  test.concurrent("kills a tool that ignores SIGTERM, and one that is cancelled", async () => {
    const { run } = await sandboxStage();
    const [mark, other] = [`59.${process.pid}67`, `59.${process.pid}68`];
    const stubborn = run(`trap '' TERM; sleep ${mark}; sleep ${mark}; sleep ${mark}`, { timeoutMs: 300 });
    const stop = new AbortController();
    const stopped = run(`sleep ${other}`, { signal: stop.signal });
    await vi.waitFor(() => expect(runsWith(other)).toBe(true), { timeout: 50_000, interval: 20 });
    stop.abort();
    expect((await stubborn).envelope).toMatchObject({ error_code: "TOOL_TIMEOUT" });
    expect((await stopped).envelope).toMatchObject({ error_code: "TOOL_CANCELLED" });
    expect([mark, other].filter(runsWith)).toEqual([]);
  });

  test.concurrent("returns exit codes, signals, progress and long answers as without a sandbox", async () => {
    const { discover, projectDir, sandbox } = await sandboxStage({
      "system/bad-tool": tool(schema("bad"), "cat > /dev/null; echo because >&2; exit 3"),
      "system/dead-tool": tool(schema("dead"), "cat > /dev/null; kill -SEGV $$"),
      "system/long-tool": tool(
        schema("long"),
        `cat > /dev/null; echo '{"progress":1}' >&3; printf '{"output":"'; head -c 100000 /dev/zero | tr '\\0' x; printf '"}'`,
      ),
    });
    const registry = await discover();
    const reports: unknown[] = [];
    const call = async (name: string) => {
      const own = await circumstances({ cwd: projectDir, projectDir, sandbox, onProgress: (one) => reports.push(one) });
      return execute(findTool(registry, name) as RegisteredTool, "{}", own);
    };
    expect((await call("bad")).envelope).toMatchObject({
      error_code: "TOOL_CRASHED",
      exit_code: 3,
      stderr: "because\n",
    });
    expect((await call("dead")).envelope).toMatchObject({ error_code: "TOOL_CRASHED", exit_code: 139 });
    const { envelope, overflowFile = "" } = await call("long");
    expect(envelope.tool_success).toBe(true);
    expect(readFileSync(overflowFile).length).toBe(100_013);
    expect(reports).toEqual([{ progress: 1 }]);
  });

  test.concurrent("uses a process started ahead only in the same sandbox", async () => {
    const { discover, projectDir, sandbox } = await sandboxStage({
      "system/wait-tool": tool(
        schema("wait", { ikigai: { prestart: true } }),
        `cat >/dev/null; printf '{"ahead":"%s"}' "$IKIGAI_PRESTART"`,
      ),
    });
    const wait = findTool(await discover(), "wait") as RegisteredTool;
    const own = await circumstances({ cwd: projectDir, projectDir, sandbox });
    const answer = async (changes: object) => {
      const ahead = startAhead(wait, own);
      const { envelope } = await callPrepared(wait, "{}", { ...own, ...changes, ahead });
      return envelope.tool_success && envelope.result.ahead;
    };
    expect(await answer({})).toBe("1");
    expect(await answer({ sandbox: { ...sandbox, network: true } })).toBe("");
    expect(await answer({ sandbox: { ...sandbox, writable: [own.overflowDir ?? "", sandbox.userHome] } })).toBe("");
    expect(await answer({ sandbox: { ...sandbox, isReadOnly: true } })).toBe("");
    expect(await answer({ sandbox: undefined })).toBe("");
  });

  test.concurrent("does not start for a schema request, which may change nothing", async () => {
    const {
      discover: find,
      root,
      home,
      projectDir,
      sandbox,
    } = await sandboxStage({ "home/tools/": "", "project/": "" });
    const said = schema("nosy");
    const nosy = `#!/bin/sh\n{ echo x > ${projectDir}/x; echo x > ${root}/x; } 2>/dev/null\nprintf %s '${said}'\n`;
    const system = await tempDir({ "nosy-tool": nosy });
    const options = { directories: [{ path: system, scope: "user" as const }], home, projectDir };
    expect((await discover({ ...options, sandboxFor: () => sandbox })).tools.map(({ name }) => name)).toEqual(["nosy"]);
    expect([
      existsSync(join(projectDir, "x")),
      existsSync(join(root, "x")),
      existsSync(join(projectDir, ".ikigai")),
    ]).toEqual([false, false, false]);
    expect((await find()).tools.map(({ name }) => name)).toEqual(["try"]);
  });
});

test.runIf(hasBubblewrap)("shows the program that runs a tool, wherever it was found", async () => {
  const programs = await tempDir({ "real/": "", "bin/": "" });
  const { discover, projectDir, sandbox } = await sandboxStage({ "project/bin/": "", "project/bin/shell-of-test": "" });
  copyFileSync("/bin/sh", join(programs, "real/shell"));
  chmodSync(join(programs, "real/shell"), 0o755);
  symlinkSync("../real/shell", join(programs, "bin/shell-of-test"));
  vi.stubEnv("PATH", [join(projectDir, "bin"), join(programs, "bin"), process.env.PATH].join(":"));
  const script = tool(schema("odd"), `cat > /dev/null; echo '{"ran":true}'`).replace(
    "/bin/sh",
    "/usr/bin/env shell-of-test",
  );
  const directories = [{ path: await tempDir({ "odd-tool": script }), scope: "system" as const }];
  const odd = findTool(await discover({ directories, sandboxFor: () => sandbox }), "odd") as RegisteredTool;
  const { envelope } = await execute(odd, "{}", await circumstances({ cwd: projectDir, projectDir, sandbox }));
  expect(envelope).toMatchObject({ tool_success: true, result: { ran: true } });
});

test("runs nothing if there is no sandbox", async () => {
  const { run, sandbox, projectDir } = await sandboxStage();
  vi.stubEnv("IKIGAI_BWRAP", "/no/such/bwrap");
  expect((await run("touch ran")).envelope).toMatchObject({
    error_code: "TOOL_UNAVAILABLE",
    error: expect.stringMatching(
      /^Tool 'try' cannot be started: the sandbox cannot be started: IKIGAI_BWRAP=\/no\/such\/bwrap: no such program$/,
    ),
  });
  expect(await sandboxProblem(sandbox, projectDir)).toMatch(
    /^The sandbox cannot be started: IKIGAI_BWRAP=\/no\/such\/bwrap: no such program\.$/,
  );
  expect(existsSync(join(projectDir, "ran"))).toBe(false);
});

test("runs nothing if the sandbox does not start", async () => {
  const { run, sandbox, projectDir, root } = await sandboxStage({
    "bwrap-tool": "#!/bin/sh\necho 'bwrap: No permissions to create new namespace' >&2\nexit 1\n",
  });
  chmodSync(join(root, "bwrap-tool"), 0o755);
  vi.stubEnv("IKIGAI_BWRAP", join(root, "bwrap-tool"));
  expect((await run("touch ran")).envelope).toMatchObject({
    error_code: "TOOL_UNAVAILABLE",
    error: "Tool 'try' cannot be started in the sandbox: No permissions to create new namespace",
  });
  expect(await sandboxProblem(sandbox, projectDir)).toMatch(/^The sandbox cannot be started: bwrap: No permissions/);
  expect(existsSync(join(projectDir, "ran"))).toBe(false);
});

test.runIf(hasBubblewrap)("returns nothing from a probe that starts", async () => {
  const { sandbox, projectDir } = await sandboxStage();
  expect(await sandboxProblem(sandbox, projectDir)).toBeUndefined();
});
