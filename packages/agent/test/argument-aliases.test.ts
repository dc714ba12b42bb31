import { join } from "node:path";
import { argumentAliases, canonicalArguments, renameAliases } from "@ikigai/protocol";
import { tempDir } from "@ikigai/testing";
import { expect, test } from "vitest";
import { decide, type Permission, type Verdict } from "../src/internal.ts";
import { touchOf } from "../src/turn/call-order.ts";
import { registeredTool } from "./registered-tool.ts";

const tree = await tempDir({ "proj/src/a.ts": "", "proj/.git/config": "", "elsewhere/key": "" });
const projectDir = join(tree, "proj");

function verdict(name: string, args: object, permission: Partial<Permission> = {}): Verdict {
  const call = { id: "c", name, arguments: JSON.stringify(args) };
  const whole: Permission = { mode: "ask", rules: [], projectDir, home: join(tree, "home"), ...permission };
  return decide(call, registeredTool(name, "system"), whole).verdict;
}

const rules = [{ verdict: "deny", rule: "file_write(*.ts)" }] as const;

test.each([
  ["file_read", { path: "src/a.ts" }, {}, "allow"],
  ["file_read", { path: "../elsewhere/key" }, {}, "ask"],
  ["file_read", { path: "src/a.ts", file_path: "../elsewhere/key" }, {}, "ask"],
  ["file_read", { path: "../elsewhere/key", file_path: "src/a.ts" }, {}, "allow"],
  ["file_write", { path: ".git/config", content: "" }, { mode: "allow" }, "ask"],
  ["file_write", { filePath: "src/a.ts", content: "" }, { mode: "allow", rules: [...rules] }, "deny"],
  ["file_write", { path: "src/a.ts", content: "" }, { mode: "edits" }, "allow"],
  ["grep", { pattern: "x", include: "src/*" }, {}, "allow"],
  ["grep", { pattern: "x", include: "../elsewhere/*" }, {}, "ask"],
  ["grep", { pattern: "x", dir_path: "../elsewhere" }, {}, "ask"],
  ["grep", { pattern: "x", file_path: "../elsewhere/key" }, {}, "ask"],
  ["grep", { pattern: "x", glob: null, include: "../elsewhere/*" }, {}, "ask"],
  ["glob", { glob_pattern: "../elsewhere/*" }, {}, "ask"],
  ["glob", { pattern: "*", directory: "../elsewhere" }, {}, "ask"],
] as const)("%s %j with %j: %s", (name, args, permission, expected) => {
  expect(verdict(name, args, permission as Partial<Permission>)).toBe(expected);
});

test("writes to one file keep their order under whatever name it is given", () => {
  expect(touchOf("file_write", '{"path":"src/a.ts"}', projectDir)).toEqual(
    touchOf("file_edit", '{"file_path":"src/a.ts"}', projectDir),
  );
});

test("the parameter's own name wins, unless it is null", () => {
  expect(canonicalArguments("file_read", { path: "a", file_path: "b" })).toEqual({ path: "a", file_path: "b" });
  expect(canonicalArguments("file_read", { path: "a", file_path: null })).toEqual({ file_path: "a" });
  expect(canonicalArguments("file_read", { path: null })).toEqual({ path: null });
  expect(canonicalArguments("mine", { path: "a" })).toEqual({ path: "a" });
  expect(canonicalArguments("toString", { path: "a" })).toEqual({ path: "a" });
  expect(renameAliases(JSON.parse('{"__proto__":{"path":"a"}}'), { path: "file_path" })).not.toHaveProperty(
    "file_path",
  );
});

test("no alias is the name of another parameter of its tool", () => {
  const own = {
    bash: ["command", "timeout_ms", "background"],
    file_read: ["file_path", "offset", "limit"],
    file_write: ["file_path", "content"],
    file_edit: ["file_path", "old_string", "new_string", "replace_all"],
    glob: ["pattern", "path", "format"],
    grep: ["pattern", "glob", "path", "ignore_case", "format"],
  };
  for (const [tool, aliases] of Object.entries(argumentAliases)) {
    const names = own[tool as keyof typeof own];
    for (const [alias, name] of Object.entries(aliases))
      expect([alias, names.includes(alias), names.includes(name)]).toEqual([alias, false, true]);
  }
});
