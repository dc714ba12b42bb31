// Promise 7 of SECURITY.md.
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { tempDir } from "@ikigai/testing";
import { expect, test } from "vitest";
import { withoutSecrets } from "../src/turn/without-secrets.ts";

const key = "sk/very+secret";
const secret = createHash("sha512").update("a key").digest("base64url");

async function cleaned(bytes: Buffer): Promise<Buffer> {
  const overflowFile = `${await tempDir({ a: "" })}/a`;
  writeFileSync(overflowFile, bytes);
  await withoutSecrets(outcomeOf(overflowFile), [key, secret]);
  return readFileSync(overflowFile);
}

function outcomeOf(overflowFile: string) {
  const error = `Tool 'ta' crashed; the whole answer is in ${overflowFile}`;
  const envelope = {
    tool_success: false,
    error,
    error_code: "TOOL_CRASHED",
    exit_code: 3,
    stdout: "",
    stderr: "",
  } as const;
  return { envelope, json: JSON.stringify(envelope), durationMs: 1, notes: [`See ${overflowFile}`], overflowFile };
}

test.each([
  ["an answer", '{"output":"\u00e9 sk\\/very+secret \\u00e9"}', '{"output":"\u00e9 [key removed] \\u00e9"}'],
  ["half an answer", `"} ${key} {"output":"sk\\x ${key}`, '"} [key removed] {"output":"sk\\x [key removed]'],
])("cleans %s in the file of a long result", async (_, text, clean) => {
  for (const encoding of ["latin1", "utf8"] as const)
    expect((await cleaned(Buffer.from(text, encoding))).toString(encoding)).toBe(clean);
});

test("finds a key on the border of two pieces, and each of many", async () => {
  for (const before of [1_048_576 - 40, 1_048_576, 3 * 1_048_576 - 1]) {
    const [text, more] = ["x".repeat(before), "é".repeat(600_000)];
    const file = await cleaned(Buffer.from(`${text}${secret}${more}${key}${key}`));
    expect(`${file}` === `${text}[key removed]${more}[key removed][key removed]`).toBe(true);
  }
});

test("keeps every byte of a file that has no key", async () => {
  const bytes = Buffer.from([...Array(256).keys(), ...Buffer.from("\ufeff“\u200b")]);
  expect((await cleaned(bytes)).equals(bytes)).toBe(true);
});

test("removes a file that cannot be cleaned, and says so", async () => {
  const directory = await tempDir();
  const overflowFile = `${directory}/a`;
  // It cannot be read as a file.
  mkdirSync(overflowFile);
  const { json, envelope, notes, ...rest } = await withoutSecrets(outcomeOf(overflowFile), [secret]);
  expect(rest).toEqual({ durationMs: 1 });
  const why = "a file that could not be removed, because ikigai could not remove keys from it: ";
  expect(JSON.parse(json)).toEqual(envelope);
  expect(envelope).toMatchObject({ error: expect.stringContaining(`the whole answer is in ${why}`) });
  expect(notes).toEqual([expect.stringContaining(`See ${why}`)]);
});

test("removes a file that cannot be replaced", async () => {
  const directory = await tempDir({ a: secret });
  const overflowFile = `${directory}/a`;
  mkdirSync(`${overflowFile}.clean`);
  const { json, overflowFile: left } = await withoutSecrets(outcomeOf(overflowFile), [secret]);
  expect(json).toContain("a file that was removed, because ikigai could not remove keys from it: ");
  expect([left, existsSync(overflowFile)]).toEqual([undefined, false]);
});

test("lets other work run while it cleans a file of many strings", async () => {
  const overflowFile = `${await tempDir({ a: `["\\n",${'"abcdef",'.repeat(4_000_000)}"z"]` })}/a`;
  const times = [performance.now()];
  const tick = () => times.push(performance.now());
  const timer = setInterval(tick, 1);
  await withoutSecrets(outcomeOf(overflowFile), [secret]);
  clearInterval(timer);
  tick();
  const longest = Math.max(...times.slice(1).map((time, i) => time - (times[i] ?? 0)));
  expect(longest).toBeLessThan(((times.at(-1) ?? 0) - (times[0] ?? 0)) / 2);
});
