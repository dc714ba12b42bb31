// @module-tag sampled
import { lstatSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { ikigai } from "./ikigai.ts";
import { scriptedServer } from "./mcp/mcp-home.ts";
import { greeter, world } from "./tool-world.ts";

const echo = { name: "echo", description: "Says it", inputSchema: { type: "object", properties: {} } };

/** Everything below a directory that group or others may write, with its mode. */
function writableBelow(directory: string): string[] {
  return readdirSync(directory, { recursive: true, encoding: "utf8" }).flatMap((name) => {
    const stats = lstatSync(join(directory, name));
    const isOpen = !stats.isSymbolicLink() && (stats.mode & 0o022) !== 0;
    return isOpen ? [`${name} ${(stats.mode & 0o777).toString(8)}`] : [];
  });
}

test.each(["000", "002"])(
  "with a umask of %s every command works, and others can write no file of the user",
  async (umask) => {
    const { cwd, env, home } = await world({
      "project/notes.txt": "alpha\n",
      "one-tool": greeter("one", "one"),
      "pack/package.json": '{"name":"pack","version":"1.0.0"}',
      "pack/lib/deep/data.txt": "x",
      "pack/two-tool": { content: greeter("two", "two"), mode: 0o755 },
    });
    const run = async (...args: readonly string[]) => {
      const launcher = ["sh", "-c", `umask ${umask}; exec "$@"`, "sh"];
      const { exitCode, stdout, stderr } = await ikigai(args, { cwd, env, launcher });
      expect({ args, exitCode, stderr }).toEqual({ args, exitCode: 0, stderr: expect.any(String) });
      expect(`${stdout}${stderr}`).not.toMatch(/unsafe|written by others/);
      return stdout;
    };
    await run("config", "set", "model", "offline");
    await run("tool", "new", "made", "--lang", "bash");
    await run("tool", "add", "../one-tool", "--yes");
    await run("tool", "add", "../pack", "--yes");
    await run("mcp", "add", "text", "--yes", "--", process.execPath, scriptedServer, JSON.stringify({ tools: [echo] }));
    await run("tool", "call", "mcp__text__echo", "{}");
    for (const name of ["one", "two"]) expect(await run("tool", "call", name, '{"who":"you"}')).toContain(name);
    await run("tool", "call", "made", '{"text":"a"}');
    await run("tool", "update", "--yes");
    expect(await run("-p", "read notes.txt")).toContain("alpha");
    await run("mcp", "list");
    await run("doctor");
    expect(writableBelow(join(home, ".."))).toEqual([]);
  },
);
