import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { tempDir } from "@ikigai/testing";
import { build } from "esbuild";

/** The session's files as one module, so that a separate process can write a session. */
export async function sessionModule(): Promise<string> {
  const outfile = join(await tempDir(), "session.mjs");
  const source = (name: string) => fileURLToPath(new URL(`../src/${name}.ts`, import.meta.url));
  const files = ["open", "log/log", "export/transcript", "rewind/rewind"];
  const contents = files.map((name) => `export * from "${source(name)}";`).join("\n");
  await build({
    stdin: { contents, resolveDir: "/" },
    bundle: true,
    platform: "node",
    target: "node20",
    format: "esm",
    outfile,
  });
  return outfile;
}

/** Whether this machine lets a test mount a small file system. */
export function canMount(): boolean {
  try {
    execFileSync("unshare", ["-rm", "mount", "-t", "tmpfs", "tmpfs", "/mnt"], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}
