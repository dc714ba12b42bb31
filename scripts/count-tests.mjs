// Prints the sum of the report that vitest left, as CI reads it.
import { readFileSync } from "node:fs";

const { numPassedTests, numFailedTests } = JSON.parse(readFileSync(".turbo/tests.json", "utf8"));
console.log(`${numPassedTests} passed, ${numFailedTests} failed`);
