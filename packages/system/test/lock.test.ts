// @module-tag sampled
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import {
  existsSync,
  lstatSync,
  lutimesSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { expect, onTestFinished, test } from "vitest";
import { Lock, lockState } from "../src/files/lock.ts";
import { readStat } from "../src/platform.ts";
import { tempDir } from "./temp-dir.ts";

const onLinux = process.platform === "linux";

async function lockPath(): Promise<string> {
  return `${await tempDir()}/lock`;
}

/** A lock of this process, with part of its text replaced. */
async function forge(path: string, change: (parts: string[]) => void): Promise<void> {
  using lock = new Lock(await lockPath());
  const parts = lock.text.split(".");
  change(parts);
  symlinkSync(parts.join("."), path);
}

/** The holder text of a process that runs until the test ends. */
function running(): [pid: string, start: string] {
  const child = spawn("sleep", ["60"]);
  onTestFinished(() => void child.kill("SIGKILL"));
  return [String(child.pid), readStat(Number(child.pid))?.startTicks ?? "-"];
}

test("is a link that names its holder, and is removed on release", async () => {
  const path = await lockPath();
  {
    using lock = new Lock(path);
    expect(lock.tryTake()).toBe(true);
    expect(readlinkSync(path)).toBe(lock.text);
    expect(lock.text.split(".")[0]).toBe(String(process.pid));
    expect(lock.isOwn()).toBe(true);
    expect(lockState(path)).toBe("held");
  }
  expect(lockState(path)).toBe("free");
  expect(existsSync(path)).toBe(false);
});

test("waits until the holder releases it", async () => {
  const path = await lockPath();
  const first = new Lock(path);
  first.tryTake();
  const second = new Lock(path);
  expect(second.tryTake()).toBe(false);
  const order: string[] = [];
  const waiting = second.take(5_000).then(() => order.push("second has it"));
  await new Promise((settle) => setTimeout(settle, 30));
  order.push("first releases it");
  first.release();
  await waiting;
  expect(order).toEqual(["first releases it", "second has it"]);
  second.release();
});

test("names a holder that keeps it too long, and does not touch its lock", async () => {
  const path = await lockPath();
  const [pid, start] = running();
  await forge(path, (parts) => parts.splice(0, 2, pid, start));
  const error = await new Lock(path).take(200).catch((reason) => reason);
  expect(error).toMatchObject({ code: "held" });
  const who = onLinux ? `Process ${pid}` : expect.any(String);
  expect(error.message).toBe(`${who} has held the lock ${path} for 0.2 s. Try again when it is done.`);
  expect(() => new Lock(path).takeSync(100)).toThrow(expect.objectContaining({ code: "held" }));
  expect(lockState(path)).toBe("held");
});

test("restarts its patience with each holder", async () => {
  const path = await lockPath();
  const patient = new Lock(path);
  const holders = Array.from({ length: 5 }, () => new Lock(path));
  holders[0]?.tryTake();
  const waiting = patient.take(400);
  for (const [index, holder] of holders.entries()) {
    await new Promise((settle) => setTimeout(settle, 200));
    // Without an instant in which the lock is free.
    const next = holders[index + 1];
    if (next) {
      symlinkSync(next.text, `${path}.next`);
      spawnSync("mv", ["-fT", `${path}.next`, path]);
    } else holder.release();
  }
  await waiting;
  expect(patient.isOwn()).toBe(true);
  patient.release();
});

test.runIf(onLinux).each([
  ["has ended", async () => [String(spawnSync("true").pid), "1"]],
  ["is a zombie", zombie],
  ["has ended, and its process ID belongs to another process", async () => [running()[0], "1"]],
])("takes over at once from a holder that %s", async (_, holder) => {
  const path = await lockPath();
  const [pid = "", start = ""] = await holder();
  await forge(path, (parts) => parts.splice(0, 2, pid, start));
  expect(lockState(path)).toBe("abandoned");
  using lock = new Lock(path);
  expect(lock.tryTake()).toBe(true);
  expect(lock.takenOverFrom?.startsWith(`${pid}.${start}.`)).toBe(true);
  expect(readlinkSync(path)).toBe(lock.text);
});

/** A zombie: its parent does not wait for it. */
async function zombie(): Promise<string[]> {
  const parent = spawn("sh", ["-c", `sleep 60 & exec sh -c 'echo "$0"; exec sleep 60' $!`], {
    stdio: ["ignore", "pipe", "ignore"],
  });
  onTestFinished(() => void parent.kill("SIGKILL"));
  const [line] = await once(parent.stdout, "data");
  const pid = String(line).trim();
  const start = readStat(pid)?.startTicks ?? "";
  // A shell may collect children that are not its own, as bash does.
  await expect.poll(() => readFileSync(`/proc/${parent.pid}/comm`, "utf8")).toBe("sleep\n");
  process.kill(Number(pid), "SIGKILL");
  await expect.poll(() => readStat(pid)?.state).toBe("Z");
  return [pid, start];
}

test("takes over from a process that was killed during a takeover", async () => {
  const path = await lockPath();
  const dead = String(spawnSync("true").pid);
  for (const end of ["", "~", "~~"]) await forge(`${path}${end}`, (parts) => parts.splice(0, 2, dead, "1"));
  {
    using lock = new Lock(path);
    expect(lock.tryTake()).toBe(true);
  }
  expect(readdirSync(path.slice(0, -"/lock".length))).toEqual([]);
});

test("removes what a process left that was killed during a takeover", async () => {
  const path = await lockPath();
  await forge(`${path}~`, (parts) => parts.splice(0, 2, String(spawnSync("true").pid), "1"));
  {
    using lock = new Lock(path);
    expect(lock.tryTake()).toBe(true);
    expect(existsSync(`${path}~`)).toBe(false);
  }
});

test("removes only its own lock", async () => {
  const path = await lockPath();
  const lock = new Lock(path);
  lock.tryTake();
  spawnSync("rm", [path]);
  await forge(path, (parts) => parts.splice(3, 1, "0"));
  expect(lock.isOwn()).toBe(false);
  expect(() => lock.check()).toThrow("This process was suspended so long that another one took its lock.");
  lock.release();
  expect(existsSync(path) || readlinkSync(path).endsWith(".0")).toBe(true);
});

test.concurrent.each([
  ["in another PID namespace", (path: string) => forge(path, (parts) => parts.splice(2, 1, "0123-4567"))],
  ["on an unknown system", (path: string) => forge(path, (parts) => parts.splice(2, 1, "?"))],
  ["without a name", (path: string) => writeFileSync(path, "")],
  ["with garbage as a name", (path: string) => writeFileSync(path, Buffer.alloc(1_000, 0xff))],
  ["that is an unrelated link", (path: string) => symlinkSync("../elsewhere", path)],
])("takes over from a holder %s after 3 seconds without a refresh", async (_, make) => {
  const path = await lockPath();
  await make(path);
  expect(lockState(path)).toBe("held");
  await expect(new Lock(path).take(1_000)).rejects.toThrow(`Another process has held the lock ${path} for 1 s.`);
  using lock = new Lock(path);
  const startedAtMs = performance.now();
  await lock.take(20_000);
  expect(performance.now() - startedAtMs).toBeGreaterThan(3_000);
  expect(lock.isOwn()).toBe(true);
});

test("waits for a holder in another PID namespace that refreshes the lock", async () => {
  const path = await lockPath();
  await forge(path, (parts) => parts.splice(2, 1, "0123-4567"));
  const refreshing = setInterval(() => lutimesSync(path, Date.now() / 1_000, Date.now() / 1_000), 200);
  onTestFinished(() => clearInterval(refreshing));
  await expect(new Lock(path).take(4_000)).rejects.toMatchObject({ code: "held" });
});

test.each([
  [59, "held"],
  [61, "abandoned"],
  [-61, "abandoned"],
])("reports a lock whose holder is not visible, %i seconds old, as %s", async (ageSeconds, state) => {
  const path = await lockPath();
  await forge(path, (parts) => parts.splice(2, 1, "0123-4567"));
  const then = Date.now() / 1_000 - ageSeconds;
  lutimesSync(path, then, then);
  expect(lockState(path)).toBe(state);
  expect(new Lock(path).tryTake()).toBe(state === "abandoned");
});

test("refreshes the lock while it is held", async () => {
  const path = await lockPath();
  using lock = new Lock(path, { refreshMs: 20 });
  lock.tryTake();
  lutimesSync(path, 1, 1);
  await expect.poll(() => lstatSync(path).mtimeMs).toBeGreaterThan(1_000_000);
});

test.each([
  ["a directory", "Move it away", (path: string) => mkdirSync(path)],
  ["a FIFO, socket or device", "Remove it", (path: string) => spawnSync("mkfifo", [path])],
])("says what to do about %s at the lock's path", async (what, remedy, make) => {
  const path = await lockPath();
  make(path);
  const message = `${path} is ${what}, but ikigai needs this path for a lock file. ${remedy}`;
  await expect(new Lock(path).take(1_000)).rejects.toThrow(message);
  await expect(new Lock(path).take(1_000)).rejects.toMatchObject({ code: "blocked" });
  expect(lockState(path)).toBe("held");
});

test("reports the system's error if no lock can be created", async () => {
  const path = `${await tempDir()}/no/lock`;
  await expect(new Lock(path).take(1_000)).rejects.toMatchObject({ code: "ENOENT", syscall: "symlink" });
  expect(lockState(path)).toBe("free");
});
