// Prints the failed tests of vitest's report, those that passed only when repeated, and its totals in the form that CI reads. With
// --slowest it prints the ten test files that took longest instead, in seconds of their tests.
import { readFileSync } from "node:fs";
import { relative } from "node:path";

const { numPassedTests, numFailedTests, testResults } = JSON.parse(readFileSync(".turbo/tests.json", "utf8"));
if (process.argv.includes("--slowest")) printSlowest();
else printFailed();

function printFailed() {
  for (const { name, assertionResults } of testResults)
    for (const { fullName } of assertionResults.filter(isRepeated))
      console.log(`PASSED ONLY WHEN REPEATED: ${relative("", name)}: ${fullName}`);
  for (const { name, assertionResults } of testResults.filter(({ status }) => status === "failed")) {
    const failed = assertionResults.filter(({ status }) => status === "failed");
    // A file can fail outside of its tests.
    const titles = failed.length > 0 ? failed.map(({ fullName }) => fullName) : ["the whole file"];
    for (const title of titles) console.log(`FAILED: ${relative("", name)}: ${title}`);
  }
  console.log(`${numPassedTests} passed, ${numFailedTests} failed`);
}

/** The report keeps the failure of the first attempt. */
function isRepeated({ status, failureMessages }) {
  return status === "passed" && failureMessages.length > 0;
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
