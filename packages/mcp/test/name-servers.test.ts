import { createHash } from "node:crypto";
import { expect, test } from "vitest";
import { nameServers, serverNameProblem } from "../src/definitions/server-names.ts";

const hashOf = (text: string) => createHash("sha256").update(text).digest("hex").slice(0, 6);

test.each([
  ["github", "github"],
  ["my_server.2", "my-server-2"],
  ["GitHub (work)", "github-work"],
  ["7zip", "mcp-7zip"],
  ["mcp-server-sequential-thinking", "mcp-server-sequentia"],
  [`${"a".repeat(19)}-b`, "a".repeat(19)],
  ["a--b-", "a-b"],
  ["../../etc/passwd", "etc-passwd"],
  ["\u001b]0;owned\u0007", "mcp-0-owned"],
  ["グリッド", "server"],
  ["", "server"],
  ["x".repeat(1_000_000), "x".repeat(20)],
])("names a server after %j", (given, name) => {
  expect(nameServers([given])).toEqual([name]);
  expect(serverNameProblem(name)).toBeUndefined();
});

test("different texts never share a name, whatever their order; the same text counts once", () => {
  const named = (...given: string[]) => nameServers(given);
  const [one, other] = [`git-${hashOf("git")}`, `git-${hashOf("Git")}`];
  expect(named("git", "Git", "git")).toEqual([one, other, undefined]);
  expect(named("Git", "git")).toEqual([other, one]);
  // A name that was chosen because another one will get it.
  expect(named("git", "Git", other)).toEqual([one, other, undefined]);
  const long = ["a", "b"].map((end) => `${"x".repeat(30)}${end}`);
  for (const name of named(...long)) expect(serverNameProblem(name ?? "")).toBeUndefined();
  expect(new Set(named(...long)).size).toBe(2);
});
