import { spawnSync } from "node:child_process";
import { chmodSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Envelope } from "@ikigai/protocol";
import { type TreeEntry, tempDir } from "@ikigai/testing";
import { callTool, type SandboxSettings } from "../src/index.ts";
import type { CallOptions } from "../src/internal.ts";
import { circumstances, schema, tool, type World, world } from "./world.ts";

// What hosts make among the system's temporary files goes with the tests', in whatever way their process is ended.
const temporary = await tempDir();
chmodSync(temporary, 0o1777);
process.env.TMPDIR = temporary;

/** Whether this machine has what a sandbox needs. Tests that need it are skipped by name where it has not. */
export const hasBubblewrap = spawnSync("bwrap", ["--ro-bind", "/", "/", "--unshare-user-try", "true"]).status === 0;

/** Runs `$SCRIPT`, and tells how it ended and what it printed. */
const body = `cat > /dev/null
out=$(sh -c "$SCRIPT" 2>&1)
printf '{"code":%s,"output":"%s"}' $? "$(printf %s "$out" | base64 -w0)"`;

/** A project, a home with secrets, and a tool that does in the sandbox what it is told. */
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
      const own = await circumstances({ cwd: projectDir, projectDir, sandbox, env, ...options });
      const { envelope } = await callTool(registry, "try", "{}", own);
      if (!envelope.tool_success) return { code: -1, output: "", envelope };
      const { code, output } = envelope.result;
      return { code: Number(code), output: Buffer.from(String(output), "base64").toString(), envelope };
    },
  };
}

/** Whether a process of this machine was started with this word in its command line. */
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
