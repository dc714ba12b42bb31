// grep-tool against GNU grep and ripgrep, glob-tool against find, file-read-tool against sed, on one tree.
//   node bench/search.mjs [DIR]      DIR: a large tree; without one, the repository's node_modules
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { machine, ms, ratio, run, table, takeTurns } from "./measure.mjs";

const root = new URL("..", import.meta.url).pathname;
const tree = resolve(process.argv[2] ?? join(root, "node_modules"));
const rounds = 5;
const tool = (name) => join(root, `packages/${name}/dist/${name}`);
const hasRipgrep = spawnSync("rg", ["--version"]).status === 0;

const patterns = {
  "rare literal": "registerProcessor",
  "common literal": "return",
  "literal in a pattern": "export (default )?function [a-z]+Async",
  "no literal": "[A-Z][a-z]+[0-9]{2,}[A-Z]",
  alternation: "(foo|bar|baz)Handler|quxWorker",
  "anchored class": "^[[:space:]]*#[[:space:]]*define[[:space:]]+[A-Z_]+_MAX",
};

console.log(machine());
console.log(`\ngrep below ${tree}\n`);
const rows = [];
for (const [name, pattern] of Object.entries(patterns)) {
  const candidates = {
    ours: () =>
      run(tool("grep-tool"), [], { input: JSON.stringify({ pattern, glob: "**/*", path: tree }), env: hosted() }),
    // Both leave hidden files out, as `*` does; -a because ours searches binary files as text.
    grep: () =>
      run("grep", ["-ranE", "--exclude=.*", "--exclude-dir=.?*", pattern, "."], {
        allowed: [0, 1],
        cwd: tree,
        env: utf8(),
      }),
    ...(hasRipgrep && {
      rg: () => run("rg", ["-uan", "--no-ignore", "--no-heading", pattern, "."], { cwd: tree, allowed: [0, 1] }),
    }),
  };
  const { ours, grep, rg } = await takeTurns(candidates, rounds);
  rows.push([
    name,
    ms(ours.p50),
    ms(grep.p50),
    ratio(ours.p50, grep.p50),
    rg ? ms(rg.p50) : "",
    rg ? ratio(ours.p50, rg.p50) : "",
  ]);
}
console.log(table(["pattern", "ours ms", "GNU grep ms", "ratio", "rg ms", "ratio"], rows));

const glob = await takeTurns(
  {
    ours: () =>
      run(tool("glob-tool"), [], { input: JSON.stringify({ pattern: "**/*.ts", path: tree }), env: hosted() }),
    find: () => run("find", [tree, "-name", "*.ts", "-not", "-path", "*/.*"]),
  },
  rounds,
);
console.log(
  `\nglob **/*.ts: ours ${ms(glob.ours.p50)} ms, find ${ms(glob.find.p50)} ms, ${ratio(glob.ours.p50, glob.find.p50)}`,
);

const dir = mkdtempSync(join(tmpdir(), "ikigai-bench-"));
const log = join(dir, "log.txt");
writeFileSync(log, `${"2026-01-01T00:00:00Z info something ordinary happened here, as it does\n".repeat(1_000_000)}`);
const sparse = join(dir, "sparse");
writeFileSync(sparse, "first\n");
truncateSync(sparse, 10 * 1024 ** 3);
const read = await takeTurns(
  {
    ours: () =>
      run(tool("file-read-tool"), [], { input: JSON.stringify({ file_path: log, offset: 900_000, limit: 10 }) }),
    sed: () => run("sed", ["-n", "900000,900009p;900009q", log]),
  },
  rounds,
);
rmSync(dir, { recursive: true });
console.log(
  `\n10 lines at 900,000: ours ${ms(read.ours.p50)} ms, sed ${ms(read.sed.p50)} ms, ${ratio(read.ours.p50, read.sed.p50)}`,
);

function hosted() {
  return { ...process.env, IKIGAI_MAX_OUTPUT_BYTES: "65536" };
}

function utf8() {
  return { ...process.env, LC_ALL: "C.UTF-8" };
}
