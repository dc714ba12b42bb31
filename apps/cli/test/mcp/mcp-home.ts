import { createHash } from "node:crypto";
import { existsSync, readdirSync, realpathSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { tempDir } from "@ikigai/testing";
import { ikigai, type RunOptions } from "../ikigai.ts";

const fixture = (name: string) =>
  fileURLToPath(new URL(`../../../../packages/mcp/test/fixtures/${name}`, import.meta.url));

/** A server that does what its argument says. */
export const scriptedServer = fixture("scripted-server.mjs");

/** A server whose tools attack their caller. */
export const hostileServer = fixture("hostile-server.mjs");

/** The program of a server from npm. */
export function serverProgram(name: string): string {
  const { resolve } = createRequire(import.meta.url);
  return join(dirname(resolve(`${name}/package.json`)), "dist", "index.js");
}

/** A home to which servers are added. */
export async function mcpHome(env: Readonly<Record<string, string>> = {}) {
  const home = await tempDir();
  const own = join(home, ".ikigai");
  const run = (args: readonly string[], options: RunOptions = {}) =>
    ikigai(args, { ...options, env: { HOME: home, ...env, ...options.env } });
  return {
    home,
    own,
    run,
    /** Adds the scripted server. */
    add: (script: object = {}, ...options: readonly string[]) =>
      run(["mcp", "add", "test", "--yes", ...options, "--", process.execPath, scriptedServer, JSON.stringify(script)]),
    async call(tool: string, args: object = {}) {
      const { stdout, stderr, exitCode } = await run(["tool", "call", tool, JSON.stringify(args)]);
      return { stderr, exitCode, envelope: JSON.parse(stdout) };
    },
    /** The path, from ikigai's home, of what counts in one directory only. */
    here: (directory: string) =>
      join("projects", createHash("sha256").update(realpathSync(directory)).digest("hex").slice(0, 16)),
    /** The names in a directory of ikigai's home; none if there is no such directory. */
    names: (directory: string) => (existsSync(join(own, directory)) ? readdirSync(join(own, directory)).sort() : []),
  };
}
