// Promises 3 and 9 of SECURITY.md.
import { existsSync, readdirSync, readFileSync, readlinkSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { ikigai, until } from "./ikigai.ts";

const root = join(import.meta.dirname, "../../..");

test("the links of the documents work", () => {
  for (const file of ["SECURITY.md", "docs/sandbox.md", "docs/comparison.md"]) {
    const text = readFileSync(join(root, file), "utf8");
    const links = [...text.matchAll(/\]\((?!https?:)([^)#]+)(?:#[^)]*)?\)/g)].map(([, path = ""]) => path);
    expect(links.length).toBeGreaterThan(0);
    expect(links.filter((path) => !existsSync(join(root, file, "..", path)))).toEqual([]);
  }
});

test.runIf(process.platform === "linux")("no process of ikigai listens", async () => {
  let listening: string[] | undefined;
  const { stdout } = await ikigai(["-p", "run sleep 2; echo done", "--allow", "bash", "--model", "offline"], {
    async whileRunning({ pid }) {
      await until(() => processesBelow(pid).length > 1, "a tool that runs");
      const listeners = listenersOfMachine();
      listening = processesBelow(pid)
        .flatMap(socketsOf)
        .filter((inode) => listeners.has(inode));
    },
  });
  expect({ stdout, listening }).toEqual({ stdout: "done\n", listening: [] });
});

const allowed = ["", "spawn", "spawnSync", "execFileSync", "type ChildProcess", "type ChildProcessWithoutNullStreams"];

const folders = ["core", "sandbox", "permission", "models", "session", "agent", "screen", "adapters"];
const sources = [...folders.map((name) => `packages/${name}/src`), "apps/cli/src"].flatMap(filesBelow);

test("every process start says which descriptors the child gets", () => {
  const starts = /(?<![.\w])(?:spawn|spawnSync|execFileSync)\(/g;
  const wrong = sources.filter((path) => {
    const text = readFileSync(path, "utf8");
    if (!/import \{[^}]*\} from "node:child_process"/.test(text)) return false;
    return (text.match(starts)?.length ?? 0) !== (text.match(/stdio: childStdio\(/g)?.length ?? 0);
  });
  expect(wrong).toEqual([]);
});

test("builds no command line for a shell", () => {
  expect(sources.length).toBeGreaterThan(100);
  const wrong = sources.filter((path) => {
    const text = readFileSync(path, "utf8");
    const imported = /import \{([^}]*)\} from "node:child_process"/.exec(text)?.[1] ?? "";
    const names = imported.split(",").map((name) => name.trim());
    return /\bshell: (?:true|["'`])/.test(text) || names.some((name) => !allowed.includes(name));
  });
  expect(wrong).toEqual([]);
  // The files that name or start a shell: with a constant, for the far side of a launcher, as a language of `tool new`, with the user's $EDITOR or own commands, or with the check of an eval.
  const shells = sources.filter((path) => /"(?:\/bin\/)?sh"/.test(readFileSync(path, "utf8")));
  expect(shells.map((path) => path.slice(root.length + 1)).sort()).toEqual([
    "apps/cli/src/args/command-groups.ts",
    "apps/cli/src/commands/config/config-edit.ts",
    "apps/cli/src/commands/doctor/check-setup.ts",
    "apps/cli/src/commands/tool/eval/run-eval.ts",
    "apps/cli/src/commands/tool/tool-new.ts",
    "apps/cli/src/tui/app/lend-terminal.ts",
    "apps/cli/src/tui/app/run-beside.ts",
    "packages/agent/src/turn/system-prompt.ts",
    "packages/core/src/leftovers/host-sandbox.ts",
    "packages/core/src/leftovers/watchdog.ts",
    "packages/permission/src/decision/call-facts.ts",
    "packages/sandbox/src/bubblewrap.ts",
    "packages/sandbox/src/launcher.ts",
    "packages/sandbox/src/network.ts",
  ]);
});

function filesBelow(directory: string): string[] {
  return readdirSync(join(root, directory), { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".ts"))
    .map((name) => join(root, directory, name));
}

/** The inodes of all listening sockets of this machine. */
function listenersOfMachine(): Set<string> {
  const tables = ["tcp", "tcp6", "unix"].map((name) => readFileSync(`/proc/net/${name}`, "utf8").split("\n").slice(1));
  const [tcp = [], tcp6 = [], unix = []] = tables.map((lines) => lines.map((line) => line.trim().split(/\s+/)));
  const internet = [...tcp, ...tcp6].filter(([, , , state]) => state === "0A").map((fields) => fields[9] ?? "");
  return new Set([
    ...internet,
    ...unix.filter(([, , , flags]) => flags === "00010000").map((fields) => fields[6] ?? ""),
  ]);
}

function processesBelow(pid: number): number[] {
  const children = readdirSync("/proc")
    .map(Number)
    .filter((other) => other > 0 && parentOf(other) === pid);
  return [pid, ...children.flatMap(processesBelow)];
}

function parentOf(pid: number): number {
  try {
    return Number(readFileSync(`/proc/${pid}/stat`, "utf8").split(") ").at(-1)?.split(" ")[1]);
  } catch {
    return 0;
  }
}

function socketsOf(pid: number): string[] {
  try {
    const links = readdirSync(`/proc/${pid}/fd`).map((fd) => readlinkSync(`/proc/${pid}/fd/${fd}`));
    return links.flatMap((link) => /^socket:\[(\d+)\]$/.exec(link)?.[1] ?? []);
  } catch {
    return [];
  }
}
