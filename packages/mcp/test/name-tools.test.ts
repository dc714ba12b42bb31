import { createHash } from "node:crypto";
import { toolNamePattern } from "@ikigai/protocol";
import { describe, expect, test } from "vitest";
import { nameTools } from "../src/definitions/define-tools.ts";
import { isWanted, serverNameProblem } from "../src/definitions/server-names.ts";

/** The names that tools with these real names get. */
function namesOf(server: string, ...tools: readonly string[]) {
  return nameTools(
    server,
    tools.map((name) => ({ id: name, wanted: name })),
  ).map(({ name }) => name);
}

function hashOf(text: string): string {
  return createHash("sha256").update(text).digest("hex").slice(0, 6);
}

describe("the name of a server", () => {
  test.each(["a", "github", "my-server-2", "a".repeat(20)])("may be %s", (name) => {
    expect(serverNameProblem(name)).toBeUndefined();
  });

  test.each(["", "A", "2x", "-x", "x-", "x--y", "x_y", "x.y", "a".repeat(21), "x\n", "x y", "../x"])(
    "may not be %j",
    (name) => {
      expect(serverNameProblem(name)).toMatch(/^Expected a server name of at most 20 letters .*\.$/);
    },
  );
});

describe("the names of tools", () => {
  test("begin with mcp and the server, and have _ for other characters", () => {
    expect(namesOf("my-server", "create_issue", "repo.get", "größe")).toEqual([
      "mcp__my_server__create_issue",
      "mcp__my_server__repo_get",
      "mcp__my_server__gr__e",
    ]);
  });

  test("of 64 characters stay, longer ones are cut and end in the hash of the real name", () => {
    const [fits, long] = ["x".repeat(64 - "mcp__s__".length), "y".repeat(90)];
    const [first = "", second = ""] = namesOf("s", fits, long);
    expect(first).toBe(`mcp__s__${fits}`);
    expect(second).toBe(`${`mcp__s__${long}`.slice(0, 57)}_${hashOf(long)}`);
    for (const name of [first, second]) {
      expect(name).toHaveLength(64);
      expect(name).toMatch(toolNamePattern);
    }
  });

  test("that collide all get a hash, in any order, and also if only their case differs", () => {
    const expected = new Map(
      ["a.b", "a-b", "A_b"].map((name) => [name, `mcp__s__${name.replace(/\W/, "_")}_${hashOf(name)}`]),
    );
    for (const order of [
      ["a.b", "a-b", "A_b"],
      ["A_b", "a-b", "a.b"],
    ])
      expect(namesOf("s", ...order)).toEqual(order.map((name) => expected.get(name)));
  });

  test("are missing for tools that are listed twice", () => {
    expect(namesOf("s", "echo", "echo", "other")).toEqual([undefined, undefined, "mcp__s__other"]);
  });

  test("cannot be taken by a tool that is named like another one with its hash", () => {
    const names = namesOf("s", "a.b", "a-b", `a_b_${hashOf("a.b")}`);
    expect(new Set(names.filter((name) => name !== undefined)).size).toBe(
      names.filter((name) => name !== undefined).length,
    );
  });
});

describe("a filter", () => {
  const none = { include: [], exclude: [] };

  test("without patterns keeps everything", () => {
    expect(isWanted("anything", none)).toBe(true);
  });

  test.each([
    ["get_x", { ...none, include: ["get_*"] }, true],
    ["set_x", { ...none, include: ["get_*"] }, false],
    ["get_x", { include: ["get_*"], exclude: ["*_x"] }, false],
    ["a.b", { ...none, include: ["a?b"] }, true],
    ["ab", { ...none, include: ["a?b"] }, false],
    ["a.b", { ...none, include: ["a.b"] }, true],
    ["axb", { ...none, include: ["a.b"] }, false],
    ["abab", { ...none, include: ["*ab"] }, true],
  ])("decides %s by %j", (name, filter, wanted) => {
    expect(isWanted(name, filter)).toBe(wanted);
  });

  test("with many stars ends", () => {
    expect(isWanted("a".repeat(5_000), { ...none, include: [`${"*a".repeat(30)}b`] })).toBe(false);
  });
});
