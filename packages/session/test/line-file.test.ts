import { execFileSync } from "node:child_process";
import { readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { tempDir } from "@ikigai/testing";
import { expect, test } from "vitest";
import { openLineFile } from "../src/log/log.ts";
import { canMount, sessionModule } from "./session-process.ts";

const chunkBytes = 65_536;

test.each([
  ["has no line break at all", "", "torn"],
  ["is whole", "first\nsecond\n", ""],
  ["begins right after a line break", "first\nsecond\n", "t"],
  ["is one byte shorter than what is read at a time", "first\nsecond\n", "t".repeat(chunkBytes - 1)],
  ["is as long as what is read at a time", "first\nsecond\n", "t".repeat(chunkBytes)],
])("continues after the last whole line when the torn one %s", async (_, whole, torn) => {
  const path = join(await tempDir({ log: whole + torn }), "log");
  const file = openLineFile(path, String);
  file.append("next");
  file.close();
  expect(readFileSync(path, "utf8")).toBe(`${whole}next\n`);
});

test("creates a file that only the user can read", async () => {
  const path = join(await tempDir(), "log");
  openLineFile(path, String).close();
  expect(statSync(path).mode & 0o777).toBe(0o600);
});

/** Returns the output of a process with `log`, a file of lines on a disk of 64 KiB with only a few bytes free. */
async function onFullDisk(freeBytes: number, code: string): Promise<unknown> {
  const root = await tempDir();
  const disk = join(root, "disk");
  const script = join(root, "full.mjs");
  writeFileSync(
    script,
    `
    import { readFileSync, rmSync, writeFileSync } from "node:fs";
    import { openLineFile } from ${JSON.stringify(await sessionModule())};
    const disk = ${JSON.stringify(disk)};
    const log = openLineFile(disk + "/log", (lines) => "lost " + lines);
    // Up to the end of its page, so that no line fits into the rest of it.
    log.append("x".repeat(4095));
    writeFileSync(disk + "/free", Buffer.alloc(${freeBytes}));
    try { writeFileSync(disk + "/fill", Buffer.alloc(1048576)); } catch {}
    rmSync(disk + "/free");
    const makeRoom = () => rmSync(disk + "/fill");
    const append = (line) => { try { log.append(line); } catch {} };
    const lines = () => readFileSync(disk + "/log", "utf8").split("\\n").slice(1, -1);
    ${code}`,
  );
  const mount = 'mkdir "$0" && mount -t tmpfs -o size=64k tmpfs "$0" && exec "$1" "$2"';
  const out = execFileSync("unshare", ["-rm", "sh", "-c", mount, disk, process.execPath, script], { encoding: "utf8" });
  return JSON.parse(out);
}

test.skipIf(!canMount())("writes a line again that a full disk has cut", async () => {
  const code = `
    append("y".repeat(10000));
    append("z");
    const cut = lines();
    makeRoom();
    append("end");
    console.log(JSON.stringify({ cut, lines: lines().map((line) => line[0] + line.length) }));`;
  expect(await onFullDisk(8_192, code)).toEqual({ cut: [], lines: ["y10000", "z1", "e3"] });
});

test.skipIf(!canMount())("counts each discarded line once, however often it discards", async () => {
  const code = `
    const lost = [];
    for (let line = 0; line < 4; line++) {
      append("y".repeat(2.5 * 1048576));
      lost.push(log.lostLines);
    }
    makeRoom();
    append("end");
    console.log(JSON.stringify({ lost, lines: lines(), left: log.lostLines }));`;
  expect(await onFullDisk(0, code)).toEqual({ lost: [0, 2, 2, 4], lines: ["lost 4", "end"], left: 0 });
});
