// Promise 9 of SECURITY.md.
import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { tempDir } from "@ikigai/testing";
import { describe, expect, test } from "vitest";
import { callTool } from "../src/index.ts";
import { runHost } from "./host.ts";
import { hasBubblewrap } from "./sandbox-stage.ts";
import { circumstances, schema, tool, world } from "./world.ts";

const isPossible = process.platform === "linux" && spawnSync("bash", ["-c", ":"]).status === 0;

/** A directory, a file and a lock, with gaps in between, as shells and supervisors leave them open. */
const leaking = `exec bash -c 'exec 50</etc/passwd 200</ 251</etc 9</etc; exec "$0" "$1"' "$0" "$1";`;

/** Prints what its descriptors point to, except pipes, for `--schema` and for calls. */
const list = `for fd in /proc/self/fd/*; do readlink "$fd"; done | grep -Ev '^(pipe|socket|/dev/null|/proc)' | sort -u`;
const body = `#!/bin/sh
seen=$(${list} | tr '\\n' ' ')
if [ "$1" = --schema ]; then printf %s "$seen" > "$SEEN"; printf %s '${schema("look")}'; exit; fi
cat > /dev/null
printf '{"seen":"%s"}' "$seen"
`;

const prelude = (tools: string) => `
  import { mkdirSync, readFileSync } from "node:fs";
  mkdirSync(dir + "/person");
  process.env.SEEN = dir + "/seen";
  const found = await discover(${JSON.stringify(tools)});
  const look = async (options = {}) => {
    const own = { cwd: dir, projectDir: dir, sessionId: "s", callId: "c" + Math.random(), ...options };
    const { envelope } = await core.callTool(found, "look", "{}", own);
    return envelope.result?.seen ?? envelope;
  };
`;

async function tools(): Promise<string> {
  const dir = await tempDir({ "tools/": "" });
  writeFileSync(join(dir, "tools/look-tool"), body, { mode: 0o755 });
  return join(dir, "tools");
}

describe.runIf(isPossible)("a host that was started with open descriptors (needs bash)", () => {
  test.concurrent("passes none of them to tools, schema requests and programs", async () => {
    const said = await runHost(
      `${prelude(await tools())}
       const program = await core.runProgram("/bin/sh", ["-c", ${JSON.stringify(list)}], { env: process.env, timeoutMs: 20_000, maxBytes: 1_000 });
       print({ schema: readFileSync(dir + "/seen", "utf8"), call: await look(), progress: await look({ onProgress() {} }), program: String(program.stdout) });`,
      { before: leaking },
    );
    expect(said).toEqual({ schema: "", call: "", progress: "", program: "" });
  });

  test.concurrent("passes none of them to the watchdog", async () => {
    const said = await runHost(
      `${prelude(await tools())}
       await look();
       const { readdirSync, readlinkSync, readFileSync: read } = await import("node:fs");
       const children = read("/proc/self/task/" + process.pid + "/children", "utf8").trim().split(" ");
       print(children.flatMap((pid) => readdirSync("/proc/" + pid + "/fd").map((fd) => readlinkSync("/proc/" + pid + "/fd/" + fd))).filter((path) => !/^(pipe|socket|\\/dev\\/null)/.test(path)));`,
      { before: leaking },
    );
    expect(said).toEqual([]);
  });

  test.skipIf(!hasBubblewrap).concurrent("opens no way out of the sandbox through them (needs bwrap)", async () => {
    const said = await runHost(
      `${prelude(await tools())}
       const sandbox = { home, userHome: dir + "/person", network: false, writable: [], readable: [], hidden: [] };
       mkdirSync(dir + "/project");
       print(await look({ sandbox, cwd: dir + "/project", projectDir: dir + "/project" }));`,
      { before: leaking },
    );
    expect(said).toBe("");
  });

  test.concurrent("starts nothing if a descriptor is too high to be replaced, and everything below that", async () => {
    const at = (fd: number) => `exec bash -c 'ulimit -n 8192 2>/dev/null; exec ${fd}</etc; exec "$0" "$1"' "$0" "$1";`;
    const code = `print((await call("echo")).envelope);`;
    expect(await runHost(code, { before: at(4_095) })).toEqual({ tool_success: true, result: { got: {} } });
    const refused = `${prelude(await tools())} print({ tools: found.tools.length, reasons: found.failed.map(({ detail }) => detail) });`;
    expect(await runHost(refused, { before: at(4_096) })).toEqual({
      tools: 0,
      reasons: [
        expect.stringContaining("descriptor 4096 open, which its children would inherit; close it at the start"),
      ],
    });
  });

  test.concurrent("can close them itself, and keep some", async () => {
    const code = `${prelude(await tools())}
      const { readlinkSync } = await import("node:fs");
      core.closeInheritedDescriptors((descriptor) => descriptor === 50);
      const to = (fd) => { try { return readlinkSync("/proc/self/fd/" + fd); } catch (error) { return error.code; } };
      print([...[50, 200, 251].map(to), await look()]);`;
    expect(await runHost(code, { before: leaking })).toEqual(["/etc/passwd", "ENOENT", "ENOENT", ""]);
  });
});

test("descriptor 3 is open even if the host does not read it: the tool's own files get other numbers", async () => {
  const { root, discover } = await world({
    "system/a-tool": tool(
      schema("a"),
      'cat > /dev/null; exec 4> "$0.out"; echo data >&4; echo progress >&3; echo "{}"',
    ),
  });
  const registry = await discover();
  const { envelope } = await callTool(registry, "a", "{}", await circumstances());
  expect(envelope).toEqual({ tool_success: true, result: {} });
  expect(readFileSync(join(root, "system/a-tool.out"), "utf8")).toBe("data\n");
});
