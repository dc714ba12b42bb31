// Promise 6 of SECURITY.md.
import { execFileSync } from "node:child_process";
import { appendFileSync, chmodSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { hookDirectories, listHooks, misplacedHooks } from "../src/hooks/find-hooks.ts";
import { findHooks, isForTool } from "../src/hooks.ts";
import { revokeTrust, trust } from "../src/index.ts";
import { hookScript, hookWorld, namesOf } from "./hook-files.ts";

const script = hookScript("exit 0");

test("finds the user's hooks, then the project's, by the bytes of their paths", async () => {
  const made = await hookWorld(
    {
      "before-call/20-b": script,
      "before-call/bash/10-a": script,
      "before-call/bash-too": script,
      "before-call/Z": script,
      "before-call/é": script,
      "stop/x": script,
    },
    { "before-call/00-p": script },
  );
  await trust(made);
  const { hooks } = await findHooks(made).find("before-call");
  expect(hooks.map(({ scope, name, tool }) => [scope, name, tool])).toEqual([
    ["user", "before-call/20-b", undefined],
    ["user", "before-call/Z", undefined],
    ["user", "before-call/bash-too", undefined],
    ["user", "before-call/bash/10-a", "bash"],
    ["user", "before-call/é", undefined],
    ["project", "before-call/00-p", undefined],
  ]);
});

test("a directory for a tool may end in a star", () => {
  expect(isForTool({}, "bash")).toBe(true);
  expect(isForTool({ tool: "bash" }, "bash2")).toBe(false);
  expect(isForTool({ tool: "mcp__x__*" }, "mcp__x__get")).toBe(true);
  expect(isForTool({ tool: "*" }, "bash")).toBe(true);
});

test("lists what cannot be run with the reason", async () => {
  const made = await hookWorld({
    "before-call/1-plain": "#!/bin/sh\n",
    "before-call/README": "about",
    "before-call/bash/notes.md": "about",
    "before-call/2-dangling": { link: "gone" },
    "before-call/3-directory-of-tool/x": script,
  });
  execFileSync("mkfifo", [join(made.userHooks, "before-call/4-fifo")]);
  symlinkSync("5-loop", join(made.userHooks, "before-call/5-loop"));
  const { hooks } = await findHooks(made).find("before-call");
  expect(hooks.map(({ name, problem }) => [name, problem])).toEqual([
    [
      "before-call/1-plain",
      expect.stringMatching(/^it is not executable\. To fix it: chmod \+x .*1-plain, or move it away$/),
    ],
    ["before-call/2-dangling", "link target missing: gone"],
    ["before-call/3-directory-of-tool/x", undefined],
    ["before-call/4-fifo", "it is not a regular file"],
    ["before-call/5-loop", expect.stringContaining("too many levels of symbolic links")],
  ]);
});

test("a directory that cannot be used counts as a hook that cannot be run", async () => {
  const made = await hookWorld({ "before-call": script, "prompt/x": script });
  const [user] = hookDirectories(made);
  const problems = () => user && listHooks(user, "before-call").map(({ problem }) => problem);
  expect(problems()).toEqual(["before-call is not a directory; hooks are files in a directory of that name"]);
  rmSync(join(made.userHooks, "before-call"));
  expect(problems()).toEqual([]);
  symlinkSync("gone", join(made.userHooks, "before-call"));
  expect(problems()).toEqual(["link target missing: gone"]);
  rmSync(made.userHooks, { recursive: true });
  expect(problems()).toEqual([]);
  symlinkSync("gone", made.userHooks);
  expect(problems()).toEqual(["link target missing: gone"]);
});

test.skipIf(process.getuid?.() === 0)(
  "a directory that cannot be read counts as a hook that cannot be run",
  async () => {
    const made = await hookWorld({ "before-call/x": script });
    chmodSync(join(made.userHooks, "before-call"), 0o000);
    const { hooks } = await findHooks(made).find("before-call");
    expect(hooks).toMatchObject([{ problem: expect.stringContaining("it cannot be read") }]);
    chmodSync(join(made.userHooks, "before-call"), 0o700);
  },
);

test("a directory of a tool that cannot be read counts as a hook that cannot be run", async () => {
  const made = await hookWorld({ "before-call/bash/x": script });
  const [name, maxLength] = ["x".repeat(200), process.platform === "linux" ? 4_095 : 1_023];
  // Links to itself: the path of the event's directory is the longest possible, and that of the tool's is too long.
  let path = made.userHooks;
  while (path.length + name.length <= maxLength - 20) path += `/${name}`;
  const last = "y".repeat(maxLength - path.length - "//before-call".length);
  for (const link of [name, last]) symlinkSync(".", join(made.userHooks, link));
  expect(listHooks({ path: join(path, last), scope: "user" }, "before-call")).toMatchObject([
    { name: "before-call/bash", tool: "bash", problem: expect.stringContaining("it cannot be read") },
  ]);
});

test("reports directories that are never run", async () => {
  const made = await hookWorld({
    "before_call/x": script,
    "PreToolUse/x": script,
    "stop/deep/x": script,
    "after-call/bash/deep/x": script,
    ".git/x": script,
    "README.md": "about",
  });
  const [user] = hookDirectories(made);
  expect(user && misplacedHooks(user)).toEqual([
    expect.stringMatching(
      /PreToolUse is never run: no event has this name\. Did you mean before-call\? Events: session-start, prompt, /,
    ),
    expect.stringContaining("after-call/bash/deep is run: it is too deep"),
    expect.stringContaining("before_call is never run: no event has this name. Did you mean before-call?"),
    expect.stringContaining("stop/deep is run: it is too deep"),
  ]);
});

test("reports what is never run in a project, at the start of a session once it is trusted", async () => {
  const made = await hookWorld({}, { "PreToolUse/x": script, "stop/deep/x": script });
  const finder = findHooks(made);
  const reported = [expect.stringContaining("PreToolUse is never run"), expect.stringContaining("stop/deep is run")];
  expect(await finder.misplaced("trusted")).toEqual([]);
  expect(await finder.misplaced("all")).toEqual(reported);
  await trust(made);
  expect(await finder.misplaced("trusted")).toEqual(reported);
});

test("reports at most ten places that are never run, and takes at most 1000 files for an event", async () => {
  const files = (count: number, name: (n: number) => string) =>
    Object.fromEntries(Array.from({ length: count }, (_, n) => [name(n), script]));
  const misplaced = async (count: number) =>
    findHooks(await hookWorld(files(count, (n) => `x${n}/x`))).misplaced("trusted");
  expect(await misplaced(10)).toHaveLength(10);
  expect([(await misplaced(11)).length, (await misplaced(11)).at(-1)]).toEqual([
    11,
    expect.stringMatching(/hooks has more that is never run\.$/),
  ]);
  for (const [count, found] of [
    [1_000, Array(1_000).fill(undefined)],
    [1_001, ["it has more than 1000 files"]],
  ] as const) {
    const { hooks } = await findHooks(await hookWorld(files(count, (n) => `prompt/x${n}`))).find("prompt");
    expect(hooks.map(({ problem }) => problem)).toEqual(found);
  }
});

test("skips the project's hooks until the user trusts exactly these files", async () => {
  const made = await hookWorld({}, { "before-call/guard": script });
  const finder = findHooks(made);
  expect(await finder.find("before-call")).toMatchObject({
    hooks: [],
    untrusted: [{ name: "before-call/guard" }],
    trust: "untrusted",
  });
  await trust(made);
  expect(await finder.find("before-call")).toMatchObject({ hooks: [{ name: "before-call/guard" }], untrusted: [] });
  expect((await finder.find("before-call")).hooks[0]?.problem).toBeUndefined();
});

test.each<[string, (hooks: string) => void]>([
  ["its content changes", (hooks) => appendFileSync(join(hooks, "before-call/guard"), "# more\n")],
  ["its mode changes", (hooks) => chmodSync(join(hooks, "before-call/guard"), 0o700)],
  ["it is removed", (hooks) => rmSync(join(hooks, "before-call/guard"))],
  ["the project's directory is removed", (hooks) => rmSync(join(hooks, ".."), { recursive: true })],
  ["another file is added", (hooks) => writeFileSync(join(hooks, "../notes"), "")],
])("a trusted guard does not go away when %s", async (_, change) => {
  const made = await hookWorld({}, { "before-call/guard": script });
  await trust(made);
  const finder = findHooks(made);
  await finder.find("before-call");
  change(made.projectHooks);
  const { hooks, untrusted } = await finder.find("before-call");
  expect(hooks).toMatchObject([{ name: "before-call/guard", problem: expect.stringContaining("ikigai trust") }]);
  expect(untrusted).toEqual([]);
  // A new session has never seen it in force.
  expect((await findHooks(made).find("before-call")).hooks).toEqual([]);
});

test("a guard goes away when the user stops trusting the project", async () => {
  const made = await hookWorld({}, { "before-call/guard": script });
  await trust(made);
  const finder = findHooks(made);
  await finder.find("before-call");
  await revokeTrust(made);
  expect(await finder.find("before-call")).toMatchObject({ hooks: [], untrusted: [{ name: "before-call/guard" }] });
});

test("a hook that no approval covers is a problem, not skipped", async () => {
  const made = await hookWorld({}, { "a/x": script });
  mkdirSync(join(made.projectHooks, "before-call"));
  // The same directory was already read as hooks/a.
  symlinkSync("../a", join(made.projectHooks, "before-call/bash"));
  await trust(made);
  const { hooks } = await findHooks(made).find("before-call");
  expect(hooks).toMatchObject([{ name: "before-call/bash/x", problem: expect.stringContaining("does not cover it") }]);
});

test("the hooks of a project that is the user's own directory are the user's", async () => {
  const made = await hookWorld({ "stop/x": script });
  const place = { home: join(made.root, "home/.ikigai"), projectDir: made.home };
  mkdirSync(join(place.home, "hooks/stop"), { recursive: true });
  writeFileSync(join(place.home, "hooks/stop/own"), "#!/bin/sh\n", { mode: 0o755 });
  const link = join(made.root, "link");
  symlinkSync(place.home, link);
  for (const home of [place.home, link]) {
    const { hooks, untrusted } = await findHooks({ ...place, home }).find("stop");
    expect(hooks.map(({ scope }) => scope)).toEqual(["user"]);
    expect(untrusted).toEqual([]);
  }
});

test("a home that cannot have directories has no hooks", async () => {
  const made = await hookWorld({ "stop/x": script });
  const place = { home: join(made.userHooks, "stop/x/.ikigai"), projectDir: made.projectDir };
  expect(await findHooks(place).find("before-call")).toMatchObject({ hooks: [] });
});

test("finds nothing, and creates nothing, without hooks", async () => {
  const made = await hookWorld({});
  expect(namesOf((await findHooks(made).find("before-call")).hooks)).toEqual([]);
});
