import { describe, expect, test } from "vitest";
import type { Permission } from "../src/internal.ts";
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
])("a rule that denies a command of git is not evaded by %j", (command) => {
  expect(bash(command, { mode: "allow", ...rules(["deny", "bash(git push*)"]) })).not.toBe("allow");
  expect(bash("git -c user.name=x status", { mode: "allow", ...rules(["deny", "bash(git push*)"]) })).toBe("allow");
});
