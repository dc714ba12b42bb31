// Prints the failed tests of vitest's report, those that passed only when repeated, and its totals in the form that CI reads. With
// --slowest it prints the ten test files that took longest instead, in seconds of their tests.
import { readFileSync } from "node:fs";
import { relative } from "node:path";

const { numPassedTests, numFailedTests, testResults } = JSON.parse(readFileSync(".turbo/tests.json", "utf8"));
if (process.argv.includes("--slowest")) printSlowest();
else printFailed();

function printFailed() {
  // The report keeps the failure of the first attempt.
  const repeated = titlesOf(({ status, failureMessages }) => status === "passed" && failureMessages.length > 0);
  // A busy machine is too slow for one or two; more have another cause.
  const excess = repeated.length > 3 ? repeated.length : 0;
  for (const title of repeated) console.log(`${excess > 0 ? "FAILED: " : ""}PASSED ONLY WHEN REPEATED: ${title}`);
  for (const title of titlesOf(({ status }) => status === "failed")) console.log(`FAILED: ${title}`);
  // A file can fail outside of its tests.
  for (const { name, status, assertionResults } of testResults)
    if (status === "failed" && assertionResults.every((test) => test.status !== "failed"))
      console.log(`FAILED: ${relative("", name)}: the whole file`);
  console.log(`${numPassedTests - excess} passed, ${numFailedTests + excess} failed`);
}

function titlesOf(passes) {
  return testResults.flatMap(({ name, assertionResults }) =>
    assertionResults.filter(passes).map(({ fullName }) => `${relative("", name)}: ${fullName}`),
  );
}

function printSlowest() {
  const files = testResults.map(({ name, assertionResults }) => ({
    name: relative("", name),
    ms: assertionResults.reduce((sum, { duration = 0 }) => sum + (duration ?? 0), 0),
  }));
  const all = files.reduce((sum, { ms }) => sum + ms, 0);
  console.log(`${Math.round(all / 1_000)} test-seconds; the slowest files:`);
  for (const { name, ms } of files.sort((a, b) => b.ms - a.ms).slice(0, 10))
    console.log(`${String(Math.round(ms / 1_000)).padStart(6)} s  ${name}`);
}
