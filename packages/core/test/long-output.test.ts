import { readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { tempDir } from "@ikigai/testing";
import fc from "fast-check";
import { expect, test } from "vitest";
import type { CallOptions } from "../src/call/options.ts";
import { callTool, type Outcome } from "../src/index.ts";
import { runHost } from "./host.ts";
import { circumstances, fixtures } from "./world.ts";

const registry = await fixtures();
const limit = 65_536;

async function callPrinting(text: string | Uint8Array, options: Partial<CallOptions> = {}): Promise<Outcome> {
  const dir = await tempDir({ answer: text });
  const env = { ...process.env, PRINT_FILE: join(dir, "answer") };
  return callTool(registry, "print", "{}", await circumstances({ env, ...options }));
}

function resultOf({ envelope }: Outcome): Record<string, unknown> {
  if (!envelope.tool_success) throw new Error(envelope.error);
  return envelope.result;
}

/** The size of the tool's answer as the model gets it. */
function sizeOf({ json }: Outcome): number {
  return Buffer.byteLength(json) - '{"tool_success":true,"result":}'.length;
}

function padded(bytes: number): string {
  const text = JSON.stringify({ output: "", count: 1 });
  return text.replace('""', `"${"a".repeat(bytes - text.length)}"`);
}

test("shows an answer of exactly the limit whole, and cuts one with a byte more", async () => {
  const fitting = await callPrinting(padded(limit));
  expect(fitting.json).toBe(`{"tool_success":true,"result":${padded(limit)}}`);
  expect(fitting.overflowFile).toBeUndefined();

  const cut = await callPrinting(padded(limit + 1));
  const { output, count } = resultOf(cut);
  const [, kept, leftOut, file] =
    /^(a+)\n… (\d+) bytes left out; the whole answer is in (.+)$/.exec(String(output)) ?? [];
  expect(count).toBe(1);
  expect(file).toBe(cut.overflowFile);
  expect(Number(leftOut) + String(kept).length).toBe(limit + 1 - JSON.stringify({ output: "", count: 1 }).length);
  expect(sizeOf(cut)).toBeLessThanOrEqual(limit);
  expect(sizeOf(cut)).toBeGreaterThan(limit - 200);
  expect(cut.notes).toEqual([`${leftOut} bytes of its answer were left out; the whole answer is in ${file}`]);
});

test("keeps the whole answer in a file that only the user can read", async () => {
  const options = await circumstances();
  const dir = await tempDir({ answer: padded(200_000) });
  const env = { ...process.env, PRINT_FILE: join(dir, "answer") };
  const { overflowFile = "" } = await callTool(registry, "print", "{}", { ...options, env, callId: "../../e/vil" });
  expect(overflowFile.startsWith(join(options.overflowDir ?? "", "output-evil-"))).toBe(true);
  expect(readFileSync(overflowFile, "utf8")).toBe(padded(200_000));
  expect(statSync(overflowFile).mode & 0o777).toBe(0o600);
  expect(statSync(options.overflowDir ?? "").mode & 0o777).toBe(0o700);
});

test("accepts white space beyond the limit", async () => {
  const outcome = await callPrinting(`{"a":1}${" ".repeat(100_000)}\n`);
  expect(outcome).toMatchObject({ envelope: { tool_success: true, result: { a: 1 } }, notes: [] });
  expect(outcome.overflowFile).toBeUndefined();
});

test("cuts the longest strings first, and only strings", async () => {
  const answer = {
    short: "s".repeat(3_000),
    long: "l".repeat(80_000),
    numbers: Array(500).fill(123),
    middle: "m".repeat(9_000),
  };
  const outcome = await callPrinting(JSON.stringify(answer));
  const result = resultOf(outcome);
  expect(result).toEqual({ ...answer, long: expect.stringMatching(/^l{40000,}\n… \d+ bytes left out/) });
  const both = resultOf(await callPrinting(JSON.stringify({ a: "a".repeat(90_000), b: ["b".repeat(70_000)], c: "c" })));
  const [a, [b]] = [String(both.a), both.b as [string]];
  expect(a.indexOf("\n")).toBe(b.indexOf("\n"));
  expect(both.c).toBe("c");
});

test("keeps what parsing and serializing would lose in an answer that is cut", async () => {
  const head = '{"big":98765432109876543210,"huge":1e400,"a":1,"a":2,"__proto__":{"x":1},"text":"';
  const { json } = await callPrinting(`${head}${"é".repeat(60_000)}"}`);
  expect(json.startsWith(`{"tool_success":true,"result":${head}é`)).toBe(true);
  expect({}).not.toHaveProperty("x");
});

test("never cuts inside a character, an escape or a surrogate pair", async () => {
  const pieces = ["a", "é", "€", "😀", "\\n", '\\"', "\\\\", "\\u0000", "\\ud83d\\ude00", "\\u20ac"];
  await fc.assert(
    fc.asyncProperty(fc.array(fc.constantFrom(...pieces), { minLength: 700, maxLength: 900 }), async (parts) => {
      const raw = parts.join("");
      const outcome = await callPrinting(`{"t":"${raw}"}`, { maxOutputBytes: 600 });
      const text = String(resultOf(outcome).t);
      const kept = text.slice(0, text.lastIndexOf("\n… "));
      const whole = String(JSON.parse(`"${raw}"`));
      expect(whole.startsWith(kept)).toBe(true);
      expect(whole.slice(kept.length)).not.toMatch(/^[\udc00-\udfff]/);
      expect(sizeOf(outcome)).toBeLessThanOrEqual(600);
    }),
    { numRuns: 30 },
  );
});

test.each([
  ["numbers", (index: number) => index],
  ["short strings", (index: number) => `line ${index}`],
])("reports an answer of many %s, says where it is and what to do", async (_, value) => {
  const text = JSON.stringify({ values: Array.from({ length: 20_000 }, (_, index) => value(index)) });
  const { envelope, overflowFile } = await callPrinting(text);
  expect(envelope).toMatchObject({
    tool_success: false,
    error_code: "OUTPUT_TOO_LARGE",
    error: `Tool 'print' printed ${text.length} bytes (limit 65536) and has no long strings to cut; the whole answer is in ${overflowFile}. Read it there in parts, or ask the tool for less.`,
    exit_code: 0,
  });
  expect(readFileSync(overflowFile ?? "", "utf8")).toBe(text);
});

test.each([
  ["is not JSON", `{"a":"${"x".repeat(100_000)}"`, "the text ends early at byte 100007"],
  ["has a second value", `{"a":"${"x".repeat(100_000)}"} {}`, "more text after the value at byte 100009"],
  ["is not an object", JSON.stringify(["x".repeat(100_000)]), "expected an object, got an array"],
])("rejects a long text as an answer if it %s", async (_, text, problem) => {
  const { envelope } = await callPrinting(text);
  expect(envelope).toMatchObject({
    error_code: "INVALID_OUTPUT",
    error: `Tool 'print' returned invalid JSON: ${problem}`,
  });
});

test("rejects a long text as an answer if it is not UTF-8", async () => {
  const text = Buffer.concat([Buffer.from(`{"a":"${"x".repeat(100_000)}`), Buffer.from([0xff]), Buffer.from('"}')]);
  expect((await callPrinting(text)).envelope).toMatchObject({
    error_code: "INVALID_OUTPUT",
    error: "Tool 'print' returned invalid JSON: it is not UTF-8",
  });
});

test("shows both ends of a failed tool's output, in two kilobytes of whole characters", async () => {
  const { envelope } = await callPrinting(`start ${"€".repeat(40_000)} end`);
  const stdout = envelope.tool_success ? "" : envelope.stdout;
  expect(stdout).toMatch(/^start €+\n… \d+ bytes left out …\n€+ end$/);
  expect(Buffer.byteLength(stdout)).toBeLessThanOrEqual(2_048);
  expect(Buffer.byteLength(stdout)).toBeGreaterThan(1_900);
});

test("reports an answer that could not be saved, and the system's reason", async () => {
  const dir = await tempDir();
  writeFileSync(join(dir, "file"), "");
  const { envelope, overflowFile } = await callPrinting(padded(100_000), { overflowDir: join(dir, "file", "out") });
  expect(envelope).toMatchObject({
    error_code: "OUTPUT_TOO_LARGE",
    error: "Tool 'print' printed more than 65536 bytes (100000), and the rest could not be saved: not a directory",
  });
  expect(overflowFile).toBeUndefined();
});

test("removes the beginning of an answer that could not be saved completely", async () => {
  const dir = await tempDir({ answer: padded(1_000_000) });
  const code = `
    const env = { ...process.env, PRINT_FILE: ${JSON.stringify(join(dir, "answer"))} };
    const { envelope, overflowFile } = await call("print", "{}", { env });
    const { readdirSync } = await import("node:fs");
    print({ error: envelope.error, overflowFile, left: readdirSync(home + "/out") });
  `;
  // Limits files to 500 blocks of 512 or 1,024 bytes.
  expect(await runHost(code, { before: "ulimit -f 500;" })).toEqual({
    error: expect.stringMatching(
      /^Tool 'print' printed more than 65536 bytes \(1000000\), and the rest could not be saved: /,
    ),
    left: [],
  });
});
