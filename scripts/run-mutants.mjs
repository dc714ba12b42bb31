// Changes one line of the sources at a time and reports whether a test notices: `npm run mutants`. scripts/mutants/README.md
// describes the lists.
//
//   node scripts/run-mutants.mjs [PATH…] [--only AREA:N]… [--jobs N]    only mutants of files with PATH in their path
//   --skip-clean                                                        does not run the tests without a mutant first
//   node scripts/run-mutants.mjs --check                                only checks the lists
import { parseArgs } from "node:util";
import { MutantCopy, removeOldCopies } from "./mutants/mutant-copy.mjs";
import { readMutants } from "./mutants/read-mutants.mjs";

/** The percentage of mutants that the tests must notice in each area, not counting those known to survive. */
const minKilledPercent = 85;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    check: { type: "boolean" },
    only: { type: "string", multiple: true },
    jobs: { type: "string", default: "1" },
    "skip-clean": { type: "boolean" },
  },
});

const { mutants, problems } = readMutants();
for (const problem of problems) console.log(problem);
if (problems.length > 0) process.exit(1);
if (!values.check) process.exit(await runMutants(mutants.filter(isWanted)));

function isWanted({ id, file }) {
  if (values.only) return values.only.includes(id);
  return positionals.length === 0 || positionals.some((path) => file.includes(path));
}

/** Returns the exit code. */
async function runMutants(wanted) {
  if (wanted.length === 0) return fail("No mutant has this path or number.");
  const jobs = Math.max(1, Math.min(Number(values.jobs), wanted.length));
  removeOldCopies();
  const durations = new Map();
  const copies = Array.from({ length: jobs }, (_, number) => new MutantCopy(number, durations));
  try {
    const problem = values["skip-clean"] ? undefined : await cleanRunProblem(copies[0], wanted);
    if (problem !== undefined) return fail(problem);
    const waiting = [...wanted];
    const results = [];
    await Promise.all(copies.map((copy) => tryAll(copy, waiting, results)));
    return summarize(results);
  } finally {
    for (const copy of copies) copy.remove();
  }
}

/** Runs all tests without a mutant: a test that fails already would count as a kill. */
async function cleanRunProblem(copy, wanted) {
  const tests = [...new Set(wanted.flatMap((mutant) => mutant.tests))];
  console.log(`${wanted.length} mutants. First ${tests.length} test files without any.`);
  const { isKilled, by, output } = await copy.tryClean(tests);
  return isKilled ? `${output}\nThe tests fail without a mutant: ${by}.` : undefined;
}

async function tryAll(copy, waiting, results) {
  for (let mutant = waiting.shift(); mutant; mutant = waiting.shift()) {
    const started = performance.now();
    const { isKilled, by } = await copy.try(mutant);
    const seconds = ((performance.now() - started) / 1_000).toFixed(1);
    const verdict = isKilled ? "killed  " : mutant.survives ? "known   " : "SURVIVED";
    const how = isKilled ? by : (mutant.survives ?? `- ${mutant.from}\n${" ".repeat(9)}+ ${mutant.to}`);
    console.log(`${verdict} ${mutant.id} ${mutant.file}:${mutant.line} (${seconds} s)\n         ${how}`);
    results.push({ ...mutant, isKilled });
  }
}

function summarize(results) {
  const areas = [...new Set(results.map(({ area }) => area))].sort();
  const rows = [...areas.map((area) => results.filter((result) => result.area === area)), results].map(countOf);
  console.log(
    "\n| area | mutants | killed | survive for a reason | unexplained | killed % |\n|---|---|---|---|---|---|",
  );
  for (const [index, { total, killed, known, unknown, percent }] of rows.entries()) {
    console.log(`| ${areas[index] ?? "all"} | ${total} | ${killed} | ${known} | ${unknown} | ${percent} |`);
  }
  const late = results.filter(({ isKilled, survives }) => isKilled && survives);
  for (const { id } of late) console.log(`${id} is killed now: remove its "survives:".`);
  const isBad = rows.some(({ unknown, percent }) => unknown > 0 || percent < minKilledPercent);
  return isBad || late.length > 0 ? 1 : 0;
}

function countOf(results) {
  const total = results.length;
  const killed = results.filter(({ isKilled }) => isKilled).length;
  const known = results.filter(({ isKilled, survives }) => !isKilled && survives).length;
  return { total, killed, known, unknown: total - killed - known, percent: Math.floor((100 * killed) / total) };
}

function fail(message) {
  console.error(message);
  return 1;
}
