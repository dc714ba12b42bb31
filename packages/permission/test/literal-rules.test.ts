import { describe, expect, test } from "vitest";
import type { Permission } from "../src/index.ts";
import { rules, verdictOn } from "./decide-call.ts";

function bash(command: string, permission: Partial<Permission>): string {
  return verdictOn("bash", { command }, { projectDir: "/nowhere", ...permission });
}

describe("an allow rule without a star", () => {
  test.each([
    ["npm test", "npm test > ~/.bashrc"],
    ["npm test", "npm test 2> x"],
    ["npm test", "npm test < /etc/passwd"],
    ["npm test", "npm test &> x"],
    ['git commit -m "run make || sh setup.sh once"', "git commit -m '\"run' make || sh setup.sh 'once\"'"],
    ['echo "a > b"', "echo a > b"],
    ["echo a; echo b", "echo a; echo b > x"],
  ])("%j does not allow %j", (rule, command) => {
    expect(bash(rule, rules(["allow", `bash(${rule})`]))).toBe("allow");
    expect(bash(command, rules(["allow", `bash(${rule})`]))).toBe("ask");
  });
});

test.each([
  "git -c alias.p=push p origin",
  "git -calias.p=push p origin",
  "git --config-env=alias.p=X p origin",
  "git -c include.path=x p",
  "/usr/lib/git-core/git-push origin",
  "timeout 60 git -C . push origin",
  "nice git --no-pager push origin",
  "env git -c a.b=c push origin",
  "timeout 60 git -c alias.p=push p origin",
  "env GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=alias.p GIT_CONFIG_VALUE_0=push git p origin",
  "GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=alias.p GIT_CONFIG_VALUE_0=push git p origin",
  "nice /usr/lib/git-core/git-push origin",
  "git bisect run git -C . push origin",
  "prlimit git -C . push origin",
  "find . -maxdepth 0 -exec git -C . push origin \\;",
  "unknown-runner git -C . push origin",
])("a rule that denies a command of git is not evaded by %j", (command) => {
  expect(bash(command, { mode: "allow", ...rules(["deny", "bash(git push*)"]) })).not.toBe("allow");
  expect(bash("git -c user.name=x status", { mode: "allow", ...rules(["deny", "bash(git push*)"]) })).toBe("allow");
});

test("more than 20 words that may be git behind another program need a question", () => {
  const all = rules(["deny", "bash(git push*)"]);
  const gits = (count: number) => `true${" git".repeat(count)}`;
  expect(bash(gits(20), { mode: "allow", ...all })).toBe("allow");
  expect(bash(gits(21), { mode: "allow", ...all })).toBe("ask");
});
