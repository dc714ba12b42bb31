import { type ChildProcess, spawn } from "node:child_process";
import { chmodSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { tempDir } from "@ikigai/testing";
import { build } from "esbuild";
import { discover } from "../src/index.ts";

const fixtures = join(import.meta.dirname, "fixtures");
const core = await buildCore();
const schemas = await schemasOfFixtures();

/** The host's code as a file that Node can run: some behaviour shows only in a separate process. */
async function buildCore(): Promise<string> {
  const dir = await tempDir();
  chmodSync(dir, 0o755);
  const contents =
    'export * from "./index.ts"; export * from "./internal.ts"; export { sessionNetwork } from "@ikigai/sandbox"; export { closeInheritedDescriptors, runProgram } from "@ikigai/system";';
  const stdin = { contents, resolveDir: join(import.meta.dirname, "../src"), loader: "ts" } as const;
  await build({ stdin, bundle: true, platform: "node", format: "esm", outfile: join(dir, "core.mjs") });
  return join(dir, "core.mjs");
}

/** The cache of the fixtures' schemas, which each host would otherwise run all of them for. */
async function schemasOfFixtures(): Promise<string> {
  const home = await tempDir();
  await discover({ directories: [{ path: fixtures, scope: "user" }], home, projectDir: home });
  return readFileSync(join(home, "cache/schemas.jsonl"), "utf8");
}

/** How a host process is run. */
export interface HostOptions {
  /** A shell command to run before it, for instance `ulimit -n 60;`. */
  readonly before?: string;
  readonly uid?: number;
  readonly env?: NodeJS.ProcessEnv;
  /** Whether it first closes inherited descriptors, which may exceed a limit that `before` sets. */
  readonly closesInherited?: boolean;
}

/** A running host, and what it has printed so far. */
export interface Host {
  readonly child: ChildProcess & { readonly pid: number };
  printed: string;
  /** Settles with its output when it has ended. */
  readonly ended: Promise<string>;
}

/**
 * Starts a process that has discovered the fixtures and runs this code. In it, `call(name, args, options)` calls one of
 * them, `discover(path)` finds others, `core` is the host's code, and `dir` is an empty directory.
 */
export async function startHost(
  code: string,
  { before = "", uid, env, closesInherited = false }: HostOptions = {},
): Promise<Host> {
  // Another user would not own the cache.
  const cache = uid === undefined ? { "home/cache/schemas.jsonl": { content: schemas, mode: 0o600 } } : {};
  const dir = await tempDir({ "work/": "", "home/": "", ...cache });
  for (const path of [dir, join(dir, "work"), join(dir, "home")]) chmodSync(path, 0o777);
  const script = join(dir, "host.mjs");
  writeFileSync(script, `${prelude(dir, closesInherited)}\n${code}\n`);
  const child = spawn("/bin/sh", ["-c", `${before} exec "$0" "$1"`, process.execPath, script], {
    stdio: ["ignore", "pipe", "inherit"],
    cwd: dir,
    ...(uid !== undefined && { uid, gid: uid }),
    env: { ...process.env, NODE_EXTRA_CA_CERTS: undefined, ...env },
  });
  const host: Host = {
    child: child as Host["child"],
    printed: "",
    ended: new Promise((settle) => child.once("close", () => settle(host.printed))),
  };
  child.stdout?.on("data", (chunk: Buffer) => {
    host.printed += chunk;
  });
  return host;
}

/** Runs a host until it ends, and returns its output, parsed as JSON. */
export async function runHost(code: string, options?: HostOptions): Promise<unknown> {
  const { ended } = await startHost(code, options);
  return JSON.parse(await ended);
}

function prelude(dir: string, closesInherited: boolean): string {
  return `
    import * as core from ${JSON.stringify(core)};
    ${closesInherited ? "core.closeInheritedDescriptors(() => false);" : ""}
    const dir = ${JSON.stringify(join(dir, "work"))};
    const home = ${JSON.stringify(join(dir, "home"))};
    const discover = (path) =>
      core.discover({ directories: [{ path, scope: "user" }], home, projectDir: dir });
    const registry = await discover(${JSON.stringify(fixtures)});
    let calls = 0;
    const call = (name, args = "{}", options = {}) =>
      core.callTool(registry, name, args, {
        cwd: dir, projectDir: dir, sessionId: "test", callId: "call-" + ++calls, overflowDir: home + "/out", ...options,
      });
    const print = (value) => console.log(JSON.stringify(value));
  `;
}
