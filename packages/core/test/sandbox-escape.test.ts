// Promises 2 and 7 of SECURITY.md.

import { spawn, spawnSync } from "node:child_process";
import {
  existsSync,
  linkSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { isRunning } from "@ikigai/testing";
import { describe, expect, type TestContext, test } from "vitest";
import { hostSandbox } from "../src/leftovers/host-sandbox.ts";
import { hasBubblewrap, runsWith, sandboxStage } from "./sandbox-stage.ts";

const hasPython = spawnSync("python3", ["--version"]).status === 0;

/** Listens, and returns the port or path a tool would have to reach. */
async function listen(
  at: number | string,
  { onTestFinished }: Pick<TestContext, "onTestFinished">,
): Promise<number | string> {
  const server = createServer((socket) => socket.end("inside out")).unref();
  onTestFinished(() => void server.close());
  const place = typeof at === "number" ? { port: at, host: "127.0.0.1" } : { path: at };
  await new Promise<void>((settle) => server.listen(place, settle));
  const address = server.address();
  return typeof address === "object" && address ? address.port : at;
}

function connect(to: number | string): string {
  const target = typeof to === "number" ? `${to},"127.0.0.1"` : JSON.stringify(to);
  return `node -e 'net.connect(${target}).on("data", (data) => console.log(String(data))).on("error", (error) => console.log(error.code))'`;
}

describe.skipIf(!hasBubblewrap)("in the sandbox (needs bwrap) a tool", () => {
  test.concurrent("changes only the project", async () => {
    const { run, root, projectDir } = await sandboxStage({ "person/notes": "mine", "outside/": "" });
    const { code } = await run("echo yes > made && mkdir -p a/b && mv made a/b/moved");
    expect(code).toBe(0);
    expect(readFileSync(join(projectDir, "a/b/moved"), "utf8")).toBe("yes\n");
    for (const path of ["../outside/x", "../person/notes", "/etc/x", "/usr/bin/x", "/var/x", "/home/x", "../x"]) {
      const { code, output } = await run(`echo no > ${path}`);
      expect({ path, code: code !== 0, output }).toEqual({ path, code: true, output: expect.stringContaining(path) });
    }
    expect(readFileSync(join(root, "person/notes"), "utf8")).toBe("mine");
  });

  test.concurrent("that only reads changes nothing, reaches nothing, and keeps its temporary files", async (context) => {
    const { run, root, projectDir, home, sandbox } = await sandboxStage({
      "project/file": "old",
      "outside/": "",
      "home/data/private": "sk-secret",
      "person/.ssh/id_ed25519": "sk-secret",
    });
    const port = await listen(0, context);
    const reading = { ...sandbox, isReadOnly: true, network: true, git: true, writable: [join(root, "outside")] };
    const read = (script: string, different = {}) => run(script, { sandbox: reading, ...different });
    expect((await read("cat file; echo kept > /tmp/kept")).output).toBe("old");
    expect((await read("cat /tmp/kept")).output).toBe("kept");
    for (const script of [
      "echo x > file",
      "rm file",
      "touch made",
      "touch ../outside/x",
      "git init",
      "mkdir .ikigai",
    ]) {
      const { code, output } = await read(script);
      expect({ script, code: code !== 0, output }).toMatchObject({
        code: true,
        output: expect.stringContaining("Read-only"),
      });
    }
    expect((await read(connect(port))).output).toBe("ECONNREFUSED");
    expect([...readdirSync(projectDir), ...readdirSync(join(root, "outside"))]).toEqual(["file"]);
    const person = { cwd: sandbox.userHome, projectDir: sandbox.userHome };
    const around = { cwd: root, projectDir: root };
    for (const place of [person, around]) {
      const { code, output } = await read("touch x || cat .ssh/id* person/.ssh/id* home/data/private", place);
      expect({ code: code !== 0, output }).toEqual({ code: true, output: expect.not.stringContaining("sk-secret") });
    }
    const data = join(home, "data");
    const error = expect.stringContaining(`${home} and the project ${data} overlap`);
    expect((await read("cat private", { cwd: data, projectDir: data })).envelope).toMatchObject({ error });
  });

  test.concurrent("does not get out through a link", async () => {
    const { run, root, projectDir } = await sandboxStage({ "outside/kept": "old", "person/": "" });
    symlinkSync(join(root, "outside"), join(projectDir, "door"));
    symlinkSync(join(root, "outside/kept"), join(projectDir, "window"));
    const attempts = [
      "echo new > door/kept",
      "echo new > window",
      "rm door/kept",
      "ln -s / root; echo x > root/etc/x",
      `ln ${join(root, "outside/kept")} hard && echo new > hard`,
      `echo new > /proc/self/root${join(root, "outside/kept")}`,
      `echo new > /proc/1/root${join(root, "outside/kept")}`,
      "echo new > /proc/self/cwd/../outside/kept",
    ];
    for (const attempt of attempts)
      expect({ attempt, code: (await run(attempt)).code }).not.toEqual({ attempt, code: 0 });
    expect(readFileSync(join(root, "outside/kept"), "utf8")).toBe("old");
  });

  test.concurrent.each([
    [".vscode", "cat .vscode/key", {}],
    ["sub", "cat sub/key; echo x > sub/new", { pathRules: [{ verdict: "deny", pattern: ".env*" }] }],
  ] as const)("does not start if %s has become a link since its mounts were planned", async (name, script, rules) => {
    const { sandbox, projectDir, root } = await sandboxStage({
      "project/.vscode/tasks.json": "",
      "project/sub/.env": "",
      "person/.ssh/key": "sk-secret",
    });
    const start = () => {
      const place = hostSandbox({ ...sandbox, ...rules }, { projectDir, toolFiles: [] });
      return place.wrap({
        path: "/bin/sh",
        args: ["-c", script],
        cwd: projectDir,
        env: process.env,
        hasInput: false,
        hasProgress: false,
      });
    };
    const end = (command: ReturnType<typeof start>) => {
      if ("failure" in command) throw new Error(command.failure);
      const { path, args, env, filter = "" } = command;
      const file = join(root, "filter");
      writeFileSync(file, filter);
      const fd = openSync(file, "r");
      const stdio = ["ignore", "pipe", "pipe", "ignore", fd] as const;
      return spawnSync(path, args, { env, cwd: projectDir, stdio: [...stdio], encoding: "utf8" });
    };
    expect(end(start()).stderr).not.toContain("bwrap");
    const planned = start();
    renameSync(join(projectDir, name), join(root, "moved"));
    symlinkSync("../person/.ssh", join(projectDir, name));
    const { status, stdout, stderr } = end(planned);
    expect({ status, stdout, stderr }).toEqual({ status: 1, stdout: "", stderr: expect.stringMatching(/^bwrap: /) });
    expect(existsSync(join(root, "person/.ssh/new"))).toBe(false);
  });

  test.concurrent("does not see secrets, and sees the user's tools", async () => {
    const { run, root } = await sandboxStage({
      "home/config.json": '{"apiKey":"sk-secret"}',
      "home/sessions/a.jsonl": "sk-secret",
      "home/tools/own-tool": "#!/bin/sh\n",
      "person/.ssh/id_ed25519": "sk-secret",
      "person/.aws/credentials": "sk-secret",
      "person/.netrc": "sk-secret",
      "person/.gitconfig": "[user]\n\tname = me\n",
    });
    const { output } = await run(
      `cd ..; cat home/config.json home/sessions/* person/.netrc; grep -rs sk-secret .; cat person/.gitconfig`,
    );
    expect(output).not.toContain("sk-secret");
    expect(output).toContain("name = me");
    expect((await run("ls ../home ../home/tools; ls -A ../person/.ssh")).output).toBe(
      "../home:\ntools\n\n../home/tools:\nown-tool",
    );
    expect(
      (await run("echo x >> ../home/tools/own-tool; echo x > ../home/config.json; mkdir ../person/.ssh/x")).code,
    ).not.toBe(0);
    expect(readFileSync(join(root, "home/config.json"), "utf8")).toContain("sk-secret");
    expect(existsSync(join(root, "person/.ssh/x"))).toBe(false);
  });

  test.concurrent("reaches no listener of this machine, unless the network is granted", async (context) => {
    const { run, sandbox } = await sandboxStage();
    const port = await listen(0, context);
    expect((await run(connect(port))).output).toBe("ECONNREFUSED");
    expect((await run(connect(port), { sandbox: { ...sandbox, network: true } })).output).toBe("inside out");
  });

  test.concurrent("neither sees nor kills a process outside", async ({ onTestFinished }) => {
    const { run } = await sandboxStage();
    const victim = spawn("sleep", ["60"], { stdio: "ignore" });
    onTestFinished(() => void victim.kill("SIGKILL"));
    // Not `kill -9 -1`: if the sandbox were broken, that would kill every process of the user who runs the tests.
    const { code, output } = await run(
      `cat /proc/${victim.pid}/environ; kill -9 -${victim.pid}; kill -9 ${victim.pid}`,
    );
    expect({ code: code !== 0, output: output.includes("HOME=") }).toEqual({ code: true, output: false });
    expect(isRunning(victim.pid ?? 0)).toBe(true);
    expect((await run("ps ax 2>/dev/null | grep -c '[s]leep 60'")).output).toBe("0");
  });

  test.skipIf(!hasPython).concurrent("cannot trace a process outside (needs python3)", async () => {
    const { run } = await sandboxStage();
    const attach = (pid: number) =>
      `python3 -c 'import ctypes; print(ctypes.CDLL(None, use_errno=True).ptrace(16, ${pid}, 0, 0), ctypes.get_errno())'`;
    // ESRCH: there is no such process.
    expect((await run(attach(process.pid))).output).toBe("-1 3");
  });

  test.concurrent("leaves no daemon, whatever it does", async () => {
    const { run } = await sandboxStage();
    const mark = `59.${process.pid}77`;
    const { code } = await run(
      `(env -i setsid sh -c 'sleep ${mark}' </dev/null >/dev/null 2>&1 &) ; setsid nohup sleep ${mark} >/dev/null 2>&1 & sleep 0.3`,
    );
    expect(code).toBe(0);
    expect(runsWith(mark)).toBe(false);
  });

  test.concurrent("cannot take the sandbox apart", async () => {
    const { run, root } = await sandboxStage({ "project/.ikigai/x": "", "outside/": "" });
    const attempts = [
      "umount .ikigai",
      "mount -o remount,rw /",
      `mount --bind ${root} ${root}`,
      "unshare -rm sh -c 'umount .ikigai; mount -o remount,rw,bind / ; echo x > .ikigai/y || echo x > /etc/y'",
      "unshare -rm mount -o remount,rw,bind .ikigai .ikigai",
      "unshare -Urm true",
      "chroot / true",
      "mknod device b 8 0 && cat device",
    ];
    for (const attempt of attempts)
      expect({ attempt, code: (await run(attempt)).code }).not.toEqual({ attempt, code: 0 });
    expect(existsSync(join(root, "project/.ikigai/y"))).toBe(false);
    expect((await run("grep -E '^Cap(Eff|Prm|Bnd)' /proc/self/status | grep -vc 0000000000000000")).output).toBe("0");
  });

  test.concurrent("cannot change the kernel's settings, not even as root", async () => {
    const { run } = await sandboxStage();
    for (const name of ["/proc/sys/kernel/core_pattern", "/proc/sys/kernel/modprobe", "/proc/sys/vm/drop_caches"]) {
      // The present value, in case it works.
      expect({ name, ...(await run(`value=$(cat ${name} || echo 1); echo "$value" > ${name}`)) }).not.toMatchObject({
        name,
        code: 0,
      });
    }
    expect((await run("echo 1 > /sys/kernel/mm/ksm/run")).code).not.toBe(0);
  });

  test.concurrent("has its own temporary files, which last", async () => {
    const { run } = await sandboxStage();
    const name = `ikigai-kept-${process.pid}`;
    expect((await run(`echo kept > /tmp/${name}; echo $TMPDIR $IKIGAI_SANDBOX`)).output).toBe("/tmp bubblewrap");
    expect((await run(`cat /tmp/${name} /var/tmp/${name}`)).output).toBe("kept\nkept");
    expect(existsSync(`/tmp/${name}`)).toBe(false);
  });

  test.concurrent("keeps a hard link it is given", async () => {
    const { run, projectDir } = await sandboxStage({ "project/.ikigai/tools/own-tool": "#!/bin/sh\n" });
    linkSync(join(projectDir, ".ikigai/tools/own-tool"), join(projectDir, "twin"));
    // A hard link that the user has made; a tool cannot create one to a file outside.
    expect((await run("ln .ikigai/tools/own-tool third")).code).not.toBe(0);
  });
});
