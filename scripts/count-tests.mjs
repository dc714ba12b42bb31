// Prints the failed tests of vitest's report, and its totals in the form that CI reads.
import { readFileSync } from "node:fs";
import { relative } from "node:path";

const { numPassedTests, numFailedTests, testResults } = JSON.parse(readFileSync(".turbo/tests.json", "utf8"));
for (const { name, assertionResults } of testResults.filter(({ status }) => status === "failed")) {
  const failed = assertionResults.filter(({ status }) => status === "failed");
  // A file can fail outside of its tests.
  const titles = failed.length > 0 ? failed.map(({ fullName }) => fullName) : ["the whole file"];
  for (const title of titles) console.log(`FAILED: ${relative("", name)}: ${title}`);
}
console.log(`${numPassedTests} passed, ${numFailedTests} failed`);
