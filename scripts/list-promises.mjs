// Prints the promises of SECURITY.md with the test files that try to break each: those whose first line is
// `// Promise 3 of SECURITY.md.` or `// Promises 3 and 7 of SECURITY.md.` With --check, prints only what is missing.

import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";

const isCheck = process.argv.includes("--check");
const promises = [...readFileSync("SECURITY.md", "utf8").matchAll(/^\*\*(\d+)\. (.*?)\*\*/gm)].map(
  ([, number, title]) => ({
    number: Number(number),
    title,
    files: [],
  }),
);
const problems = [];

const tests = execFileSync("git", ["ls-files", "-co", "--exclude-standard", "*.test.ts"], { encoding: "utf8" });
for (const file of tests.trim().split("\n")) {
  const [, numbers] =
    /^\/\/ Promises? ([\d, and]+) of SECURITY\.md\.$/m.exec(readFileSync(file, "utf8").split("\n", 1)[0]) ?? [];
  for (const number of numbers?.match(/\d+/g) ?? []) {
    const promise = promises.find((one) => one.number === Number(number));
    if (promise) promise.files.push(file);
    else problems.push(`${file}: SECURITY.md has no promise ${number}`);
  }
}
for (const [index, { number, title, files }] of promises.entries()) {
  if (number !== index + 1) problems.push(`SECURITY.md: promise ${number} is number ${index + 1}`);
  if (files.length === 0) problems.push(`SECURITY.md: no test file begins with "// Promise ${number} of SECURITY.md."`);
  if (!isCheck) console.log([`${number}. ${title}`, ...files.map((file) => `   ${file}`)].join("\n"));
}
for (const problem of problems) console.error(problem);
process.exitCode = problems.length === 0 ? 0 : 1;
