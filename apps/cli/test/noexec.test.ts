import { execFileSync, spawnSync } from "node:child_process";
import { join } from "node:path";
import { expect, test } from "vitest";
import { bin, cleanEnv } from "./ikigai.ts";
import { scriptedServer } from "./mcp/mcp-home.ts";
import { greeter, world } from "./tool-world.ts";

const canMount = spawnSync("unshare", ["-rm", "mount", "-t", "tmpfs", "tmpfs", "/mnt"]).status === 0;

/** Runs commands with a home on a file system where no program can be started; `ikigai` is the built command. */
async function inNoexecHome(commands: string): Promise<string> {
  const { root } = await world({ "one-tool": { content: greeter("one", "one"), mode: 0o755 } });
  const script = `mount -t tmpfs -o noexec tmpfs "$HOME" && cd "${root}" && ikigai() { "${process.execPath}" "${bin}" "$@" 2>&1; }; ${commands}`;
  // No directory below the project: a tool of such a PATH is started by its interpreter.
  const env = { ...(await cleanEnv()), PATH: "/usr/bin:/bin:/usr/sbin:/sbin", HOME: join(root, "home") };
  const output = execFileSync("unshare", ["-rm", "sh", "-c", `${script}; true`], { env, encoding: "utf8" });
  return output.replaceAll(root, "");
}

const why = "its file system is mounted noexec, so no program on it can be started";

test.skipIf(!canMount)("a home that is mounted noexec is named as the cause, with a way on", async () => {
  const make = "ikigai tool new foo --lang bash --json >/dev/null";
  const output = await inNoexecHome(`${make}; ikigai tool call foo '{}'; ikigai tool check foo; ikigai doctor`);
  expect(output.split(why).length - 1, output).toBeGreaterThanOrEqual(3);
  expect(output).toContain("IKIGAI_HOME");
  expect(output).not.toContain("chmod +x");
});

test.skipIf(!canMount)("nothing is added to such a home", async () => {
  const server = `'${process.execPath}' '${scriptedServer}' '{}'`;
  const add = `ikigai tool add ./one-tool --yes; ikigai mcp add text --yes -- ${server}; ls "$HOME/.ikigai/tools" "$HOME/.ikigai/packages"`;
  const refusal = `ikigai: No tool could be started from /home/.ikigai: ${why}. Nothing was added. Set IKIGAI_HOME to a directory on another file system.\n`;
  const output = await inNoexecHome(add);
  expect(output.split(refusal).length - 1).toBe(2);
  expect(output).not.toMatch(/-tool$/m);
});
