// Promise 2 of SECURITY.md.
// @module-tag tables
import { spawn, spawnSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync, readlinkSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { basename, join } from "node:path";
import { Lock } from "@ikigai/system";
import { type TreeEntry, tempDir } from "@ikigai/testing";
import { describe, expect, onTestFinished, test } from "vitest";
import { hasBubblewrap } from "./has-bubblewrap.ts";
import { ikigai } from "./ikigai.ts";
import { toolNamesWithoutAgent } from "./shipped-tools.ts";
import { openFullScreen } from "./terminal.ts";

/** A home with this configuration, and a project. */
async function place(config: object = {}, files: Readonly<Record<string, TreeEntry>> = {}) {
  const root = await tempDir({
    "home/.ikigai/config.json": { content: JSON.stringify(config), mode: 0o600 },
    "project/": "",
    "outside/": "",
    "temp/": "",
    ...files,
  });
  const env = { HOME: join(root, "home"), TMPDIR: join(root, "temp") };
  const options = { cwd: join(root, "project"), env };
  return { root, ...options, run: (...args: string[]) => ikigai(args, options) };
}

/** Starts a program where nsenter cannot be run. */
const withoutNsenter = ["unshare", "-m", "sh", "-c", 'mount --bind /dev/null /usr/bin/nsenter && exec "$@"', "sh"];

/** Whether that is possible. */
const canHide = spawnSync(withoutNsenter[0] ?? "", [...withoutNsenter.slice(1), "true"]).status === 0;

const prompt = ["--model", "offline", "--allow", "bash", "-p"];

describe.skipIf(!hasBubblewrap)("with a sandbox (needs bwrap)", () => {
  test.each([[["tool", "call", "--sandbox", "bash", '{"command": "ls -A"}']], [["--sandbox", ...prompt, "run ls -A"]]])(
    "leaves nothing in the project if the home does not exist: %j",
    async (args) => {
      const { cwd, env } = await place();
      const ended = await ikigai(args, { cwd, env: { ...env, HOME: "/nonexistent/home" } });
      expect(ended).toMatchObject({ exitCode: 0, stdout: expect.stringMatching(/\.git.*HEAD/s) });
      expect([readdirSync(cwd), readdirSync(env.TMPDIR)]).toEqual([[], []]);
    },
  );

  test("replays a sandboxed call in the sandbox", async () => {
    const { run, root } = await place();
    await run("--sandbox", ...prompt, "run touch ../outside/no");
    expect((await run("tool", "log")).stdout).toMatch(/\n1 bash: exit 1, .*, in the sandbox\n/);
    expect(JSON.parse((await run("tool", "log", "--json")).stdout).calls[0]).toMatchObject({
      sandbox: { network: false },
    });
    expect(await run("replay", "1", "--yes")).toMatchObject({
      exitCode: 0,
      stdout: expect.stringContaining("\nSame result: "),
    });
    expect(readdirSync(join(root, "outside"))).toEqual([]);
  });

  test("a task changes only the project, and leaves no file of the sandbox", async () => {
    const { run, root } = await place();
    const { exitCode, stdout, stderr } = await run("--sandbox", ...prompt, "run touch made ../outside/no");
    expect(stderr).toContain(
      "Tools run in the sandbox: they can change only the project, and reach hosts that you allow.\n",
    );
    expect({ exitCode, stdout }).toEqual({
      exitCode: 0,
      stdout: expect.stringContaining("../outside/no': Read-only file system"),
    });
    expect(readdirSync(join(root, "project"))).toEqual(["made"]);
    expect([...readdirSync(join(root, "outside")), ...readdirSync(join(root, "temp"))]).toEqual([]);
  });

  test("the notice and /status name what the configuration opens", async () => {
    const config = {
      sandbox: { enabled: true, writable: ["~/.cache", "/nonexistent/dir"] },
      tools: { bash: { sandbox: false }, grep: { network: true } },
    };
    const open = await place(config, { "home/.cache/": "" });
    const { stderr } = await open.run(...prompt, "run true");
    expect(stderr).toContain(
      "Tools run in the sandbox: they can change only the project, ~/.cache, and reach hosts that you allow.\n" +
        "Not sandboxed, as you configured: bash.\nThey reach all hosts on the internet, as you configured: grep.\n",
    );
    const status = async ({ cwd, env }: Awaited<ReturnType<typeof place>>, ...options: string[]) => {
      const { stdout } = await ikigai(["--model", "offline", ...options], { cwd, env, typed: "/status\n" });
      return /^ *sandbox +(.*)$/m.exec(stdout.replaceAll(/\n {10,}/g, " "))?.[1];
    };
    expect(await status(open)).toBe("on, hosts that you allow; grep: all hosts on the internet; not for bash");
    expect(await status(await place({ tools: { bash: { sandbox: true } } }))).toBe(
      "for what runs without a question, hosts that you allow; always for bash",
    );
    const all = await place({ tools: { "*": { sandbox: true }, bash: { sandbox: false }, grep: { network: true } } });
    expect((await all.run(...prompt, "run true")).stderr).toContain(
      "Tools run in the sandbox: they can change only the project, and reach hosts that you allow.\n" +
        "Not sandboxed, as you configured: bash.\nThey reach all hosts on the internet, as you configured: grep.\n",
    );
    expect(await status(all)).toBe("on, hosts that you allow; grep: all hosts on the internet; not for bash");
    const none = await place({ tools: { "*": { sandbox: false } } });
    expect((await none.run("--sandbox", ...prompt, "run true")).stderr).toContain(
      "No tool runs in the sandbox, as you configured: tools.*.sandbox is false.\n",
    );
    expect(await status(await place())).toBe("for what runs without a question, hosts that you allow");
    expect(await status(await place({ sandbox: { enabled: false } }))).toBe("off");
    expect(await status(await place(), "--sandbox-network")).toBe("on, all hosts on the internet");
  });

  test("the configuration enables it for all tools or one, and disables it for one", async () => {
    const touch = ["tool", "call", "bash", '{"command": "touch ../outside/made; echo $IKIGAI_SANDBOX"}'];
    const on = await place({ sandbox: { enabled: true } });
    expect((await on.run(...touch)).stdout).toContain("Read-only file system");
    const one = await place({ tools: { bash: { sandbox: true } } });
    expect((await one.run(...touch)).stdout).toContain("Read-only file system");
    const other = await place({ sandbox: { enabled: true }, tools: { bash: { sandbox: false } } });
    expect(JSON.parse((await other.run(...touch)).stdout).result).toEqual({ output: "", exit_code: 0 });
    expect(existsSync(join(other.root, "outside/made"))).toBe(true);
    const wider = await place({ sandbox: { enabled: true, writable: ["~/../outside"] } });
    expect(JSON.parse((await wider.run(...touch)).stdout).result).toEqual({ output: "bubblewrap", exit_code: 0 });
  });

  test("doctor reports the requested sandbox, also inside a session", async () => {
    const { run, ...options } = await place();
    const everyTool = `sandboxed tools: ${toolNamesWithoutAgent.join(", ")}`;
    expect((await run("doctor", "--sandbox")).stdout).toContain(everyTool);
    const terminal = await openFullScreen(["--model", "offline", "--sandbox-network"], options);
    await terminal.waitFor(/plain-requests$/);
    terminal.type("/doctor\r");
    await terminal.waitFor(`${everyTool}\n  reach all hosts on the internet: ${toolNamesWithoutAgent[0]},`);
  });

  test("tools reach all hosts if granted, but no port of this machine", async () => {
    const proxy = createServer((request, response) => response.end(`hello from ${new URL(request.url ?? "").host}`));
    await new Promise<void>((listening) => proxy.listen(0, "127.0.0.1", listening));
    onTestFinished(() => void proxy.close());
    const { port } = proxy.address() as AddressInfo;
    const command = `curl -sS http://one.example.com/; curl -sS http://127.0.0.1:${port}/; curl -sS --noproxy "" http://localhost:${port}/`;
    const outputOf = async (config: object, ...flags: string[]) => {
      const { cwd, env } = await place(config);
      const own = { ...env, HTTP_PROXY: `http://127.0.0.1:${port}`, NO_PROXY: "" };
      const { stdout } = await ikigai(["tool", "call", "bash", JSON.stringify({ command }), ...flags], {
        cwd,
        env: own,
      });
      return JSON.parse(stdout).result.output;
    };
    const refused = "one.example.com: not allowed; the rule host(one.example.com)";
    const granted = /^hello from one\.example\.com.*onnect to 127.*host localhost:\d+: .*a local or private address/s;
    expect(await outputOf({}, "--sandbox")).toContain(refused);
    expect(await outputOf({}, "--sandbox-network")).toMatch(granted);
    expect(await outputOf({ sandbox: { enabled: true, network: true, sockets: true } })).toMatch(granted);
    expect(await outputOf({ sandbox: { enabled: true }, tools: { bash: { network: true } } })).toMatch(granted);
    expect(await outputOf({ tools: { bash: { network: false } } }, "--sandbox-network")).toContain(refused);
    const rules = [{ deny: "host(one.example.com)" }];
    const denied = { sandbox: { enabled: true, network: true }, permission: { rules } };
    expect(await outputOf(denied)).toContain("one.example.com: a rule denies it");
  });

  test.skipIf(!canHide)("has no network without nsenter, and says so once (needs root)", async () => {
    const { cwd, env, run } = await place({ sandbox: { enabled: true, network: true } });
    const command = "curl -sS http://one.example.com/; readlink /proc/self/ns/net";
    const args = [...prompt, `run ${command}`];
    const ended = await ikigai(args, { cwd, env, launcher: withoutNsenter });
    expect(ended.stderr).toContain("Calls in the sandbox have no network: the program nsenter is missing; install it");
    expect(ended.stdout).toMatch(/[Cc]ould not resolve/);
    expect(ended.stdout).not.toContain(readlinkSync("/proc/self/ns/net"));
    const { stdout } = await ikigai(["doctor"], { cwd, env, launcher: withoutNsenter });
    expect(stdout).toContain("Calls in the sandbox have no network: the program nsenter is missing");
    expect((await run("doctor")).stdout).toContain("\n  network: hosts that you allow\n");
  });

  test("refuses a background command", async () => {
    const { run } = await place();
    const { stdout } = await run("tool", "call", "bash", '{"command": "sleep 60", "background": true}', "--sandbox");
    expect(JSON.parse(stdout).result).toEqual({
      output: expect.stringMatching(/^bash: cannot run in the background: the sandbox ends with this call/),
      exit_code: 127,
    });
  });

  test("the model can read the overflow file of a long answer", async () => {
    const { run } = await place({ tools: { bash: { maxOutputBytes: 2_000 } } });
    const { stdout } = await run("--sandbox", ...prompt, "--output-format", "json", "run seq 9999");
    expect(JSON.parse(stdout).tool_calls[0].envelope.result).toMatchObject({ truncated: true, exit_code: 0 });
  });

  test("the shipped tools work in it", async () => {
    const { run, root } = await place();
    const call = async (name: string, args: object) => {
      return JSON.parse((await run("tool", "call", name, JSON.stringify(args), "--sandbox")).stdout).result;
    };
    expect(await call("file_write", { file_path: "a.txt", content: "one\ntwo\n" })).toMatchObject({ bytes: 8 });
    expect(await call("file_edit", { file_path: "a.txt", old_string: "two", new_string: "2" })).toMatchObject({
      replacements: 1,
    });
    expect(await call("file_read", { file_path: join(root, "project/a.txt") })).toMatchObject({ output: "one\n2\n" });
    expect(await call("glob", { pattern: "*.txt" })).toMatchObject({ output: "a.txt", count: 1 });
    expect(await call("grep", { pattern: "2" })).toMatchObject({ output: "a.txt:2: 2", count: 1 });
    expect(await call("file_write", { file_path: "../outside/x", content: "" })).toMatchObject({
      error_code: "PERMISSION_DENIED",
    });
    expect(await call("file_write", { file_path: ".ikigai/config.json", content: "" })).toMatchObject({
      error_code: "PERMISSION_DENIED",
    });
  });

  test("doctor starts one", async () => {
    const { run } = await place({
      sandbox: { enabled: true },
      tools: { grep: { sandbox: false }, bash: { network: true } },
    });
    const { stdout } = await run("doctor");
    const withoutGrep = toolNamesWithoutAgent.filter((name) => name !== "grep");
    expect(stdout).toContain(
      `\nSandbox\n  available\n  network: hosts that you allow\n  sandboxed tools: ${withoutGrep.join(", ")}\n  reach all hosts on the internet: bash\n`,
    );
  });
});

test.each([
  ["a task", ["--sandbox", ...prompt, "run touch ran"]],
  ["the REPL", ["--sandbox", "--model", "offline", "--allow", "bash"]],
  ["a call", ["tool", "call", "bash", '{"command": "touch ran"}', "--sandbox"]],
])("%s does not start without the requested sandbox", async (_, args) => {
  const { cwd, env } = await place();
  const { exitCode, stdout, stderr } = await ikigai(args, {
    cwd,
    env: { ...env, IKIGAI_BWRAP: "/no/bwrap" },
    typed: "run touch ran\n",
  });
  expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: "" });
  expect(stderr).toMatch(/ikigai: The sandbox cannot be started: .+ Nothing was run\. More: ikigai doctor\n$/);
  expect(readdirSync(cwd)).toEqual([]);
});

test.runIf(process.platform === "linux")("names the program that fails without a word", async () => {
  const { cwd, env } = await place();
  const call = ["tool", "call", "bash", '{"command": "ls"}', "--sandbox"];
  const { exitCode, stderr } = await ikigai(call, { cwd, env: { ...env, IKIGAI_BWRAP: "/bin/false" } });
  expect([exitCode, stderr]).toEqual([
    2,
    expect.stringContaining("The sandbox cannot be started: /bin/false ended with exit code 1 and said nothing."),
  ]);
});

test("doctor says why there is no sandbox, as a problem only if it is enabled", async () => {
  const linux = process.platform === "linux";
  for (const [enabled, sign] of [
    [true, "! "],
    [false, "  not available here, and not in use: "],
  ] as const) {
    const { cwd, env } = await place({ sandbox: { enabled } });
    const { stdout } = await ikigai(["doctor"], { cwd, env: { ...env, IKIGAI_BWRAP: "/no/bwrap" } });
    if (linux)
      expect(stdout).toContain(
        `\nSandbox\n${sign}The sandbox cannot be started: IKIGAI_BWRAP=/no/bwrap: no such program.\n`,
      );
  }
});

test("doctor lists the leftovers of killed processes", async () => {
  const dead = spawnSync("true").pid;
  const lock = new Lock("not taken");
  const { run } = await place(
    {},
    {
      "home/.ikigai/sessions/a.jsonl.lock": { content: lock.text.replace(/^\d+\.\d+/, `${dead}.1`), mode: 0o600 },
      [`home/.ikigai/config.json.ikigai-tmp.${dead}.1234.5`]: { content: "", mode: 0o600 },
      [`temp/ikigai-tmp.${dead}.web-abc.pdf`]: "",
      [`temp/ikigai-tmp.${process.pid}.web-abc.pdf`]: "",
      // The user's own.
      [`home/.ikigai/config.json.${dead}`]: "",
      [`home/.ikigai/config.json.${dead}.1`]: "",
      "home/.ikigai/notes.lock": { content: `${dead}`, mode: 0o600 },
      [`temp/ikigai-${dead}-notes`]: "",
    },
  );
  const env = { PATH: process.env.PATH, IKIGAI_HOST_ID: `${dead}-1`, IKIGAI_CALL_ID: "c1" };
  const deserted = spawn("sleep", ["60"], { env, stdio: "ignore" });
  onTestFinished(() => void deserted.kill());
  const { stdout } = await run("doctor");
  if (process.platform === "linux")
    expect(stdout).toMatch(
      new RegExp(`^~ processes left by an ikigai that has ended: kill -9 .*\\b${deserted.pid}\\b`, "m"),
    );
  const listed = /^ {2}to remove them: rm -r (.*)$/m.exec(stdout)?.[1]?.split(" ") ?? [];
  expect(listed.map((path) => basename(path)).sort()).toEqual([
    "a.jsonl.lock",
    `config.json.ikigai-tmp.${dead}.1234.5`,
    `ikigai-tmp.${dead}.web-abc.pdf`,
  ]);
});

test("a configured launcher runs a tool elsewhere, after approval", async () => {
  const bin = join(import.meta.dirname, "../libexec/ikigai");
  const launcher = ["env", "WHERE=there"];
  const { run, root } = await place({
    tools: {
      bash: { launcher, directory: join(import.meta.dirname, "fixtures") },
      file_read: { launcher, path: join(bin, "file-read-tool") },
    },
  });
  const { stdout } = await run("tool", "call", "bash", '{"command": "echo $WHERE $PWD"}');
  expect(JSON.parse(stdout).result).toEqual({ output: `there ${join(import.meta.dirname, "fixtures")}`, exit_code: 0 });
  expect((await run("tool", "list")).stdout).toContain(`env WHERE=there ${bin}/bash-tool`);
  expect((await run("doctor")).stdout).toContain(`  bash runs elsewhere: env WHERE=there ${bin}/bash-tool\n`);
  // A shipped tool may read in the project without approval; one that runs elsewhere may not.
  const read = await run("--model", "offline", "-p", "read a.txt");
  expect(read.stdout + readFileSync(join(root, "home/.ikigai/config.json"), "utf8")).toContain(
    "This call needs permission",
  );
});

test.each([
  [{ sandbox: { enabled: "yes" } }, "sandbox.enabled", "true or false"],
  [{ sandbox: { hidden: "~/x" } }, "sandbox.hidden", 'a list like ["~/builds"]'],
  [{ tools: { bash: { launcher: [] } } }, "tools.bash.launcher", 'a list like ["ssh", "build-box"]'],
  [{ tools: { bash: { launcher: "ssh box" } } }, "tools.bash.launcher", 'a list like ["ssh", "build-box"]'],
])("doctor reports an invalid setting: %j", async (config, key, expected) => {
  const { run } = await place(config);
  const { stdout } = await run("doctor");
  expect(stdout).toMatch(/^! .*config\.json:1:\d+: Expected /m);
  expect(stdout).toContain(`Expected "${key}" to be ${expected}, got `);
});
