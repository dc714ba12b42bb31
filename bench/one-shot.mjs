// What a tool costs when a shell starts it: against the start of Node itself, and against the same tool in C.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { ms, nodeItself, ratio, report, run, scratch, table, takeTurns, tool, toolInC } from "./measure.mjs";

const dir = scratch();
const inC = toolInC(dir);
writeFileSync(join(dir, "a.txt"), "one\ntwo\nthree\n");
const call = (file, input) => () => run(file, [], { input: JSON.stringify(input), cwd: dir });

const times = await takeTurns(
  {
    "node -e 0": nodeItself,
    "bash-tool in C": call(inC, { command: "echo hello" }),
    "bash-tool": call(tool("bash-tool"), { command: "echo hello" }),
    "file-read-tool": call(tool("file-read-tool"), { file_path: "a.txt" }),
    "file-write-tool": call(tool("file-write-tool"), { file_path: "b.txt", content: "hello\n" }),
    "file-edit-tool": call(tool("file-edit-tool"), { file_path: "a.txt", old_string: "zero", new_string: "two" }),
    "glob-tool": call(tool("glob-tool"), { pattern: "*.txt" }),
    "grep-tool": call(tool("grep-tool"), { pattern: "two", glob: "*.txt" }),
  },
  40,
);

const base = times["node -e 0"].p50;
const rows = Object.entries(times).map(([name, { p50, p95 }]) => [name, ms(p50), ms(p95), ratio(p50, base)]);
const ratios = Object.entries(times).flatMap(([name, { p50 }]) =>
  name.endsWith("-tool") ? [[`one-shot ${name}`, p50 / base]] : [],
);
report({
  title: "A tool started by a shell",
  text: table(["", "p50 ms", "p95 ms", "against `node -e 0`"], rows),
  figures: Object.fromEntries(ratios),
});
