// Prints the totals of vitest's report, in the form that CI reads.
import { readFileSync } from "node:fs";

const { numPassedTests, numFailedTests } = JSON.parse(readFileSync(".turbo/tests.json", "utf8"));
console.log(`${numPassedTests} passed, ${numFailedTests} failed`);
