import { join } from "node:path";
import { tempDir } from "@ikigai/testing";
import { describe, expect, test } from "vitest";
import { decide, type Permission, type Verdict } from "../src/index.ts";
import { registeredTool } from "./registered-tool.ts";

const tree = await tempDir({
  "proj/a.ts": "",
  "proj/src/b.ts": "",
  "proj/.git/config": "",
  "proj/out": { link: "../elsewhere" },
  "elsewhere/key": "",
  "other/.env": "",
  "other/src/c.ts": "",
  "other/.git/config": "",
  "home/config.json": "{}",
});
const projectDir = join(tree, "proj");

interface Case extends Partial<Permission> {
  readonly scope?: "system" | "user" | "project";
  readonly annotations?: object;
}

function verdict(name: string, args: object, { scope = "system", annotations, ...permission }: Case): Verdict {
  const call = { id: "c", name, arguments: JSON.stringify(args) };
  const whole: Permission = { mode: "ask", rules: [], projectDir, home: join(tree, "home"), ...permission };
  return decide(call, registeredTool(name, scope, annotations), whole).verdict;
}

describe("in mode edits", () => {
  const mode = "edits";

  test.each(["file_write", "file_edit"])("allows the system's %s to change the project", (name) => {
    expect(verdict(name, { file_path: "a.ts" }, { mode })).toBe("allow");
    expect(verdict(name, { file_path: "new/b.ts" }, { mode })).toBe("allow");
  });

  test.each([
    ["a file outside", "file_write", { file_path: "../elsewhere/key" }, {}],
    ["a file outside, through a link", "file_edit", { file_path: "out/key" }, {}],
    ["a file that decides what runs", "file_write", { file_path: ".git/config" }, {}],
    ["a user's own file_write", "file_write", { file_path: "a.ts" }, { scope: "user" }],
    ["a command", "bash", { command: "touch a.ts" }, {}],
    ["a tool that says it only reads", "weather", {}, { scope: "user", annotations: { readOnlyHint: true } }],
  ] as const)("asks about %s", (_, name, args, options) => {
    expect(verdict(name, args, { mode, ...options })).toBe("ask");
  });

  test("checks rules first", () => {
    const rules = [{ verdict: "deny", rule: "file_write(a.ts)" } as const];
    expect(verdict("file_write", { file_path: "a.ts" }, { mode, rules })).toBe("deny");
  });
});

describe("in a directory that was added to the project", () => {
  const directories = [join(tree, "other")];
  const at = (path: string) => ({ file_path: join(tree, "other", path) });
  const rules: Permission["rules"] = [
    { verdict: "deny", rule: "path(.env)" },
    { verdict: "ask", rule: "file_write(src/*)" },
  ];

  test.each([
    ["reads", "file_read", at("src/c.ts"), {}, "allow"],
    ["searches", "grep", { pattern: "x", path: join(tree, "other"), glob: "**/*" }, {}, "allow"],
    ["runs commands that only read", "bash", { command: `cat ${tree}/other/src/c.ts` }, {}, "allow"],
    ["edits, in the mode edits,", "file_write", at("src/c.ts"), { mode: "edits" }, "allow"],
    ["asks about what decides what runs", "file_write", at(".git/config"), { mode: "allow" }, "ask"],
    ["applies rules about places", "file_read", at(".env"), { rules }, "deny"],
    ["applies relative rules", "file_write", at("src/c.ts"), { mode: "edits", rules }, "ask"],
  ] as const)("%s as in the project", (_, name, args, options, expected) => {
    expect(verdict(name, args, { directories, ...options })).toBe(expected);
  });

  test("asks without it", () => {
    for (const mode of ["ask", "edits"] as const) {
      expect(verdict("file_read", at("src/c.ts"), { mode })).toBe("ask");
      expect(verdict("file_write", at("src/c.ts"), { mode })).toBe("ask");
    }
  });
});

test("denies what a rule denies without a question, wherever it writes", () => {
  for (const mode of ["ask", "edits", "allow"] as const) {
    const rules = [{ verdict: "deny", rule: "file_write" } as const];
    expect(verdict("file_write", { file_path: ".git/config" }, { mode, rules })).toBe("deny");
  }
});

test("asks about a command that only reads if it has an argument that was not judged", () => {
  const command = "seq 100000000000";
  expect(verdict("bash", { command, background: false }, {})).toBe("allow");
  for (const background of [true, "true", 1, null]) {
    expect(verdict("bash", { command, background }, {})).toBe("ask");
    expect(verdict("bash", { command, background }, { mode: "plan" })).toBe("deny");
    const rules = [{ verdict: "allow", rule: "bash(date *)" } as const];
    expect(verdict("bash", { command: `date +%s; ${command}`, background }, { rules })).toBe("ask");
  }
});

describe("in plan mode", () => {
  const mode = "plan";

  test("allows reading the project, and asks about reading elsewhere", () => {
    expect(verdict("file_read", { file_path: "a.ts" }, { mode })).toBe("allow");
    expect(verdict("grep", { pattern: "x", path: "src" }, { mode })).toBe("allow");
    expect(verdict("file_read", { file_path: "../elsewhere/key" }, { mode })).toBe("ask");
  });

  test("changes nothing, whatever rules allow", () => {
    const rules = [{ verdict: "allow", rule: "bash" } as const, { verdict: "allow", rule: "file_write" } as const];
    expect(verdict("bash", { command: "touch x" }, { mode, rules })).toBe("deny");
    expect(verdict("file_write", { file_path: "a.ts" }, { mode, rules })).toBe("deny");
    expect(verdict("file_read", { file_path: "a.ts" }, { mode, scope: "user" })).toBe("deny");
  });

  test("starts agents, which are in plan mode too, but not in a copy of the repository", () => {
    const schema = {
      name: "agent",
      description: "x",
      parameters: { type: "object" },
      ikigai: { agent: true },
    } as const;
    const agent = { ...registeredTool("agent"), schema, system: schema };
    const verdictOn = (args: object) => {
      const call = { id: "c", name: "agent", arguments: JSON.stringify({ task: "x", ...args }) };
      return decide(call, agent, { mode, rules: [{ verdict: "allow", rule: "agent" }], projectDir, home: tree })
        .verdict;
    };
    expect(verdictOn({})).toBe("allow");
    expect(verdictOn({ worktree: false })).toBe("allow");
    expect(verdictOn({ worktree: true })).toBe("deny");
  });

  test("asks about a user's tool that declares itself read-only, and does not run a project's", () => {
    const annotations = { readOnlyHint: true };
    expect(verdict("weather", {}, { mode, scope: "user", annotations })).toBe("ask");
    expect(verdict("weather", {}, { mode, scope: "project", annotations })).toBe("deny");
  });
});
