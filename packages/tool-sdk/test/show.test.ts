import { execFileSync, spawn } from "node:child_process";
import { join } from "node:path";
import type { Duplex } from "node:stream";
import { text as textOf } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { call } from "@ikigai/testing";
import { beforeAll, expect, test } from "vitest";

const folder = fileURLToPath(new URL("./fixtures/sample-tool", import.meta.url));
const bin = join(folder, "dist/sample-tool");
const args = { text: "x", draw: true };
const table = { type: "table", columns: ["text"], rows: [["x"]], alt: "A table" };

beforeAll(() => {
  execFileSync("node", ["../../../build/build-tool.mjs"], { cwd: folder, stdio: "inherit" });
});

/** Calls the tool under a host that replies with this. */
async function showing(reply: object) {
  const env = { ...process.env, IKIGAI_HOST_METHODS: "ask show" };
  const child = spawn(bin, [], { env, stdio: ["pipe", "pipe", "pipe", "pipe"] });
  const socket = child.stdio[3] as Duplex;
  const requests: unknown[] = [];
  socket.on("data", (chunk: Buffer) => {
    requests.push(JSON.parse(String(chunk)));
    socket.write(`${JSON.stringify({ id: 1, ...reply })}\n`);
  });
  child.stdin.end(JSON.stringify(args));
  return { result: JSON.parse(await textOf(child.stdout)), requests };
}

test("an answer has its visuals, although no schema names them", async () => {
  const { result } = await call(bin, args);
  expect(result).toEqual({ output: "false", count: 0, visual: [table] });
  expect((await call(bin, { ...args, other: 1 })).result).toEqual({ ...result, ignored: ["other"] });
});

test("an answer that is too long loses them before its limit", async () => {
  const env = { IKIGAI_MAX_OUTPUT_BYTES: "60" };
  const { stdout } = await call(bin, args, { env });
  expect(stdout.length).toBeLessThanOrEqual(61);
  expect(JSON.parse(stdout)).toEqual({ output: "false", count: 0, truncated: true });
});

test("shows something at once, and says whether it was drawn", async () => {
  const request = { id: 1, method: "show", params: { visual: table } };
  expect(await showing({ result: { shown: true } })).toMatchObject({ result: { output: "true" }, requests: [request] });
  expect(await showing({ result: { shown: false, reason: "why" } })).toMatchObject({ result: { output: "false" } });
  const error = { code: "INVALID_REQUEST", message: "Why." };
  expect((await showing({ error })).result).toEqual({ error: "Why.", error_code: "INVALID_REQUEST" });
});
