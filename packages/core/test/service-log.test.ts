import { chmodSync, existsSync, mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { tempDir } from "@ikigai/testing";
import { expect, test } from "vitest";
import { ServiceLog } from "../src/workers/service/log.ts";
import { whyStopped } from "../src/workers/service/replies.ts";
import { serviceStage } from "./service-stage.ts";

const mode = (path: string) => (statSync(path).mode & 0o777).toString(8);

test("writes what a service says to a log that only the user can read", async () => {
  const { answer, call, log, home } = await serviceStage();
  const { pid } = await answer({ mode: "log", text: "one\ntwo\n" }).then(() => answer());
  await call({ mode: "crash" });
  const lines = log().split("\n");
  expect(lines.filter((line) => !line.startsWith("---"))).toEqual(
    expect.arrayContaining(["starting", "one", "two", "\x1b[31mit is broken\x1b[0m"]),
  );
  expect(lines[0]).toMatch(new RegExp(`^--- [-\\d]+T[:.\\d]+Z process ${pid} started$`));
  expect(log()).toContain(`process ${pid} ended, exit code 3`);
  expect([mode(join(home, "logs")), mode(join(home, "logs/service-counting.log"))]).toEqual(["700", "600"]);
});

test.each([
  ["Error: no port\n    at f (a.js:1:2)\n\nNode.js v20\n", "Error: no port"],
  [`Error: no port\n${"\tat f\n".repeat(2_000)}`, "Error: no port"],
  ["Error: retrying\nout of \x1b[31mcheese\x1b[0m\n\n", "out of cheese"],
  [`${"x".repeat(301)}\n`, `${"x".repeat(300)}…`],
  [`${"x".repeat(300)}\n`, "x".repeat(300)],
  ["\n", ""],
])("of %j, a message quotes %j", (text, reason) => {
  const log = new ServiceLog(undefined);
  log.add(Buffer.from(text));
  expect(log.since(0).reason).toBe(reason);
  expect(Buffer.byteLength(log.since(0).end)).toBeLessThanOrEqual(2_048);
});

test("quotes for a call only what was printed since", () => {
  const log = new ServiceLog(undefined);
  log.add(Buffer.from("Error: an earlier call\n"));
  const before = log.length;
  expect(log.since(before)).toEqual({ end: "", reason: "", path: undefined });
  log.add(Buffer.from("Error: this call\n"));
  expect(log.since(before)).toEqual({ end: "Error: this call\n", reason: "Error: this call", path: undefined });
  // More than is kept.
  log.add(Buffer.from("x\n".repeat(20_000)));
  expect(Buffer.byteLength(log.since(before).end)).toBeLessThanOrEqual(2_048);
});

test.each([
  [200, `"${"x".repeat(200)}"`],
  [201, `"${"x".repeat(200)}"…`],
])("quotes up to 200 characters of a line that ends a service: %i", (length, quoted) => {
  const line = Buffer.from("x".repeat(length));
  expect(whyStopped("strayed", line)).toBe(`it printed ${quoted}, which is not a reply to a call`);
});

test("keeps the last mebibyte", async () => {
  const { answer, home } = await serviceStage();
  const path = join(home, "logs/service-counting.log");
  const line = `${"x".repeat(99)}\n`;
  for (let time = 1; time <= 4; time++) {
    await answer({ mode: "log", text: `${line.repeat(6_000)}end ${time}\n` });
    expect(statSync(path).size).toBeLessThanOrEqual(1_048_576);
  }
  const kept = readFileSync(path, "utf8");
  expect(kept.length).toBeGreaterThan(700_000);
  expect(kept.startsWith(line)).toBe(true);
  expect(kept.endsWith(`${line}end 4\n`)).toBe(true);
});

test("a log of one mebibyte is kept, and one byte more shortens it", async () => {
  const path = join(await tempDir(), "logs/service-counting.log");
  const log = new ServiceLog(path);
  for (const bytes of [1_048_570, 6]) log.add(Buffer.alloc(bytes, "x\n"));
  expect(statSync(path).size).toBe(1_048_576);
  log.close();
  const longer = new ServiceLog(path);
  longer.add(Buffer.from("\n"));
  longer.close();
  // The kept part less its first line, which may have been cut, and the new line.
  expect(statSync(path).size).toBe(786_432 - 2 + 1);
});

test("makes an old log private, and keeps writing to it", async () => {
  const { answer, home, log } = await serviceStage();
  mkdirSync(join(home, "logs"), { recursive: true });
  const path = join(home, "logs/service-counting.log");
  writeFileSync(path, "old\n");
  chmodSync(path, 0o644);
  await answer();
  expect(mode(path)).toBe("600");
  expect(log()).toMatch(/^old\n--- /);
});

test("writes no log through a link, and names none", async () => {
  const { answer, call, home, spares } = await serviceStage();
  mkdirSync(join(home, "logs"), { recursive: true });
  symlinkSync(join(home, "elsewhere"), join(home, "logs/service-counting.log"));
  await answer();
  expect(existsSync(join(home, "elsewhere"))).toBe(false);
  expect(spares.services.list()[0]).not.toHaveProperty("log");
  const { envelope } = await call({ mode: "crash" });
  expect(envelope).toMatchObject({ error_code: "SERVICE_DIED", error: expect.not.stringContaining("its log is") });
});
