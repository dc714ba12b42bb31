// What a model gets for the calls that models make: a corpus of real calls, replayed on checkouts as in a conversation: through
// `ikigai mcp serve`, with permission mode auto, the sandbox and the budgets that the tools declare. Searches run on each checkout, edits
// and commands on copies. Each call that failed, found nothing, was cut or asks the user gets a reason: ours, the call's, no one's.
import { readFileSync } from "node:fs";
import { basename, join, resolve } from "node:path";
import { changesOf, editReplay, runReplay } from "./answers-changes.mjs";
import { searchReplay } from "./answers-searches.mjs";
import { scratch } from "./measure.mjs";

const usage = `Usage: node bench/answers.mjs CORPUS DIR… [--every=1] [--only=patterns,globs,edits,commands]

  CORPUS    a directory with patterns.jsonl, globs.jsonl, edits.jsonl and commands.jsonl
  DIR       checkouts of real projects; nothing in them is changed
  --every   replays each N-th call, others in each checkout
  --only    replays these kinds`;

const kinds = ["patterns", "globs", "edits", "commands"];
const option = (name, other) =>
  process.argv.find((argument) => argument.startsWith(`--${name}=`))?.slice(name.length + 3) ?? other;
const [corpus, ...checkouts] = process.argv.slice(2).filter((argument) => !argument.startsWith("--"));
const every = Number(option("every", 1));
const only = option("only", kinds.join(",")).split(",");
if (corpus === undefined || checkouts.length === 0 || !(every >= 1) || !only.every((kind) => kinds.includes(kind))) {
  console.error(usage);
  process.exit(2);
}

/** How much of an answer is worth reading, as the tools declare it, in bytes, with what JSON adds. */
const budgets = { grep: 15_000, glob: 15_000, bash: 33_500, file_edit: 15_000 };

const totals = new Map(kinds.map((kind) => [kind, { calls: 0, fine: 0, ours: 0, "the call's": 0, "no one's": 0 }]));
const recall = { files: 0, missed: 0 };
const worst = [];

/** The calls of a kind that are replayed on a checkout: of every N, another one on each. */
function callsOf(kind, checkout) {
  if (!only.includes(kind)) return [];
  const lines = readFileSync(join(corpus, `${kind}.jsonl`), "utf8")
    .trim()
    .split("\n");
  return lines.map((line) => JSON.parse(line)).filter((_, index) => (index + checkout) % every === 0);
}

/** Records one call. @param reason what is wrong with its answer, and whose fault that is; absent if nothing is */
function judge(kind, { name, input, bytes }, dir, reason) {
  const total = totals.get(kind);
  const flooded = bytes > budgets[name] ? ["ours", `${bytes} bytes`] : undefined;
  const [whose, why] = flooded ?? reason ?? ["fine"];
  const text = `${basename(dir)}: ${name} ${JSON.stringify(input).slice(0, 600)}`;
  total.calls++;
  total[whose]++;
  worst.push({ tokens: Math.ceil(bytes / 4), name, text });
  if (whose !== "fine" && why !== "") console.log(`${kind}\t${whose}\t${why}\t${text}`);
}

for (const [at, checkout] of checkouts.entries()) {
  const dir = resolve(checkout);
  const searches = await searchReplay(dir, scratch(), recall);
  for (const call of callsOf("patterns", at)) judge("patterns", ...(await searches.pattern(call)));
  for (const call of callsOf("globs", at)) judge("globs", ...(await searches.glob(call)));
  await searches.end();
  if (!only.includes("edits") && !only.includes("commands")) continue;
  const changes = await changesOf(dir, scratch());
  for (const call of callsOf("edits", at)) judge("edits", ...(await editReplay(changes, call)));
  for (const [index, call] of callsOf("commands", at).entries()) {
    // Each command runs once: where it was made, else in one of the checkouts.
    if (changes.isFor(call, { index, at, checkouts })) judge("commands", ...(await runReplay(changes, call)));
  }
  await changes.end();
}

const all = [...totals.values()].reduce(
  (sum, total) => ({ calls: sum.calls + total.calls, ours: sum.ours + total.ours }),
  {
    calls: 0,
    ours: 0,
  },
);
console.log("");
for (const [kind, { calls, fine, ours, ...others }] of totals) {
  if (calls === 0) continue;
  const share = ((100 * ours) / calls).toFixed(2);
  console.log(
    `${kind}: ${calls} calls, ${fine} answered in full; not: ${others["no one's"]} no one's, ${others["the call's"]} the call's, ${ours} ours (${share} %)`,
  );
}
console.log(`all: ${all.calls} calls, ${all.ours} ours (${((100 * all.ours) / all.calls).toFixed(2)} %)`);
if (recall.files > 0) console.log(`recall against git: ${recall.files - recall.missed} of ${recall.files} files`);
worst.sort((a, b) => b.tokens - a.tokens);
console.log("largest answers, in tokens (bytes / 4):");
for (const name of Object.keys(budgets)) {
  for (const { tokens, text } of worst.filter((one) => one.name === name).slice(0, 2))
    console.log(`  ${tokens}  ${text}`);
}
