// What a tool costs when a shell starts it: against the start of Node itself, and against the same tool in C.
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { machine, ms, ratio, run, table, takeTurns } from "./measure.mjs";

const root = new URL("..", import.meta.url).pathname;
const dir = mkdtempSync(join(tmpdir(), "ikigai-bench-"));
const inC = join(dir, "bash-tool");
execFileSync("cc", ["-O2", "-o", inC, join(root, "bench/bash-tool.c")]);
writeFileSync(join(dir, "a.txt"), "one\ntwo\nthree\n");

const tool = (name) => join(root, `packages/${name}/dist/${name}`);
const call = (file, input) => () => run(file, [], { input: JSON.stringify(input), cwd: dir });

const times = await takeTurns(
  {
    "node -e 0": () => run(process.execPath, ["-e", "0"]),
    "bash-tool in C": call(inC, { command: "echo hello" }),
    "bash-tool": call(tool("bash-tool"), { command: "echo hello" }),
    "file-read-tool": call(tool("file-read-tool"), { file_path: "a.txt" }),
    "file-write-tool": call(tool("file-write-tool"), { file_path: "b.txt", content: "hello\n" }),
    "file-edit-tool": call(tool("file-edit-tool"), { file_path: "a.txt", old_string: "zero", new_string: "two" }),
    "glob-tool": call(tool("glob-tool"), { pattern: "*.txt" }),
    "grep-tool": call(tool("grep-tool"), { pattern: "two" }),
  },
  40,
);
rmSync(dir, { recursive: true });

const base = times["node -e 0"].p50;
console.log(machine());
console.log(
  table(
    ["", "p50 ms", "p95 ms", "against node -e 0"],
    Object.entries(times).map(([name, { p50, p95 }]) => [name, ms(p50), ms(p95), ratio(p50, base)]),
  ),
);
