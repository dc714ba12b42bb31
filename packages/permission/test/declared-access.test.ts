import { join } from "node:path";
import type { RegisteredTool } from "@ikigai/core";
import type { ToolExtensions } from "@ikigai/protocol";
import { tempDir } from "@ikigai/testing";
import { describe, expect, test } from "vitest";
import { decide, type Permission, type PermissionRule, type Verdict } from "../src/index.ts";
import { registeredTool } from "./registered-tool.ts";

const tree = await tempDir({ "proj/src/a.ts": "", "proj/git": { link: ".git" }, "proj/.git/config": "" });
const projectDir = join(tree, "proj");

/** A tool that overrides no system tool and declares this. */
function declaring(ikigai: ToolExtensions, scope: RegisteredTool["scope"] = "user"): RegisteredTool {
  const tool = registeredTool("deploy", scope);
  const properties = { file: {}, file_path: {}, content: {}, in: {}, what: {}, line: {} };
  const schema = { ...tool.schema, parameters: { type: "object", properties }, ikigai };
  return { ...tool, schema, ...(scope === "system" && { system: schema }) };
}

function verdict(tool: RegisteredTool, args: object, permission: Partial<Permission> = {}): Verdict {
  const call = { id: "c", name: tool.name, arguments: JSON.stringify(args) };
  const whole: Permission = { mode: "ask", rules: [], projectDir, home: join(tree, "home"), ...permission };
  return decide(call, tool, whole).verdict;
}

const reads: ToolExtensions = { access: { kind: "read-file", path: "file" } };
const writes: ToolExtensions = { access: { kind: "write-file", path: "file_path" } };
const lists: ToolExtensions = { access: { kind: "list-files", path: "in", pattern: "what" } };
const listsAll: ToolExtensions = { access: { kind: "list-files", path: "in" } };
const runs: ToolExtensions = { access: { kind: "run-command", command: "line" } };
const rules = (kind: Verdict, ...patterns: string[]): PermissionRule[] =>
  patterns.map((pattern) => ({ verdict: kind, rule: `deploy(${pattern})` }));

describe.each([
  ["system", "allow"],
  ["user", "ask"],
  ["project", "ask"],
] as const)("a %s tool's own declaration", (scope, expected) => {
  test.each([
    ["reads a file inside the project", reads, { file: "src/a.ts" }, {}],
    ["edits a file inside the project", writes, { file_path: "src/a.ts" }, { mode: "edits" }],
    ["lists files inside the project", lists, { what: "src/*" }, {}],
    ["lists a directory of the project", listsAll, { in: "src" }, {}],
    ["lists the project", listsAll, {}, {}],
    ["runs a command that only reads", runs, { line: "ls src" }, {}],
  ] as const)(`%s: ${expected}`, (_, ikigai, args, permission) => {
    expect(verdict(declaring(ikigai, scope), args, permission)).toBe(expected);
  });

  test.each([
    ["a path", writes, { file_path: "src/a.ts" }, "src/*"],
    ["a path under an alias", writes, { path: "src/a.ts" }, "src/*"],
    ["a command", runs, { line: "cd src && rm a.ts" }, "rm *"],
  ] as const)("restricts it by %s", (_, ikigai, args, pattern) => {
    const denied = { mode: "allow", rules: rules("deny", pattern) } as const;
    expect(verdict(declaring(ikigai, scope), args, denied)).toBe("deny");
    // It is unknown what the rule means for a tool that declares neither a path nor a command.
    expect(verdict(declaring({}, scope), args, denied)).toBe("ask");
  });

  test.each([
    ["a path", writes, { file_path: "src/a.ts" }, "src/*"],
    ["a command", runs, { line: "make all" }, "make *"],
  ] as const)(`is used by an allow rule for %s: ${expected}`, (_, ikigai, args, pattern) => {
    expect(verdict(declaring(ikigai, scope), args, { rules: rules("allow", pattern) })).toBe(expected);
  });
});

test("does not hide arguments from rules or protected places", () => {
  const tool = declaring(writes);
  const denied = { mode: "allow", rules: rules("deny", '*"path":"prod"*') } as const;
  expect(verdict(tool, { path: "prod" }, denied)).toBe("deny");
  expect(verdict(tool, { path: "test" }, denied)).toBe("allow");
  expect(verdict(tool, { file_path: "a.ts", also: ".git/config" }, { mode: "allow" })).toBe("ask");
  expect(verdict(tool, { file_path: "git/config" }, { mode: "allow" })).toBe("ask");
  expect(verdict(declaring(reads), { file: ".git/config" }, { mode: "allow" })).toBe("ask");
});

test("interprets an override like the system tool of its name, whatever it declares", () => {
  const override = { ...registeredTool("file_write", "project"), schema: declaring(reads).schema };
  const denied = [{ verdict: "deny", rule: "file_write(src/*)" }] as const;
  expect(verdict(override, { file_path: "src/a.ts" }, { mode: "allow", rules: [...denied] })).toBe("deny");
  expect(verdict(override, { file_path: "git/config" }, { mode: "allow" })).toBe("ask");
  expect(verdict(override, { file_path: "src/a.ts" }, { mode: "edits" })).toBe("ask");
});

test("always asks about an override of a system tool that does not work", () => {
  const override: RegisteredTool = { ...registeredTool("file_write", "project"), system: "unknown" };
  const allowed = [{ verdict: "allow", rule: "file_write" }] as const;
  expect(verdict(override, { file_path: "src/a.ts" }, { mode: "allow", rules: [...allowed] })).toBe("ask");
  expect(verdict(override, { file_path: "src/a.ts" }, { mode: "deny" })).toBe("deny");
});

describe("a rule with a pattern for a tool that declares neither a path nor a command", () => {
  const judged = (kind: Verdict, pattern: string) =>
    verdict(declaring({}), { what: "a.ts" }, { mode: "allow", rules: rules(kind, pattern) });

  test.each(["src/*", "*.ts", "rm", "{", "}", '{"what":*.ts', ""])(
    "%s cannot match any arguments: a question",
    (pattern) => {
      expect([judged("deny", pattern), judged("ask", pattern), judged("allow", pattern)]).toEqual([
        "ask",
        "ask",
        "allow",
      ]);
    },
  );

  test.each(["*", "*.ts*", '{"what":*', '*"a.ts"}', '{"what":"a.ts"}'])("%s matches them", (pattern) => {
    expect([judged("deny", pattern), judged("ask", pattern)]).toEqual(["deny", "ask"]);
  });

  test.each(["*.js*", '{"other":*', '{"what":"b.ts"}'])("%s could match, and does not", (pattern) => {
    expect([judged("deny", pattern), judged("ask", pattern)]).toEqual(["allow", "allow"]);
  });
});
