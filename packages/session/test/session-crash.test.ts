import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { tempDir } from "@ikigai/testing";
import { expect, inject, test } from "vitest";
import { resumeConversation } from "../src/open.ts";
import { canMount, sessionModule } from "./session-process.ts";

const module = await sessionModule();

test("kill -9 between any two events loses no written event", async () => {
  const script = `
    import { startConversation } from ${JSON.stringify(module)};
    const { log } = startConversation({ home: process.env.HOME, cwd: "/" });
    for (let n = 0; ; n++) { log.append({ type: "user", text: "x".repeat(n * 50) }); process.stdout.write(n + "\\n"); }`;
  for (let round = 0; round < 8; round++) {
    const home = await tempDir();
    const child = spawn(process.execPath, ["--input-type=module", "-e", script], {
      stdio: ["ignore", "pipe", "ignore"],
      env: { HOME: home },
    });
    let told = "";
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      told += text;
      if (told.split("\n").length > 5 + round * 3) child.kill("SIGKILL");
    });
    await once(child, "close");
    const latest = readdirSync(join(home, "sessions")).find((name) => name.endsWith(".jsonl")) ?? "";
    const { conversation, notices } = resumeConversation({ home, cwd: "/", id: latest.replace(".jsonl", "") });
    const lastTold = Number(told.trim().split("\n").at(-1));
    expect(conversation.messages.length).toBeGreaterThan(lastTold);
    expect(notices.filter((text) => !text.includes("was incomplete"))).toEqual([]);
    conversation.log.close();
  }
});

test.skipIf(!canMount())("reports what a full disk has lost, at once and when the session is resumed", async () => {
  const home = await tempDir();
  const script = join(home, "full.mjs");
  writeFileSync(
    script,
    `
    import { readFileSync, rmSync, writeFileSync } from "node:fs";
    import { resumeConversation, startConversation } from ${JSON.stringify(module)};
    const home = ${JSON.stringify(join(home, "disk"))};
    const { id, log } = startConversation({ home, cwd: "/" });
    log.append({ type: "user", text: "first" });
    writeFileSync(home + "/fill", Buffer.alloc(9 * 1048576));
    try { writeFileSync(home + "/fill2", Buffer.alloc(2 * 1048576)); } catch {}
    const problems = [];
    for (const text of ["second", "third", "fourth"]) {
      log.append({ type: "user", text: text + "y".repeat(2.5 * 1048576) });
      problems.push(log.problem);
    }
    rmSync(home + "/fill");
    log.append({ type: "user", text: "fifth" });
    const after = log.problem ?? null;
    log.close();
    const lines = readFileSync(log.path, "utf8").trimEnd().split("\\n").map((line) => JSON.parse(line));
    const { notices } = resumeConversation({ home, id, cwd: "/" });
    console.log(JSON.stringify({ problems, after, types: lines.map((line) => line.type), seqs: lines.map((line) => line.seq), notices }));`,
  );
  const mount = 'mkdir "$0" && mount -t tmpfs -o size=10m tmpfs "$0" && exec "$1" "$2"';
  const out = execFileSync("unshare", ["-rm", "sh", "-c", mount, join(home, "disk"), process.execPath, script], {
    encoding: "utf8",
  });
  const full = "This session is not being saved: the disk is full.";
  const lost = `${full} Part of it is lost: more events were waiting than ikigai keeps.`;
  expect(JSON.parse(out)).toEqual({
    // There was room for the line that reports it.
    problems: [full, lost, full],
    after: null,
    types: ["session", "user", "lost", "user", "user"],
    seqs: [0, 1, 4, 5, 6],
    notices: ["2 lines of the session are lost because they could not be written."],
  });
});

test.skipIf(!canMount())("reports a full disk once, and writes missed events when there is room", async () => {
  const home = await tempDir();
  const script = join(home, "full.mjs");
  writeFileSync(
    script,
    `
    import { readFileSync, rmSync, writeFileSync } from "node:fs";
    import { startConversation } from ${JSON.stringify(module)};
    const home = ${JSON.stringify(join(home, "disk"))};
    const { log } = startConversation({ home, cwd: "/" });
    log.append({ type: "user", text: "first" });
    try { writeFileSync(home + "/fill", Buffer.alloc(60 * 1024)); } catch {}
    try { writeFileSync(home + "/fill2", Buffer.alloc(60 * 1024)); } catch {}
    log.append({ type: "user", text: "y".repeat(8000) });
    const problem = log.problem;
    log.append({ type: "user", text: "third" });
    rmSync(home + "/fill");
    log.append({ type: "user", text: "fourth" });
    const lines = readFileSync(log.path, "utf8").trimEnd().split("\\n").map((line) => JSON.parse(line));
    console.log(JSON.stringify({ problem, after: log.problem ?? null, seqs: lines.map((line) => line.seq), last: lines.at(-1).text }));`,
  );
  const mount = 'mkdir "$0" && mount -t tmpfs -o size=64k tmpfs "$0" && exec "$1" "$2"';
  const out = execFileSync("unshare", ["-rm", "sh", "-c", mount, join(home, "disk"), process.execPath, script], {
    encoding: "utf8",
  });
  expect(JSON.parse(out)).toEqual({
    problem: "This session is not being saved: the disk is full.",
    after: null,
    seqs: [0, 1, 2, 3, 4],
    last: "fourth",
  });
});

/** The size of a long log, in MB, and the processor time that reading it may take; the targets are a third of that. */
const [megabytes, maxSeconds] = inject("isThorough") ? [200, 6] : [50, 2];

test(`reads a log of ${megabytes} MB in less than ${maxSeconds} seconds of processor time`, async () => {
  const home = await tempDir({ "sessions/": "" });
  const path = join(home, "sessions", "big.jsonl");
  const result = (id: string) =>
    JSON.stringify({
      seq: 1,
      time: "",
      type: "tool_result",
      id,
      name: "bash",
      json: JSON.stringify({ tool_success: true, result: { output: "z\n".repeat(30_000) } }),
      durationMs: 1,
    });
  const lines = [JSON.stringify({ seq: 0, time: "", type: "session", version: 1, id: "big", cwd: "/" })];
  lines.push(JSON.stringify({ seq: 1, time: "", type: "user", text: "go" }));
  const results = 8 * megabytes;
  for (let n = 0; n < results; n++) {
    lines.push(JSON.stringify({ seq: 1, time: "", type: "tool_call", id: `c${n}`, name: "bash", arguments: "{}" }));
    lines.push(
      JSON.stringify({ seq: 1, time: "", type: "step_end", model: "m", finish: "tool_calls", usage: {} }),
      result(`c${n}`),
    );
  }
  writeFileSync(path, `${lines.join("\n")}\n`);
  expect(readFileSync(path).length).toBeGreaterThan(0.9e6 * megabytes);
  const before = process.cpuUsage();
  const { conversation } = resumeConversation({ home, cwd: "/", id: "big" });
  expect(conversation.messages).toHaveLength(2 * results + 1);
  // Other work on the machine is not counted, but affects the caches.
  const { user, system } = process.cpuUsage(before);
  expect((user + system) / 1_000).toBeLessThan(1_000 * maxSeconds);
}, 180_000);
