// What a model gets for the calls that models make: patterns and globs from a corpus of real calls, replayed on checkouts.
//   node bench/answers.mjs CORPUS DIR… [--every=1]     CORPUS: a directory with patterns.jsonl and globs.jsonl
// Each call that failed, found nothing or was cut gets a reason: ours, the call's, or no one's. Recall is measured against git grep.
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { tool } from "./measure.mjs";

const operands = process.argv.slice(2).filter((argument) => !argument.startsWith("--"));
const every = Number(process.argv.find((argument) => argument.startsWith("--every="))?.slice(8) ?? 1);
const [corpus, ...checkouts] = operands;
if (corpus === undefined || checkouts.length === 0) {
  console.error("Usage: node bench/answers.mjs CORPUS DIR… [--every=1]");
  process.exit(2);
}

/** The budget that both tools declare, in bytes. */
const answerBytes = 15_000;

/** Syntax of Perl's expressions, which the tool reads, too, and git grep with -P. */
const isPerl = /\(\?|\\[pPQE]|[*+?}]\?/;

const linesOf = (file) =>
  readFileSync(join(corpus, file), "utf8")
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
const isExtended = ({ via, options: { flags = [], stdin } }) =>
  via === "Grep" || via === "rg" || (!stdin && flags.some((flag) => /^-\w*E/.test(flag)));
const patterns = linesOf("patterns.jsonl")
  .filter(isExtended)
  .filter((_, index) => index % every === 0);
const globs = linesOf("globs.jsonl")
  .filter(({ via }) => via !== "find -name")
  .filter((_, index) => index % every === 0);

const totals = { calls: 0, fine: 0, ours: 0, "the call's": 0, "no one's": 0 };
const recall = { files: 0, missed: 0 };
const worst = [];
for (const cwd of checkouts) {
  for (const one of patterns)
    judge(cwd, "grep", { pattern: one.pattern }, (answer) => grepReason(cwd, one.pattern, answer));
  for (const one of globs) judge(cwd, "glob", { pattern: one.pattern }, globReason);
}
const share = (100 * totals.ours) / totals.calls;
console.log(
  `\n${totals.calls} calls, ${totals.fine} answered in full; not: ${totals["no one's"]} no one's, ${totals["the call's"]} the call's, ${totals.ours} ours (${share.toFixed(2)} %)`,
);
console.log(`recall against git grep: ${recall.files - recall.missed} of ${recall.files} files`);
worst.sort((a, b) => b.tokens - a.tokens);
console.log("worst answers, in tokens (bytes / 4):");
for (const { tokens, text } of worst.slice(0, 5)) console.log(`  ${tokens}  ${text}`);

function call(name, input, cwd, bytes = answerBytes) {
  const env = { ...process.env, IKIGAI_MAX_OUTPUT_BYTES: "1048576", IKIGAI_ANSWER_BYTES: String(bytes) };
  const { stdout, status } = spawnSync(tool(`${name}-tool`), {
    cwd,
    input: JSON.stringify(input),
    env,
    encoding: "utf8",
    maxBuffer: 2 ** 26,
  });
  return status === 0 ? { ...JSON.parse(stdout), bytes: Buffer.byteLength(stdout) } : { error: "exit", bytes: 0 };
}

function judge(cwd, name, input, reasonOf) {
  const answer = call(name, input, cwd);
  const text = `${basename(cwd)}: ${name} ${JSON.stringify(input)}`;
  totals.calls++;
  worst.push({ tokens: Math.ceil(answer.bytes / 4), text });
  const reason = reasonOf(answer);
  if (reason === undefined) totals.fine++;
  else {
    totals[reason[0]]++;
    if (reason[0] !== "no one's") console.log(`${reason[0]}: ${reason[1]}: ${text}`);
  }
}

function grepReason(cwd, pattern, answer) {
  if (answer.bytes > answerBytes) return ["ours", `${answer.bytes} bytes`];
  if (answer.error_code === "INVALID_PATTERN") return [answer.hint ? "the call's" : "ours", answer.error];
  if (answer.error) return ["ours", answer.error];
  const missed = missedFiles(cwd, pattern);
  if (missed?.length > 0) return ["ours", `missed ${missed.slice(0, 3)}`];
  if (answer.count + (answer.below?.count ?? 0) === 0) return ["no one's", "nothing there"];
  if (!answer.truncated) return undefined;
  return answer.hint ? ["no one's", "more than is worth reading"] : ["ours", "cut without a hint"];
}

/** The files that git grep finds and the tool neither shows nor counts; `undefined` if git reads the pattern differently or not at all. */
function missedFiles(cwd, pattern) {
  const args = [
    "grep",
    "-l",
    "-z",
    isPerl.test(pattern) ? "-P" : "-E",
    "--untracked",
    "--exclude-standard",
    "-e",
    pattern,
  ];
  const { stdout, status } = spawnSync("git", args, {
    cwd,
    encoding: "utf8",
    env: { ...process.env, LC_ALL: "C.UTF-8" },
    maxBuffer: 2 ** 26,
  });
  if (status > 1) return undefined;
  const wanted = stdout.split("\0").filter(Boolean);
  const all = call("grep", { pattern, format: "files" }, cwd, 1_000_000);
  const found = new Set(
    `${all.output}\n${all.below?.output ?? ""}`.split("\n").map((line) => line.slice(0, line.lastIndexOf(": "))),
  );
  const missed = wanted.filter((path) => !found.has(path));
  recall.files += wanted.length;
  recall.missed += missed.length;
  return missed;
}

function globReason(answer) {
  if (answer.bytes > answerBytes) return ["ours", `${answer.bytes} bytes`];
  if (answer.error) return ["ours", answer.error];
  if (answer.count === 0) return ["no one's", "nothing there"];
  if (!answer.truncated) return undefined;
  return answer.hint ? ["no one's", "more than is worth reading"] : ["ours", "cut without a hint"];
}
