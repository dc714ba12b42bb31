import { execFileSync, spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { tempDir } from "@ikigai/testing";
import { expect, test } from "vitest";
import { bin, cleanEnv } from "./ikigai.ts";

/** Whether this machine lets a test mount a small disk. */
const canMount = spawnSync("unshare", ["-rm", "mount", "-t", "tmpfs", "tmpfs", "/mnt"]).status === 0;

/** Fills a disk of 256 kB that holds home and project, then frees space on it. */
const day = `
mount -t tmpfs -o size=256k tmpfs "$1" && cd "$1" && mkdir home proj tmp && cd proj
export HOME=$1/home TMPDIR=$1/tmp
echo old > a.txt
say() { node=$1 bin=$2; shift 2; "$node" "$bin" "$@" 2>&1; echo "exit $?"; }
say "$2" "$3" --model offline -p 'run echo one' --allow bash
head -c 400000 /dev/zero > fill 2> /dev/null
say "$2" "$3" --model offline -p 'run echo two' --allow bash
say "$2" "$3" --model offline -p "write $(head -c 5000 /dev/zero | tr '\\0' x) to a.txt" --allow file_write
say "$2" "$3" --model offline -p "replace old with $(head -c 6000 /dev/zero | tr '\\0' y) in a.txt" --allow file_edit
echo "a.txt: $(cat a.txt)"
echo "here: $(ls -A | tr '\\n' ' ')"
echo "locks: $(ls "$HOME/.ikigai/sessions" | grep -c lock)"
rm "$HOME/.ikigai/cache" -r
say "$2" "$3" doctor | grep -e free -e "marked "
rm fill
say "$2" "$3" --model offline -p 'replace old with new in a.txt' --allow file_edit
echo "a.txt: $(cat a.txt)"
echo "sessions: $(grep -l '"type":"turn_end"' "$HOME"/.ikigai/sessions/*.jsonl | wc -l)"
`;

test.skipIf(!canMount)("on a full disk everything works except writing, and nothing is lost", async () => {
  const root = await tempDir({ "disk/": "" });
  const script = join(root, "day.sh");
  writeFileSync(script, day);
  const output = execFileSync("unshare", ["-rm", "sh", script, join(root, "disk"), process.execPath, bin], {
    env: await cleanEnv(),
    encoding: "utf8",
  });
  // Each session also says that it cannot save what an undo would restore.
  const isOther = (line: string) => line === "" || /^(?:Offline: a built-in|In this session, \/rewind)/.test(line);
  const lines = output.split("\n").filter((line) => !isOther(line));
  const full = "This session is not being saved: the disk is full.";
  const noRewind = "What this call changes cannot be undone: the disk is full.";
  expect(lines).toEqual([
    ...["one", "exit 0"],
    ...[full, "two", "exit 0"],
    ...[full, noRewind, expect.stringContaining("No space left on device"), "exit 0"],
    ...[full, noRewind, expect.stringContaining("No space left on device"), "exit 0"],
    ...["a.txt: old", "here: a.txt fill ", "locks: 0"],
    ...["~ ~/.ikigai: 0 B free, too little to save sessions and outputs"],
    ...[expect.stringMatching(/^~ \/.*\/disk\/tmp: 0 B free/), expect.stringMatching(/^2 notes \(marked ~\)/)],
    ...[expect.stringContaining("a.txt"), "exit 0", "a.txt: new", "sessions: 2"],
  ]);
});
