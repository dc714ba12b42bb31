import { spawnSync } from "node:child_process";
import { chmodSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Envelope } from "@ikigai/protocol";
import { type TreeEntry, tempDir } from "@ikigai/testing";
import type { CallOptions } from "../src/call/options.ts";
import { callTool, type SandboxSettings } from "../src/index.ts";
import { circumstances, schema, tool, type World, world } from "./world.ts";

// Hosts' temporary files are inside the tests' own, and so removed with them.
const temporary = await tempDir();
chmodSync(temporary, 0o1777);
process.env.TMPDIR = temporary;

/** Whether this machine can run a sandbox. Tests that need one are skipped otherwise, and say so in their titles. */
export const hasBubblewrap = spawnSync("bwrap", ["--ro-bind", "/", "/", "--unshare-user-try", "true"]).status === 0;

/** The placeholder that keeps a directory from being a bare repository. */
export const bareGuard = process.geteuid?.() === 0 ? "HEAD" : "refs";

/** Runs `$SCRIPT`, and returns its exit code and output. */
const body = `cat > /dev/null
out=$(sh -c "$SCRIPT" 2>&1)
printf '{"code":%s,"output":"%s"}' $? "$(printf %s "$out" | base64 -w0)"`;

/** A project, a home with secrets, and a tool that runs scripts in the sandbox. */
export interface SandboxStage extends World {
  readonly sandbox: SandboxSettings;
  /** Runs a shell script in the sandbox. */
  run(script: string, options?: Partial<CallOptions>): Promise<Ran>;
}

export interface Ran {
  readonly code: number;
  readonly output: string;
  readonly envelope: Envelope;
}

export async function sandboxStage(files: Readonly<Record<string, TreeEntry>> = {}): Promise<SandboxStage> {
  const place = await world({ "system/try-tool": tool(schema("try"), body), "person/": "", ...files });
  const { root, home, projectDir } = place;
  const sandbox: SandboxSettings = {
    home,
    userHome: join(root, "person"),
    network: false,
    writable: [],
    readable: [],
    hidden: [],
  };
  const registry = await place.discover();
  return {
    ...place,
    sandbox,
    async run(script, options = {}) {
      const env = { ...process.env, SCRIPT: script };
      const given = await circumstances({ cwd: projectDir, projectDir, sandbox, env, ...options });
      const own = { ...given, sandbox: withScript(given.sandbox) };
      const { envelope } = await callTool(registry, "try", "{}", own);
      if (!envelope.tool_success) return { code: -1, output: "", envelope };
      const { code, output } = envelope.result;
      return { code: Number(code), output: Buffer.from(String(output), "base64").toString(), envelope };
    },
  };
}

/** The tool gets its script, too. */
function withScript(sandbox: SandboxSettings | undefined): SandboxSettings | undefined {
  return sandbox && { ...sandbox, env: [...(sandbox.env ?? []), "SCRIPT"] };
}

/** Whether a process with this word in its command line is running. */
export function runsWith(word: string): boolean {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .some((pid) => commandLine(pid).includes(word));
}

function commandLine(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8");
  } catch {
    return "";
  }
}
