// Runs the benchmarks one after the other and writes the results to bench/README.md.
//   node bench/run.mjs [NAME…]     only these; the others keep their last results
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { machine, root, table } from "./measure.mjs";
import { isOfPeer, targetRows } from "./targets.mjs";

const names = [
  "startup",
  "repl",
  "screens",
  "highlight",
  "session",
  "peers",
  "calls",
  "services",
  "programs",
  "mcp",
  "hooks",
  "one-shot",
  "discovery",
  "many-tools",
  "memory",
  "search",
  "web",
  "fleet",
];
const store = join(root, "bench/results.json");
const results = existsSync(store) ? JSON.parse(readFileSync(store, "utf8")) : {};
const wanted = process.argv.slice(2).filter((argument) => !argument.startsWith("--"));
const flags = process.argv.slice(2).filter((argument) => argument.startsWith("--"));

for (const name of names) {
  if (wanted.length > 0 && !wanted.includes(name)) continue;
  process.stderr.write(`${name} …\n`);
  const script = join(root, `bench/${name}.mjs`);
  const options = { encoding: "utf8", stdio: ["ignore", "pipe", "inherit"], maxBuffer: 1e8 };
  const { title, text, figures } = JSON.parse(execFileSync(process.execPath, [script, "--json", ...flags], options));
  results[name] = { title, text, figures, date: new Date().toISOString().slice(0, 10), machine: machine() };
  writeFileSync(store, `${JSON.stringify(results, null, 2)}\n`);
}
const measured = names.filter((name) => results[name]);
const figures = Object.assign({}, ...measured.map((name) => results[name].figures));
writeFileSync(join(root, "bench/README.md"), page());
quote();

/** Writes the figures into the sentence of the front page. */
function quote() {
  const file = join(root, "README.md");
  const [next] = Object.entries(figures)
    .filter(([name]) => isOfPeer(name, "session ms"))
    .sort((a, b) => a[1] - b[1]);
  const seconds = (value) => `${(value / 1000).toFixed(2)} s`;
  const sentence = [
    `the first request leaves after ${figures["first request ms"].toFixed(0)} ms`,
    `a call to a warm tool takes ${(figures["served p50, small host"] ?? figures["ahead p50, small host"]).toFixed(1)} ms`,
    `20 shell calls take ${seconds(figures["ikigai session ms"])} (${next[0].split(" ")[0]}, the next fastest: ${seconds(next[1])})`,
  ];
  const quoted = /(<!-- measured -->).*?(<!-- \/measured -->)/s;
  writeFileSync(file, readFileSync(file, "utf8").replace(quoted, `$1${sentence.join("; ")}$2`));
}

function page() {
  const sections = measured.map((name) => {
    const { title, text, date, machine: where } = results[name];
    return `## ${title}\n\n\`node bench/${name}.mjs\`, ${date}, ${where}\n\n${text}\n`;
  });
  return `# Benchmarks

\`npm run bench\` runs all benchmarks and writes this page; \`npm run bench -- session search\` runs only these two. Each script alternates between
the programs it compares, so that noise affects all of them equally: look at the ratios. \`NODE_EXTRA_CA_CERTS\` matters most: if it is set, Node 20
reads a whole bundle of certificates on every start. The benchmarks unset it; \`--keep-certs\` keeps it.

\`node bench/compare.mjs BEFORE_DIR AFTER_DIR\` compares two builds of ikigai: worktrees in which \`npm run build\` has run. On a busy machine, read its ratios of processor time.

\`node bench/answers.mjs CORPUS DIR…\` says what a model gets for the calls that models make: it replays patterns, globs, edits and commands of a
corpus on checkouts of real projects, through \`ikigai mcp serve\` in mode auto with the sandbox (needed), and edits and commands in copies. For each
call without an answer in full it prints a line (kind, whose fault, reason, call) if there is something to say, at the end sums, files that git finds and
the tools miss, and the largest answers in tokens. \`--every=20\` takes minutes; \`--only=patterns,globs,edits,commands\` chooses. The corpus is four files of
JSON lines: \`patterns.jsonl\` (pattern, via, options.flags), \`globs.jsonl\` (pattern, via), \`commands.jsonl\` (command), \`edits.jsonl\`
(old_lines, old_length, new_lines, new_length, leading_indent, tab, crlf, non_ascii).

| what | scripts |
| --- | --- |
| Measured by \`npm run bench\`, a section below each | ${names.map((name) => `\`${name}\``).join(", ")} |
| Measured alone | \`compare\`, \`answers\` with \`answers-changes\` and \`answers-searches\`, \`evals/\`, \`network\`, \`questions\` |
| Hours under load | \`soak\` with \`soak-tools\`, \`watch-memory\` |
| Shared | \`run\`, \`measure\`, \`targets\` with \`limits.md\`, \`agents\` (the others that are compared), \`rpc-server\`, \`large-tree\`, \`bash-tool.c\` (the tool in C) |

## Targets

${table(["what", "target", "measured", ""], targetRows(figures))}

${readFileSync(join(root, "bench/limits.md"), "utf8").trim()}

${sections.join("\n")}`;
}
