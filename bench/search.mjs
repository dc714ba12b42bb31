// grep-tool against GNU grep and ripgrep, glob-tool against find, file-read-tool against sed.
//   node bench/search.mjs [DIR] [--rounds=2]      DIR: a large tree; without one, the source of Linux, from Debian
import { spawn, spawnSync } from "node:child_process";
import { closeSync, openSync, realpathSync, truncateSync, writeFileSync, writeSync } from "node:fs";
import { basename, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { largeTree } from "./large-tree.mjs";
import { ms, ratio, report, run, scratch, table, takeTurns, tool } from "./measure.mjs";
import { watchMemory } from "./watch-memory.mjs";

const rounds = Number(process.argv.find((argument) => argument.startsWith("--rounds="))?.slice(9) ?? 2);
// find does not follow a symlink on its command line.
const tree = realpathSync(largeTree());
const dir = scratch();
const hasRipgrep = spawnSync("rg", ["--version"]).status === 0;
const hosted = { ...process.env, IKIGAI_MAX_OUTPUT_BYTES: "65536" };
const utf8 = { ...process.env, LC_ALL: "C.UTF-8" };
const call =
  (name, input, through = direct) =>
  () =>
    run(...through(tool(name), []), { input: JSON.stringify(input), env: hosted });

function direct(file, args) {
  return [file, args];
}

function oneProcessor(file, args) {
  return ["taskset", ["-c", "0", file, ...args]];
}

/** How long a prestarted tool waits, in milliseconds. */
const leadMs = 100;

const patterns = {
  "rare literal": "register_sysrq_key_xyz",
  "common literal": "return",
  "any case": "kmalloc_array",
  "literals in a pattern": "static (inline )?int [a-z]+_probe",
  "no literal": "[A-Z][a-z]+[0-9]{2,}[A-Z]",
  alternation: "(foo|bar|baz)_handler|quux_worker",
  "anchored class": "^[[:space:]]*#[[:space:]]*define[[:space:]]+[A-Z_]+_MAX",
};
const log = join(dir, "log.txt");
writeLog(log);
const sparse = join(dir, "sparse");
writeFileSync(sparse, Array.from({ length: 200_000 }, (_, number) => `line ${number} of a large file\n`).join(""));
truncateSync(sparse, 10 * 1024 ** 3);

const figures = {};
const rows = [];
for (const [name, pattern] of Object.entries(patterns)) await compare(name, pattern, { where: "the tree", path: tree });
const logPatterns = { "rare literal": "needle_[0-9]+", "no literal": "[0-9]{3}-[a-f]{2}-[xyz]" };
for (const [name, pattern] of Object.entries(logPatterns)) {
  await compare(name, pattern, { where: "a log of 500 MB", path: log });
}
// As on a machine with one processor; taskset is only on Linux.
if (spawnSync("taskset", ["--version"]).status === 0) {
  for (const name of ["rare literal", "no literal", "anchored class"]) {
    await compare(name, patterns[name], { where: "the tree, on one processor", path: tree, through: oneProcessor });
  }
}

const globbed = await takeTurns(
  {
    ours: call("glob-tool", { pattern: "**/*.h", path: tree }),
    find: () => run("find", [tree, "-name", "*.h", "-not", "-path", "*/.*"]),
    oursSmall: call("glob-tool", { pattern: "**/*.h", path: join(tree, "kernel") }),
    findSmall: () => run("find", [join(tree, "kernel"), "-name", "*.h"], { allowed: [0, 1] }),
    aheadSmall: ahead("glob-tool", { pattern: "**/*.h", path: join(tree, "kernel") }),
    ours10: call("file-read-tool", { file_path: sparse, offset: 150_000, limit: 10 }),
    ahead10: ahead("file-read-tool", { file_path: sparse, offset: 150_000, limit: 10 }),
    sed10: () => run("sed", ["-n", "150000,150009p;150009q", sparse]),
    oursLog: call("file-read-tool", { file_path: log, offset: 5_000_000, limit: 10 }),
    sedLog: () => run("sed", ["-n", "5000000,5000009p;5000009q", log]),
  },
  rounds * 2,
);
const others = [
  ["glob `**/*.h` in the tree", "find", "ours", "find"],
  ["glob `**/*.h` in a part of it", "find", "oursSmall", "findSmall"],
  ["the same, prestarted", "find", "aheadSmall", "findSmall"],
  ["10 lines at 150,000 of a file of 10 GB", "sed", "ours10", "sed10"],
  ["the same, prestarted", "sed", "ahead10", "sed10"],
  ["10 lines at 5,000,000 of a log of 500 MB", "sed", "oursLog", "sedLog"],
];
figures["glob against find"] = globbed.ours.p50 / globbed.find.p50;
figures["file_read against sed"] = globbed.oursLog.p50 / globbed.sedLog.p50;
figures["file_read near the start against sed"] = globbed.ours10.p50 / globbed.sed10.p50;
figures["file_read ahead against sed"] = globbed.ahead10.p50 / globbed.sed10.p50;
figures["grep MiB"] = await peakMiB("grep-tool", { pattern: patterns["no literal"], path: tree, glob: "**/*" });
figures["file_read MiB"] = await peakMiB("file-read-tool", { file_path: sparse, offset: 150_000, limit: 10 });
report({
  title: "Searching and reading",
  text: `The tree is ${basename(tree)}. All programs read binary files as text and skip hidden files.

${table(["grep", "in", "ours ms", "GNU grep ms", "ratio", "rg ms", "ratio"], rows)}

${table(
  ["", "ours ms", "other", "ms", "ratio"],
  others.map(([what, other, ours, theirs]) => [
    what,
    ms(globbed[ours].p50),
    other,
    ms(globbed[theirs].p50),
    ratio(globbed[ours].p50, globbed[theirs].p50),
  ]),
)}

Peak memory: grep in the tree ${figures["grep MiB"].toFixed(0)} MiB, file_read in the file of 10 GB ${figures["file_read MiB"].toFixed(0)} MiB.`,
  figures,
});

async function compare(name, pattern, { where, path, through = direct }) {
  const isTree = path === tree;
  const anyCase = name === "any case";
  const flags = anyCase ? ["-i"] : [];
  const place = isTree ? "." : path;
  const cwd = isTree ? tree : dir;
  const { ours, grep, rg } = await takeTurns(
    {
      ours: call("grep-tool", { pattern, path, ignore_case: anyCase, ...(isTree && { glob: "**/*" }) }, through),
      grep: () =>
        run(...through("grep", ["-ranE", ...flags, "--exclude=.*", "--exclude-dir=.?*", pattern, place]), {
          allowed: [0, 1],
          cwd,
          env: utf8,
        }),
      ...(hasRipgrep && {
        rg: () =>
          run(...through("rg", ["-uan", ...flags, "--no-ignore", "--no-heading", pattern, place]), {
            cwd,
            allowed: [0, 1],
          }),
      }),
    },
    rounds,
  );
  rows.push([
    `${name}: \`${pattern.replaceAll("|", "\\|")}\``,
    where,
    ms(ours.p50),
    ms(grep.p50),
    ratio(ours.p50, grep.p50),
    ...(rg ? [ms(rg.p50), ratio(ours.p50, rg.p50)] : ["", ""]),
  ]);
  const worst = (key, value) => {
    figures[key] = Math.max(figures[key] ?? 0, value);
  };
  worst(`grep against GNU grep in ${where}`, ours.p50 / grep.p50);
  if (rg) worst(`grep against rg in ${where}`, ours.p50 / rg.p50);
}

/** Calls a prestarted tool, as a host does. */
function ahead(name, input) {
  return async () => {
    const child = spawn(tool(name), { env: { ...hosted, IKIGAI_PRESTART: "1" }, stdio: ["pipe", "pipe", "inherit"] });
    await sleep(leadMs);
    const start = performance.now();
    child.stdin.end(JSON.stringify(input));
    child.stdout.resume();
    await new Promise((settle) => child.stdout.once("end", settle));
    return performance.now() - start;
  };
}

async function peakMiB(name, input) {
  const child = spawn(tool(name), { env: hosted, stdio: ["pipe", "ignore", "inherit"] });
  const memory = watchMemory(child.pid);
  child.stdin.end(JSON.stringify(input));
  await new Promise((settle) => child.once("close", settle));
  return memory.stop().rss;
}

/** Makes log lines, with a rare word in some of them. */
function writeLog(path) {
  const file = openSync(path, "w");
  const lines = Array.from({ length: 10_000 }, (_, number) => {
    const word = number === 9_999 ? "needle_7 " : "";
    return `2026-01-01T00:00:${String(number % 60).padStart(2, "0")}Z info request ${number} ${word}took ${number % 977} ms to answer\n`;
  });
  const block = Buffer.from(lines.join(""));
  for (let written = 0; written < 500_000_000; written += block.length) writeSync(file, block);
  closeSync(file);
}
