import { join } from "node:path";
import { decide, type Permission, type Verdict } from "@ikigai/permission";
import { aliasesOf, argumentAliases, argumentsAsRead } from "@ikigai/protocol";
import { tempDir } from "@ikigai/testing";
import { expect, test } from "vitest";
import { registeredTool } from "../../permission/test/registered-tool.ts";
import { mustWait, touchOf } from "../src/turn/call-files.ts";

const tree = await tempDir({
  "proj/src/a.ts": "",
  "proj/.git/config": "",
  "proj/Shot 1\u202fPM.png": { link: "../elsewhere/key" },
  "proj/Shot 2\u202fPM.png": "",
  "elsewhere/key": "",
});
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
  // A value is judged as the tool reads it.
  ["file_read", { file_path: 5 }, { rules: [{ verdict: "deny", rule: "file_read(5)" }] }, "deny"],
  ["file_write", { path: 5, content: true }, { mode: "edits" }, "allow"],
  ["bash", { command: 5 }, { rules: [{ verdict: "allow", rule: "bash(5)" }] }, "allow"],
  // A directory is judged as if the command went there.
  ["bash", { command: "ls", cwd: "src" }, {}, "allow"],
  ["bash", { command: "cat a.ts; pwd", workdir: join(tree, "proj/src") }, {}, "allow"],
  ["bash", { command: "cat key", cwd: "../elsewhere" }, {}, "ask"],
  ["bash", { command: "cat ../../elsewhere/key", dir: "src" }, {}, "ask"],
  ["bash", { command: "touch hooks/x", cwd: ".git" }, { mode: "allow" }, "ask"],
  ["bash", { command: "npm test", cwd: "src" }, { rules: [{ verdict: "allow", rule: "bash(npm test)" }] }, "allow"],
  ["bash", { command: "npm test", cwd: "." }, { rules: [{ verdict: "allow", rule: "bash(npm test)" }] }, "allow"],
  ["file_read", { file_path: "~/key" }, {}, "ask"],
  ["file_read", { file_path: `file://${projectDir}/src/a.ts` }, {}, "allow"],
  ["file_read", { file_path: "Shot 1 PM.png" }, {}, "ask"],
  ["file_read", { file_path: "Shot 2 PM.png" }, {}, "allow"],
  [
    "file_read",
    { file_path: "Shot 2 PM.png" },
    { rules: [{ verdict: "deny", rule: "file_read(Shot 2\u202f*)" }] },
    "deny",
  ],
  ["file_edit", { file_path: "Shot 1 PM.png", old_string: "a", new_string: "b" }, { mode: "edits" }, "ask"],
  ["file_edit", { file_path: "Shot 2 PM.png", old_string: "a", new_string: "b" }, { mode: "edits" }, "allow"],
  ["file_write", { file_path: "Shot 1 PM.png", content: "" }, { mode: "edits" }, "allow"],
  ["grep", { pattern: "a", path: "Shot 1 PM.png" }, {}, "ask"],
  ["grep", { pattern: "a", path: "Shot 2 PM.png" }, {}, "allow"],
] as const)("%s %j with %j: %s", (name, args, permission, expected) => {
  expect(verdict(name, args, permission as Partial<Permission>)).toBe(expected);
});

test("keeps the order of writes to one file under every alias", () => {
  expect(touchOf(registeredTool("file_write"), { path: "src/a.ts" }, projectDir)).toEqual(
    touchOf(registeredTool("file_edit"), { file_path: "src/a.ts" }, projectDir),
  );
});

test("a write waits for the commands before it, which were judged by the files that were there", () => {
  const [write, other, command, search] = [
    touchOf(registeredTool("file_write"), { file_path: "src/--pre=sh" }, projectDir),
    touchOf(registeredTool("file_write"), { file_path: "src/x.txt" }, projectDir),
    touchOf(registeredTool("bash"), { command: "cd src && sleep 3 && rg foo *" }, projectDir),
    touchOf(registeredTool("glob"), { pattern: "*" }, projectDir),
  ] as const;
  expect([mustWait(write, command), mustWait(command, write)]).toEqual([true, true]);
  expect([mustWait(write, other), mustWait(write, search), mustWait(command, command)]).toEqual([false, false, false]);
});

test("prefers the parameter's own name, unless it is null", () => {
  const reading = { parameters: {}, aliases: { path: "file_path" } };
  expect(argumentsAsRead({ path: "a", file_path: "b" }, reading)).toEqual({ path: "a", file_path: "b" });
  expect(argumentsAsRead({ path: "a", file_path: null }, reading)).toEqual({ file_path: "a" });
  expect(argumentsAsRead({ path: null }, reading)).toEqual({ path: null });
  expect(argumentsAsRead(JSON.parse('{"__proto__":{"path":"a"}}'), reading)).not.toHaveProperty("file_path");
});

test("renames only aliases of the tool's own parameters", () => {
  const access = { kind: "read-file", path: "file_path" } as const;
  const own = (properties: object) => ({ parameters: JSON.parse(JSON.stringify({ properties })), ikigai: { access } });
  expect(aliasesOf(own({ file_path: {} }))).toEqual(argumentAliases["read-file"]);
  expect(aliasesOf(own({ file_path: {}, path: {} }))).not.toHaveProperty("path");
  expect(aliasesOf(own({ file: {} }))).toEqual({});
  expect(aliasesOf({ parameters: { properties: { file_path: {} } } })).toEqual({});
});
