import { execFileSync } from "node:child_process";
import {
  chmodSync,
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readFileSync,
  rmSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { nearestWord } from "@ikigai/system";
import { isRunning } from "@ikigai/testing";
import { expect, test, vi } from "vitest";
import { findTool, type Registry, registryChanged } from "../src/index.ts";
import { renderFailure } from "../src/internal.ts";
import { schema, tool, world } from "./world.ts";

/** `name: reason, detail` of every tool that failed. */
function failures({ failed }: Registry): Record<string, string> {
  return Object.fromEntries(failed.map(({ name, reason, detail }) => [name, `${reason}: ${detail}`]));
}

function names({ tools }: Registry): string[] {
  return tools.map(({ name }) => name);
}

test.concurrent("finds tools in three directories, sorted by name, the nearest of each name", async () => {
  const { root, discover } = await world({
    "system/file-read-tool": tool(schema("file_read")),
    "system/bash-tool": tool(schema("bash", { description: "system" })),
    "home/tools/bash-tool": tool(schema("bash", { description: "user" })),
    "home/tools/mine-tool": tool(schema("mine")),
    "other/bash-tool": tool(schema("bash", { description: "other" })),
    "more/bash-tool": tool(schema("bash", { description: "more" })),
  });
  const registry = await discover({ toolPath: `${join(root, "more")}::${join(root, "other")}` });
  expect(names(registry)).toEqual(["bash", "file_read", "mine"]);
  expect(findTool(registry, "bash")).toEqual({
    name: "bash",
    path: join(root, "more/bash-tool"),
    scope: "user",
    schema: { name: "bash", description: "more", parameters: { type: "object", properties: {} } },
    identity: { realPath: join(root, "more/bash-tool"), stamp: expect.any(String) },
    shadows: [
      { path: join(root, "other/bash-tool"), scope: "user" },
      { path: join(root, "home/tools/bash-tool"), scope: "user" },
      { path: join(root, "system/bash-tool"), scope: "system" },
    ],
    shadowed: join(root, "other/bash-tool"),
    system: { name: "bash", description: expect.any(String), parameters: { type: "object", properties: {} } },
    warnings: [],
  });
  expect(registry).toMatchObject({ failed: [], problems: [], trust: "nothing" });
});

test.concurrent("keeps the farther tool when the nearer one fails", async () => {
  const { root, discover } = await world({
    "system/bash-tool": tool(schema("bash")),
    "home/tools/bash-tool": "#!/bin/sh\nexit 1\n",
  });
  const registry = await discover();
  expect(findTool(registry, "bash")).toMatchObject({ scope: "system", shadows: [] });
  expect(registry.failed.map(renderFailure)).toEqual([
    "Debug: tool 'bash' schema failed (crash): --schema ended with exit code 1",
  ]);
  expect(registry.failed[0]?.path).toBe(join(root, "home/tools/bash-tool"));
});

test.concurrent("skips what is not a file, and reports invalid names", async () => {
  const { root, discover } = await world({
    "system/README.md": "",
    "system/notool": tool(schema("notool")),
    "system/d-tool/": "",
    "system/-tool": tool(schema("x")),
    "system/A B-tool": tool(schema("x")),
    "system/x\n-tool": tool(schema("x")),
    "system/$(id)-tool": tool(schema("x")),
    "system/b\u0430sh-tool": tool(schema("x")),
    "system/0x-tool": tool(schema("x")),
    [`system/${"x".repeat(65)}-tool`]: tool(schema("x")),
    [`system/${"y".repeat(64)}-tool`]: tool(schema("y".repeat(64))),
  });
  execFileSync("mkfifo", ["-m", "755", join(root, "system/fifo-tool")]);
  const server = createServer().listen(join(root, "system/socket-tool"));
  const registry = await discover();
  server.close();
  expect(names(registry)).toEqual(["y".repeat(64)]);
  expect(registry.failed.every(({ reason }) => reason === "invalid name")).toBe(true);
  expect(registry.failed.map(({ name }) => name).sort()).toEqual(
    ["", "$(id)", "0x", "A B", "b\\u{430}sh", "x\\u{a}", "x".repeat(65)].sort(),
  );
});

test.concurrent("says why a file cannot be run", async () => {
  const foreign = Buffer.alloc(64);
  foreign.write("\x7fELF\x02\x01");
  foreign[18] = 243;
  const { root, discover } = await world({
    "system/plain-tool": { content: tool(schema("plain")), mode: 0o644 },
    "system/dangling-tool": { link: "/nope" },
    "system/one-tool": { link: "two-tool" },
    "system/two-tool": { link: "one-tool" },
    "system/missing-tool": "#!/no/such/interpreter\n",
    "system/crlf-tool": "#!/bin/sh\r\necho\r\n",
    "system/env-crlf-tool": "#!/usr/bin/env sh\r\necho\r\n",
    "system/env-tool": "#!/usr/bin/env nosuch\n",
    "system/nothing-tool": "#!\n",
    "system/empty-tool": "",
    "system/garbage-tool": Buffer.from([0, 1, 2, 3, 0xff]),
    "system/awk-tool": "#!/usr/bin/awk -f\nBEGIN {}\n",
    "system/foreign-tool": foreign,
    "system/truncated-tool": readFileSync("/bin/true").subarray(0, 3_000),
    "system/bare-tool": tool(schema("bare")).slice("#!/bin/sh\n".length),
  });
  const registry = await discover();
  // The system runs a text without a #! line with the shell.
  expect(names(registry)).toEqual(["bare"]);
  expect(failures(registry)).toMatchObject({
    plain: `not executable: fix it with chmod +x ${join(root, "system/plain-tool")}`,
    dangling: "not executable: link target missing: /nope; build it or restore it",
    one: "not executable: too many levels of symbolic links",
    two: "not executable: too many levels of symbolic links",
    missing: "not executable: its interpreter /no/such/interpreter is missing",
    crlf: "not executable: CRLF line ending in its #! line; save the file with LF line endings",
    env_crlf: "not executable: CRLF line ending in its #! line; save the file with LF line endings",
    env: expect.stringMatching(
      /^(crash: --schema ended with exit code 127: .*nosuch|not executable: its interpreter nosuch is not )/,
    ),
    empty: "not executable: it is empty",
    garbage: "not executable: it is neither a program nor a script",
    awk: "crash: awk takes --schema for an option of its own; start the tool with #!/bin/sh, and awk with exec",
    foreign: expect.stringMatching(/^not executable: it is a program for riscv64; this machine is /),
    truncated: expect.stringMatching(/^(crash|not executable|invalid JSON): /),
  });
});

test.concurrent("uses the file's name, and warns about a different one in the schema", async () => {
  const { discover } = await world({ "system/a-tool": tool(schema("bash")) });
  const registry = await discover();
  expect(registry.tools).toMatchObject([{ name: "a", schema: { name: "a" } }]);
  expect(registry.tools[0]?.warnings).toEqual(['Its schema names it "bash", but its file name decides: a.']);
});

test.concurrent("chooses deterministically between files that share a name", async () => {
  const { root, discover } = await world({
    "system/a_b-tool": tool(schema("a_b", { description: "underscore" })),
    "system/a-b-tool": tool(schema("a_b", { description: "hyphen" })),
    "system/Foo-tool": tool(schema("Foo")),
    "system/foo-tool": tool(schema("foo")),
  });
  const registry = await discover();
  expect(names(registry)).toEqual(["Foo", "a_b", "foo"]);
  expect(findTool(registry, "a_b")).toMatchObject({
    schema: { description: "hyphen" },
    shadows: [{ path: join(root, "system/a_b-tool"), scope: "system" }],
    warnings: ["a_b-tool in the same directory is also named a_b and is not used."],
  });
  expect(findTool(registry, "foo")?.warnings).toEqual(["There is also Foo, which differs only in case."]);
});

test.concurrent("reports a directory that cannot be read, but not a missing one", async () => {
  const { root, home, projectDir } = await world({ "system-file": "" });
  const { discover } = await import("../src/index.ts");
  const directories = [
    { path: join(root, "system-file"), scope: "system" as const },
    { path: join(root, "missing"), scope: "user" as const },
  ];
  const registry = await discover({ directories, home, projectDir });
  expect(registry.problems).toEqual([`Cannot look for tools in ${join(root, "system-file")}: not a directory.`]);
});

test.concurrent("waits a second for 49 hanging tools together, not for each in turn", async () => {
  const hanging = Array.from({ length: 48 }, (_, n): [string, string] => [
    `system/hang${n}-tool`,
    "#!/bin/sh\nsleep 60\n",
  ]);
  const stubborn = '#!/bin/sh\necho $$ > "$0.pid"\ntrap "" TERM\nsleep 60 &\necho $! >> "$0.pid"\nwait\nwait\n';
  const good = Array.from({ length: 20 }, (_, n): [string, string] => [`system/ok${n}-tool`, tool(schema(`ok${n}`))]);
  const { root, discover } = await world(Object.fromEntries([...hanging, ...good, ["system/stubborn-tool", stubborn]]));
  const startedAtMs = performance.now();
  const registry = await discover();
  const tookMs = performance.now() - startedAtMs;
  expect(registry.tools).toHaveLength(20);
  expect(registry.failed).toHaveLength(49);
  expect(new Set(Object.values(failures(registry)))).toEqual(new Set(["timeout: it did not end within 1 s"]));
  // Measured: 1.9 s. In turn they would take 49 s; a very busy machine takes half of that.
  expect(tookMs).toBeLessThan(40_000);
  for (const pid of readFileSync(join(root, "system/stubborn-tool.pid"), "utf8").trim().split("\n")) {
    expect(isRunning(Number(pid))).toBe(false);
  }
});

test
  .runIf(process.platform === "linux")
  .concurrent("gives a tool that is still busy after a second more time, but not forever", async () => {
    const slow = "timeout 1.3 sh -c 'while :; do :; done'";
    const { discover } = await world({
      "system/slow-tool": tool(schema("slow")).replace("then ", `then ${slow}; `),
      "system/spin-tool": "#!/bin/sh\nwhile :; do :; done\n",
    });
    const registry = await discover();
    expect(names(registry)).toEqual(["slow"]);
    expect(failures(registry)).toEqual({ spin: "timeout: it did not end within 1 s" });
  });

test.concurrent("kills what a tool leaves behind after printing its schema", async () => {
  const daemon = 'setsid sleep 60 > /dev/null 2>&1 & echo $! > "$0.pid"';
  const { root, discover } = await world({
    "system/daemon-tool": tool(schema("daemon")).replace("exit;", `${daemon}\nexit;`),
  });
  expect(names(await discover())).toEqual(["daemon"]);
  expect(isRunning(Number(readFileSync(join(root, "system/daemon-tool.pid"), "utf8")))).toBe(false);
});

test.concurrent("waits a moment for a file that is still being written", async () => {
  const { root, discover } = await world({ "system/busy-tool": tool(schema("busy")) });
  const path = join(root, "system/busy-tool");
  const writing = openSync(path, "r+");
  // Before the last attempt, however busy the machine is: both use the same loop.
  setTimeout(() => closeSync(writing), 70);
  expect(names(await discover())).toEqual(["busy"]);
});

test.concurrent("stops at once when aborted", async () => {
  const { root, discover } = await world({ "system/hang-tool": '#!/bin/sh\necho $$ > "$0.pid"\nexec sleep 60\n' });
  const stop = new AbortController();
  const running = discover({ signal: stop.signal });
  const pidFile = join(root, "system/hang-tool.pid");
  await vi.waitFor(() => expect(readFileSync(pidFile, "utf8")).toMatch(/\n/), { timeout: 50_000, interval: 10 });
  stop.abort();
  await expect(running).rejects.toThrow("aborted");
  expect(isRunning(Number(readFileSync(pidFile, "utf8")))).toBe(false);
});

test.concurrent("starts nothing if already aborted", async () => {
  const { root, discover } = await world({ "system/a-tool": '#!/bin/sh\ntouch "$0.ran"\n' });
  await expect(discover({ signal: AbortSignal.abort() })).rejects.toThrow("aborted");
  expect(existsSync(join(root, "system/a-tool.ran"))).toBe(false);
});

test.concurrent("notices changes in the directories without running anything", async () => {
  const { root, home, discover } = await world({
    "system/a-tool": tool(schema("a")),
    "system/plain-tool": { content: "", mode: 0o644 },
    "packages/linked": tool(schema("linked")),
    "packages/other": tool(schema("linked")),
  });
  const path = join(root, "system/a-tool");
  const [link, target] = [join(root, "system/linked-tool"), join(root, "packages/linked")];
  symlinkSync(target, link);
  const changes: (() => void)[] = [
    () => writeFileSync(target, tool(schema("linked", { description: "Else" }))),
    () => {
      unlinkSync(link);
      symlinkSync(join(root, "packages/other"), link);
    },
    () => unlinkSync(join(root, "packages/other")),
    () => writeFileSync(path, tool(schema("a", { description: "Else" }))),
    () => chmodSync(join(root, "system/plain-tool"), 0o755),
    () => writeFileSync(join(root, "system/b-tool"), ""),
    () => unlinkSync(path),
    () => mkdirSync(join(home, "tools")),
    () => rmSync(join(root, "system"), { recursive: true }),
  ];
  for (const change of changes) {
    const registry = await discover();
    expect(registryChanged(registry)).toBe(false);
    change();
    expect(registryChanged(registry)).toBe(true);
  }
  expect(existsSync(join(root, "system"))).toBe(false);
});

test.concurrent("suggests the name that was probably meant", async () => {
  const tools = ["bash", "file_read", "file_write", "grep"];
  const { discover } = await world(
    Object.fromEntries(tools.map((name) => [`system/${name}-tool`, tool(schema(name))])),
  );
  const registry = await discover();
  const meant = ["bsah", "Bash", "file-read", "read_file", "file_reed", "grep_tool", "web_search", "batch", ""];
  expect(meant.map((name) => nearestWord(name, names(registry)))).toEqual([
    "bash",
    "bash",
    "file_read",
    "file_read",
    "file_read",
    "grep",
    undefined,
    undefined,
    undefined,
  ]);
});
