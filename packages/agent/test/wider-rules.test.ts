import fc from "fast-check";
import { expect, test } from "vitest";
import { ruleProblem, widerRules } from "../src/internal.ts";
import { rules, verdictOn } from "./decide-call.ts";
import { registeredTool } from "./registered-tool.ts";

function wider(tool: string, args: object, rule: string): readonly string[] {
  const call = { id: "1", name: tool, arguments: JSON.stringify(args) };
  return widerRules({ rule, call, tool: registeredTool(tool, "system") });
}

const ofCommand = (command: string) => wider("bash", { command }, `bash(${command.replace(/[\\*]/g, "\\$&")})`);

test.each([
  ["npm run build -- --production", ["bash(npm run build *)"]],
  ["git push --force origin main", ["bash(git push *)"]],
  ["cargo test -p core", ["bash(cargo test *)"]],
  ["npm test", []],
  ["npm run build", []],
  ["npm run --silent build", []],
  ["git -C .. push", []],
  ["rm -rf build", []],
  ["rm build out", []],
  ["sudo npm run build --x", []],
  ["npm run build --x && rm -rf .", []],
  ["npm run build --x > out", []],
  ["A=1 npm run build --x", []],
  ["npm run $(echo build) x", []],
  ["npm run 'build' x", []],
  ["cat <<E\nnpm run build x\nE", []],
])("%s is widened to %j", (command, expected) => {
  expect(ofCommand(command)).toEqual(expected);
});

test("a file is widened to its directory, inside a project's", () => {
  expect(wider("file_edit", { file_path: "src/a.ts" }, "file_edit(src/a.ts)")).toEqual(["file_edit(src/*)"]);
  expect(wider("file_edit", { file_path: "a.ts" }, "file_edit(a.ts)")).toEqual([]);
  expect(wider("file_edit", { file_path: "/a.ts" }, "file_edit(/a.ts)")).toEqual([]);
});

test("nothing is proposed where there is no rule", () => {
  const call = { id: "1", name: "bash", arguments: '{"command":"npm run build x"}' };
  expect(widerRules({ call, tool: registeredTool("bash", "system") })).toEqual([]);
});

const word = fc.constantFrom(
  "run",
  "test",
  "-v",
  "--x=1",
  "a b",
  "*",
  "\\*",
  "$HOME",
  "'q'",
  "build",
  "..",
  ";",
  "&&",
  ">",
  "x",
);
const commands = fc
  .tuple(fc.constantFrom("npm", "git", "cargo", "rm", "env", "sh -c"), fc.array(word, { maxLength: 5 }))
  .map(([program, words]) => [program, ...words].join(" "));

test("a wider rule is valid, allows the call, and not the program alone", () => {
  let proposed = 0;
  const property = fc.property(commands, (command) => {
    for (const rule of ofCommand(command)) {
      proposed++;
      expect(ruleProblem(rule)).toBeUndefined();
      expect(verdictOn("bash", { command }, rules(["allow", rule]))).toBe("allow");
      const [program = ""] = command.split(" ");
      expect(verdictOn("bash", { command: `${program} --version` }, rules(["allow", rule]))).not.toBe("allow");
    }
  });
  fc.assert(property, { numRuns: 2_000 });
  expect(proposed).toBeGreaterThan(50);
});
