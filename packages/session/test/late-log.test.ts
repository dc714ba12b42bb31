import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { tempDir } from "@ikigai/testing";
import { expect, test } from "vitest";
import { canMount, sessionModule } from "./session-process.ts";

const module = await sessionModule();

test.skipIf(!canMount())(
  "completes a session that began on a full disk once there is room, and exports it before that",
  async () => {
    const root = await tempDir();
    const script = join(root, "late.mjs");
    writeFileSync(
      script,
      `
    import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
    import { readTranscript, startConversation, userTurns } from ${JSON.stringify(module)};
    const home = ${JSON.stringify(join(root, "disk"))};
    mkdirSync(home + "/sessions", { mode: 0o700 });
    const fill = ["/1", "/2", "/3"].map((name) => home + name);
    for (const path of fill) try { writeFileSync(path, Buffer.alloc(100 * 1024)); } catch {}
    const conversation = startConversation({ home, cwd: "/" });
    const { log } = conversation;
    const exported = () => {
      const { startedAt, entries } = readTranscript(conversation);
      return [startedAt !== "", ...entries.map(({ text }) => text)];
    };
    const rewindable = () => {
      try {
        return userTurns(conversation).map(({ text }) => text);
      } catch (error) {
        return error.message;
      }
    };
    log.append({ type: "user", text: "first" });
    const early = { problem: log.problem, files: readdirSync(home + "/sessions") };
    const untilNext = (time) => { while (new Date().toISOString() === time); };
    untilNext(new Date().toISOString());
    const before = new Date().toISOString();
    log.append({ type: "user", text: "second" });
    const between = new Date().toISOString();
    untilNext(between);
    const full = { exported: exported(), rewindable: rewindable() };
    for (const path of fill) rmSync(path);
    const freed = { exported: exported(), rewindable: rewindable(), problem: log.problem ?? null };
    log.append({ type: "user", text: "third" });
    const lines = readFileSync(log.path, "utf8").trimEnd().split("\\n").map((line) => JSON.parse(line));
    const isTimely = ({ time }) => before <= time && time <= between;
    console.log(JSON.stringify({ early, full, freed, after: log.problem ?? null, timely: lines.filter(isTimely).map(({ text }) => text), said: lines.map(({ text, type }) => text ?? type) }));`,
    );
    // An empty file takes no block, so there must be no inode for it either.
    const mount = 'mkdir "$0" && mount -t tmpfs -o size=64k,nr_inodes=5 tmpfs "$0" && exec "$1" "$2"';
    const out = execFileSync("unshare", ["-rm", "sh", "-c", mount, join(root, "disk"), process.execPath, script]);
    expect(JSON.parse(String(out))).toEqual({
      early: { problem: "This session is not being saved: the disk is full.", files: [] },
      full: { exported: [true, "first", "second"], rewindable: "This session is not being saved: the disk is full." },
      freed: { exported: [true, "first", "second"], rewindable: ["first", "second"], problem: null },
      after: null,
      // Each has the time at which it happened, not the one at which it could be written.
      timely: ["second"],
      said: ["session", "first", "second", "third"],
    });
  },
);
