// @module-tag sampled
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { tempDir } from "@ikigai/testing";
import { expect, test } from "vitest";
import { runBounded } from "./bounded-program.ts";
import { bin, cleanEnv, ikigai } from "./ikigai.ts";
import { openTerminal } from "./terminal.ts";

const greet = `#!/bin/sh
# @describe Greet "a person" */
# @option --name! Whom to greet
# @option --tag* Words
# @option --style[plain|loud] How
# @flag --dry-run Only say so
[ "$argc_name" != Eve ] || exit 3
echo "Hello $argc_name $argc_tag $argc_style $argc_dry_run"
`;
const json = (name: string, parameters: object, more: object = {}) => `#!/bin/sh
if [ "$1" = --schema ]; then echo '${JSON.stringify({ name, description: "Ask", parameters, ...more })}'; exit; fi
cat
`;
const nested = {
  type: "object",
  properties: {
    "a b": { type: ["integer", "null"] },
    list: { type: "array", items: { type: "object", properties: { n: { const: 1 } } } },
  },
  required: ["a b"],
};

const useOfTypes = `import { call, delete_, greet, nest, ToolError } from "./lib/tools.mjs";
const { output, exit_code: code } = await greet({ name: "Ada", tag: ["x", "y"], style: "loud", dry_run: true });
const text: string | undefined = output;
const exit: number | undefined = code;
await nest({ "a b": null, list: [{ n: 1 }] });
await delete_();
await call("greet", { name: "Bob" });
// @ts-expect-error
await greet({});
// @ts-expect-error
await greet({ name: "Ada", style: "other" });
// @ts-expect-error
await nest({ "a b": "x" });
export const failed: string = new ToolError("x", "y").code + text + exit;
`;

const useOfModule = `import { greet, nest, ToolError } from "./lib/tools.mjs";
console.log(JSON.stringify(await greet({ name: "Ada", tag: ["x", "y"], dry_run: true })));
console.log(JSON.stringify(await nest({ "a b": 1, list: [{ n: 1 }] })));
for (const args of [{}, { name: "Eve" }]) await greet(args).catch((error) => console.log(error instanceof ToolError, error.code));
`;

const useOfPython = `import json
from lib.tools import ToolError, greet, nest
print(json.dumps(greet(name="Ada", tag=["x", "y"], dry_run=True), separators=(",", ":")))
print(json.dumps(nest({"a b": 1, "list": [{"n": 1}]}), separators=(",", ":")))
for name in ["", "Eve"]:
    try:
        greet(name=name or None)
    except ToolError as error:
        print("true", error.code)
`;

test("the modules compile, and call the tools", async () => {
  const root = await tempDir({
    "home/.ikigai/tools/greet-tool": greet,
    "home/.ikigai/tools/nest-tool": json("nest", nested),
    "home/.ikigai/tools/delete-tool": json("delete", { type: "object", properties: {} }),
    "project/use.mts": useOfTypes,
    "project/use.mjs": useOfModule,
    "project/use.py": useOfPython,
    "bin/ikigai": { content: `#!/bin/sh\nexec ${process.execPath} ${bin} "$@"\n`, mode: 0o755 },
  });
  const [home, cwd] = [join(root, "home"), join(root, "project")];
  const own = await cleanEnv(home);
  const env = { ...own, HOME: home, PATH: `${join(root, "bin")}:${own.PATH}` };
  const { stdout } = await ikigai(["tool", "types", "--out", "lib", "--yes"], { cwd, env });
  expect(stdout).toMatch(
    /^Functions for \d+ tools: .*greet.*\n {2}lib\/tools\.mjs {2}new, \d+ lines\n.*\n {2}lib\/tools\.py {2}new, \d+ lines\nWrote them\.\n$/,
  );
  const tsc = new URL("../../../node_modules/.bin/tsc", import.meta.url).pathname;
  const options = ["--noEmit", "--strict", "--module", "nodenext", "--target", "es2022", "--types", ""];
  expect(await runBounded(tsc, [...options, "use.mts"], { cwd, env })).toBe("");
  const printed = [
    '{"output":"Hello Ada x\\ny  1"}',
    '{"a b":1,"list":[{"n":1}]}',
    "true INVALID_PARAMS",
    "true TOOL_CRASHED",
  ];
  expect((await runBounded(process.execPath, ["use.mjs"], { cwd, env })).trimEnd().split("\n")).toEqual(printed);
  if (["/usr/bin/python3", "/usr/local/bin/python3"].some((path) => existsSync(path)))
    expect((await runBounded("python3", ["use.py"], { cwd, env })).trimEnd().split("\n")).toEqual(printed);
});

test("replaces its own files only", async () => {
  const cwd = await tempDir({ "tools.py": "print('mine')\n" });
  const end = await ikigai(["tool", "types"], { cwd });
  expect(end).toMatchObject({ exitCode: 1, stderr: expect.stringContaining("tools.py exists and is not from ikigai") });
  expect(existsSync(join(cwd, "tools.mjs"))).toBe(false);
  writeFileSync(join(cwd, "tools.py"), "# Written by ikigai tool types.\n");
  const unasked = await ikigai(["tool", "types"], { cwd });
  expect([unasked.exitCode, unasked.stdout]).toEqual([2, expect.stringContaining("  tools.py  replaced, ")]);
  expect(unasked.stderr).toContain("pass --yes to confirm.");
  expect(existsSync(join(cwd, "tools.mjs"))).toBe(false);
  expect((await ikigai(["tool", "types", "--yes"], { cwd })).exitCode).toBe(0);
  expect(readFileSync(join(cwd, "tools.py"), "utf8")).toContain("def file_read(");
  const again = await ikigai(["tool", "types"], { cwd });
  expect([again.exitCode, again.stdout]).toEqual([0, expect.stringMatching(/(?:.*unchanged.*\n){3}$/)]);
});

test("writes after a yes", async () => {
  const cwd = await tempDir();
  const env = { HOME: await tempDir() };
  for (const [answer, isWritten] of [
    ["n", false],
    ["y", true],
  ] as const) {
    const terminal = await openTerminal(["tool", "types"], { cwd, env });
    await terminal.waitFor("Write them? y/N");
    terminal.type(`${answer}\r`);
    expect(await terminal.exitCode).toBe(isWritten ? 0 : 1);
    expect(existsSync(join(cwd, "tools.py"))).toBe(isWritten);
  }
});
