// @module-tag sampled
import { chmodSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { tempDir } from "@ikigai/testing";
import { expect, test } from "vitest";
import { ikigai } from "./ikigai.ts";

test.each([
  [
    ["tool", "call", "bash", ""],
    "Expected the arguments to be a JSON object, got an empty text. Without any: ikigai tool call bash",
  ],
  [["tool", "call", "bash"], "bash needs arguments: ikigai tool call bash command=TEXT"],
  [["help", "nonsense"], "\nTry: ikigai help\n"],
])("says what to type instead of ikigai %j", async (args, expected) => {
  const { exitCode, stdout, stderr } = await ikigai(args);
  expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: "" });
  expect(stderr).toContain(expected);
});

test("tool check suggests a name for one that no tool has", async () => {
  const [none, near] = [await ikigai(["tool", "check", "nope"]), await ikigai(["tool", "check", "bassh"])];
  expect(none).toEqual({ exitCode: 1, stdout: "", stderr: 'ikigai: No file or tool "nope". See: ikigai tool list\n' });
  expect(near).toMatchObject({ exitCode: 1, stderr: expect.stringContaining("Did you mean bash?") });
});

test.each(["remove", "update"])("tool %s suggests the name of an added tool", async (verb) => {
  const schema = { name: "hello", description: "Greets.", parameters: { type: "object", properties: {} } };
  const cwd = await tempDir({ "hello-tool": `#!/bin/sh\necho '${JSON.stringify(schema)}'\n` });
  chmodSync(join(cwd, "hello-tool"), 0o755);
  const [options, other] = [{ cwd, env: { HOME: await tempDir() } }, "some_other_name"];
  expect((await ikigai(["tool", "add", "./hello-tool", "--yes"], options)).exitCode).toBe(0);
  expect((await ikigai(["tool", verb, "helo", "--yes"], options)).stderr).toMatch(/"helo".* Did you mean hello\?\n$/);
  expect((await ikigai(["tool", verb, other, "--yes"], options)).stderr).toMatch(/ See: ikigai tool list\n$/);
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
