import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { tempDir } from "@ikigai/testing";
import { expect, test } from "vitest";
import { ikigai } from "./ikigai.ts";

test.each([
  [["tool", "check", "nope"], 'No file or tool "nope". See: ikigai tool list'],
  [["tool", "check", "bassh"], "Did you mean bash?"],
  [["tool", "call", "bash"], `bash needs arguments: ikigai tool call bash '{"command":"…"}'`],
  [["help", "nonsense"], "\nTry: ikigai help\n"],
])("says what to type instead of ikigai %j", async (args, expected) => {
  const { exitCode, stdout, stderr } = await ikigai(args);
  expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: "" });
  expect(stderr).toContain(expected);
});

test("help topics lists the topics", async () => {
  const [topics, plain] = [await ikigai(["help", "topics"]), await ikigai(["help"])];
  expect(topics).toEqual(plain);
  expect(topics.stdout).toContain("Usage: ikigai help TOPIC");
});

const limitBytes = 10 * 1_048_576;

test.each([
  [limitBytes, 1, "I do not understand"],
  [limitBytes + 1, 2, `Expected at most ${limitBytes} bytes on stdin, got more.`],
])("%d piped bytes give exit code %d", async (bytes, exitCode, words) => {
  const end = await ikigai(["-p", "--model", "offline"], { stdin: Buffer.alloc(bytes, "x") });
  expect(end.exitCode).toBe(exitCode);
  expect(end.stderr).toContain(words);
});

test("the package declares its operating systems", () => {
  const manifest = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8"));
  expect(manifest.os).toEqual(["linux", "darwin"]);
});

test("tool new --dir makes directories like any other program", async () => {
  const cwd = await tempDir();
  const { exitCode } = await ikigai(["tool", "new", "x", "--lang", "bash", "--dir", "tools"], { cwd });
  const wanted = 0o777 & ~process.umask();
  expect({ exitCode, mode: statSync(join(cwd, "tools")).mode & 0o777 }).toEqual({ exitCode: 0, mode: wanted });
});
