// Promises 2 and 9 of SECURITY.md.
import { spawnSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test, vi } from "vitest";
import { runHost, startHost } from "./host.ts";
import { bareGuard, hasBubblewrap, runsWith } from "./sandbox-stage.ts";
import { canDropPrivileges, unprivileged } from "./unprivileged-user.ts";

const within = { timeout: 30_000, interval: 20 };
const nobodyHasBubblewrap =
  canDropPrivileges &&
  spawnSync("bwrap", ["--ro-bind", "/", "/", "--unshare-user", "true"], { uid: unprivileged, gid: unprivileged })
    .status === 0;

/** A tool that runs `$SCRIPT`, called in the sandbox. */
const prelude = `
  import { chmodSync, existsSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
  mkdirSync(dir + "/project");
  mkdirSync(dir + "/person");
  mkdirSync(dir + "/tools");
  const said = JSON.stringify({ name: "try", description: "", parameters: { type: "object", properties: {} } });
  writeFileSync(dir + "/tools/try-tool", '#!/bin/sh\\n[ "$1" = --schema ] && { cat << "END"\\n' + said + '\\nEND\\nexit; }\\ncat >/dev/null; sh -c "$SCRIPT" >&2; echo "{\\\\"code\\\\":$?}"\\n');
  chmodSync(dir + "/tools/try-tool", 0o755);
  const sandbox = { home, userHome: dir + "/person", network: false, writable: [], readable: [], hidden: [], env: ["SCRIPT"] };
  const found = await core.discover({ directories: [{ path: dir + "/tools", scope: "user" }], home, projectDir: dir + "/project", sandboxFor: () => sandbox });
  const run = async (SCRIPT, changes = {}) => {
    const options = { cwd: dir + "/project", projectDir: dir + "/project", sessionId: "s", callId: "c" + Math.random(), sandbox };
    const { envelope } = await core.callTool(found, "try", "{}", { ...options, env: { ...process.env, SCRIPT }, ...changes });
    return envelope.result?.code ?? envelope;
  };
`;

describe.skipIf(!hasBubblewrap)("a host with a sandbox (needs bwrap)", () => {
  test.concurrent("leaves nothing where nothing was", async () => {
    const during = await runHost(`${prelude}
      await run("touch made");
      const there = readdirSync(dir + "/project").sort();
      console.log(JSON.stringify({ there, dir }));`);
    const { there, dir } = during as { there: string[]; dir: string };
    expect(there).toEqual([".git", ".ikigai", bareGuard, "made"].sort());
    expect(readdirSync(join(dir, "project"))).toEqual(["made"]);
  });

  test.concurrent("keeps a placeholder that is no longer empty", async () => {
    const after = await runHost(`${prelude}
      await run("true");
      writeFileSync(dir + "/project/.ikigai/notes", "mine");
      print(dir);`);
    expect(readdirSync(join(String(after), "project"))).toEqual([".ikigai"]);
  });

  test.concurrent("cleans up after a host that was killed, but not before another has ended", async () => {
    const first = await startHost(`${prelude}
      console.log(dir);
      await run("sleep 60");`);
    const dir = await vi.waitFor(() => {
      expect(first.printed).toMatch(/\n$/);
      return first.printed.trim();
    }, within);
    const project = join(dir, "project");
    await vi.waitFor(() => expect(readdirSync(project)).toEqual([".git", ".ikigai", bareGuard]), within);
    const again = (end: string) => `
      const place = ${JSON.stringify(dir)};
      const sandbox = { home: place.replace("/work", "/home"), userHome: place + "/person", network: false, writable: [], readable: [], hidden: [], env: ["SCRIPT"] };
      const problem = await core.sandboxProblem(sandbox, place + "/project");
      print(problem ?? "ok"); ${end}`;
    expect(await runHost(again(""))).toBe("ok");
    expect(readdirSync(project)).toEqual([".git", ".ikigai", bareGuard]);
    first.child.kill("SIGKILL");
    await first.ended;
    expect(await runHost(again(""))).toBe("ok");
    expect(readdirSync(project)).toEqual([]);
  });

  test.concurrent("kills its sandboxes when it is killed", async () => {
    const mark = `59.${process.pid}55`;
    const host = await startHost(`${prelude} await run("env -i setsid sleep ${mark} & sleep 60");`);
    await vi.waitFor(() => expect(runsWith(`sleep\0${mark}`)).toBe(true), within);
    host.child.kill("SIGKILL");
    await vi.waitFor(() => expect(runsWith(`sleep\0${mark}`)).toBe(false), within);
    await host.ended;
  });

  test.skipIf(!nobodyHasBubblewrap).concurrent("works for an unprivileged user (needs root)", async () => {
    const answers = await runHost(
      `${prelude} print([await run("echo a > a"), await run("echo b > ../b"), await run("mkdir .git/hooks"), await run("ls " + home + "/cache"), await run("unshare -Urm true")]);`,
      { uid: unprivileged },
    );
    expect(answers).toEqual([0, 2, 1, 2, 1]);
  });

  test
    .skipIf(!nobodyHasBubblewrap)
    .concurrent(
      "has a network of its own for an unprivileged user, which ends with the host (needs root)",
      async () => {
        const host = await startHost(
          `${prelude} const door = core.sessionNetwork({ env: {}, ruleFor: () => ({ verdict: "allow" }) });
         const network = { sandbox: { ...sandbox, door } };
         print([await run("test $(wc -l < /proc/net/dev) = 3 && curl -sS http://10.0.0.1/ | grep -q 'local or private'", network), door.entrance()?.problem]);
         await run("sleep 59.${process.pid}56", network);`,
          { uid: unprivileged },
        );
        await vi.waitFor(() => expect(host.printed).toBe("[0,null]\n"), within);
        const holder = `ikigai-network ${host.child.pid}`;
        expect(runsWith(holder)).toBe(true);
        host.child.kill("SIGKILL");
        await vi.waitFor(() => expect(runsWith(holder)).toBe(false), within);
        await host.ended;
      },
    );

  test
    .skipIf(!nobodyHasBubblewrap)
    .concurrent("says what to do if user namespaces are disabled (needs root)", async () => {
      // A namespace has its own value of this setting, so no other process is affected.
      const before =
        "unshare --user --map-root-user sh -c 'echo 0 > /proc/sys/user/max_user_namespaces; shift; exec setpriv --bounding-set=-all --inh-caps=-all \"$@\"' x";
      const problem = await runHost(
        `import { mkdirSync } from "node:fs"; mkdirSync(dir + "/p"); mkdirSync(dir + "/q");
       print(await core.sandboxProblem({ home, userHome: dir + "/q", network: false, writable: [], readable: [], hidden: [] }, dir + "/p"));`,
        { before: `${before} ` },
      );
      expect(problem).toMatch(/^The sandbox cannot be started: bwrap: .*sysctl user.max_user_namespaces=10000$/);
    });
});
