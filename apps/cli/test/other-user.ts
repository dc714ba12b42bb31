import { spawnSync } from "node:child_process";
import { chmodSync, chownSync, cpSync, mkdirSync } from "node:fs";
import { userInfo } from "node:os";
import { dirname, join } from "node:path";
import { tempDir } from "@ikigai/testing";
import { bin, cleanEnv } from "./ikigai.ts";

/** A user who is not the one that runs the tests; a process can become it only as root. */
export const stranger = 65_534;

/** Whether this process can become that user. */
export const isRoot = userInfo().uid === 0;

/** The command, run by another user in whose home root owns these directories. */
export async function otherUser(directories: readonly string[] = []) {
  const root = await tempDir({ "home/.ikigai/": "", "project/": "" });
  for (const part of ["dist", "libexec", "package.json"])
    cpSync(join(dirname(dirname(bin)), part), join(root, "ikigai", part), { recursive: true });
  const own = join(root, "home/.ikigai");
  for (const path of [root, join(root, "home")]) chmodSync(path, 0o755);
  for (const path of [join(root, "home"), own, join(root, "project")]) chownSync(path, stranger, stranger);
  for (const name of directories) {
    const path = join(own, name);
    mkdirSync(path, { recursive: true });
    chownSync(path, 0, 0);
    chmodSync(path, 0o700);
  }
  const env = await cleanEnv(join(root, "home"));
  const project = join(root, "project");
  const options = { cwd: project, env, uid: stranger, gid: stranger, encoding: "utf8" } as const;
  const runWith = (input: string, ...args: readonly string[]) =>
    spawnSync(process.execPath, [join(root, "ikigai/dist/ikigai.js"), ...args], { ...options, input });
  const run = (...args: readonly string[]) => runWith("", ...args);
  const user = spawnSync("id", ["-un", String(stranger)], { encoding: "utf8" }).stdout.trim() || String(stranger);
  return { own, project, run, runWith, remedy: `To make it yours: sudo chown -R ${user} ${own}\n` };
}
