// Adds up the reports that vitest left in each package, and prints the sum as CI reads it.
import { readdirSync, readFileSync } from "node:fs";

let passed = 0;
let failed = 0;
for (const group of ["packages", "apps"]) {
  for (const folder of readdirSync(group)) {
    const report = read(`${group}/${folder}/.turbo/tests.json`);
    passed += report?.numPassedTests ?? 0;
    failed += report?.numFailedTests ?? 0;
  }
}
console.log(`${passed} passed, ${failed} failed`);

function read(file) {
  try {
    return JSON.parse(readFileSync(file, "utf8"));
  } catch {
    return undefined;
  }
}
