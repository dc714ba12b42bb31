import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { tellingLine } from "../src/index.ts";

test.each([
  ["Traceback (most recent call last):\n  File \"a\", line 1\nKeyError: 'MY_API_KEY'\n", "KeyError: 'MY_API_KEY'"],
  [
    "file:///a.mjs:1\nx();\n^\n\nTypeError: x is not a function\n    at file:///a.mjs:1\n\nNode.js v20\n",
    "TypeError: x is not a function",
  ],
  ["panic: out of range\n\ngoroutine 1 [running]:\nmain.main()\n\t/a.go:3 +0x2\n", "panic: out of range"],
  [
    "panic: out of range\n\ngoroutine 1 [running]:\nmain.main()\n\t/a.go:3 +0x2\nexit status 2\n",
    "panic: out of range",
  ],
  [
    "Error: Cannot find module 'x'\nRequire stack:\n- /a.js\n    at f {\n  code: 'E'\n}\n\nNode.js v20\n",
    "Error: Cannot find module 'x'",
  ],
  ["thread 'main' panicked at a.rs:1:2:\nboom\nnote: run with `RUST_BACKTRACE=1`\n", "boom"],
  [
    "pydantic.ValidationError: 1 error\napi_key\n  Field required\n    See https://x\n",
    "pydantic.ValidationError: 1 error",
  ],
  ["a.rb:1:in `f': boom (RuntimeError)\n\tfrom a.rb:2:in `<main>'\n", "a.rb:1:in `f': boom (RuntimeError)"],
  ["KeyError: 1\n\nDuring handling, another occurred:\n\nTypeError: 2\n", "TypeError: 2"],
  ["", ""],
  ["\n  \n", ""],
  ["    only indented\n", "only indented"],
  ["Node.js v20.1.0\n", "Node.js v20.1.0"],
])("of %j, the line that says why is %j", (text, line) => {
  expect(tellingLine(text)).toBe(line);
  expect(tellingLine(text, "last")).toBe(line);
});

test.each([
  ["\n\nno key is set\nsee the README\n", "no key is set", "see the README"],
  ["Error: retrying\nlistening\nfatal: no space left\n", "Error: retrying", "fatal: no space left"],
  ["a 10%\ra 90%\rdied", "a 10%", "died"],
])("without a stack trace at its end, %j has a first and a last line", (text, first, last) => {
  expect(tellingLine(text)).toBe(first);
  expect(tellingLine(text, "last")).toBe(last);
});

test.each([
  ["node", ["-e", 'throw new RangeError("no such port")'], "RangeError: no such port"],
  ["node", ["-e", 'throw "no such port"'], "no such port"],
  ["node", ["/no-such-file.js"], "Error: Cannot find module '/no-such-file.js'"],
  ["node", ["-e", 'Promise.reject(new Error("late"))'], "Error: late"],
  ["sh", ["-c", "echo starting >&2; echo no such port >&2; exit 1"], "no such port"],
])("%s %j fails with %j", (program, args, line) => {
  expect(tellingLine(spawnSync(program, args).stderr.toString(), "last")).toBe(line);
});

const hasGo = spawnSync("go", ["version"]).status === 0;

test.skipIf(!hasGo)("a Go program fails with its panic [go]", () => {
  const dir = mkdtempSync(join(tmpdir(), "telling-line-"));
  try {
    writeFileSync(join(dir, "a.go"), 'package main\n\nfunc main() { panic("no such port") }\n');
    const { stderr } = spawnSync("go", ["run", join(dir, "a.go")], {
      env: { ...process.env, GOCACHE: dir, HOME: dir },
    });
    expect(tellingLine(stderr.toString(), "last")).toBe("panic: no such port");
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
});
