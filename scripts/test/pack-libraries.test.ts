import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { tempDir } from "../../packages/testing/src/run/temp-dir.ts";

const root = join(import.meta.dirname, "../..");

function pack(...args: string[]) {
  const { status, stdout, stderr } = spawnSync("node", [join(root, "scripts/pack-libraries.mjs"), ...args], {
    encoding: "utf8",
  });
  return { status, stdout, stderr };
}

test("packs the libraries so that any Node can import them outside of the clone", async () => {
  const dir = await tempDir();
  expect(pack(join(dir, "packed"))).toEqual({ status: 0, stdout: "", stderr: "" });
  const tarballs = readdirSync(join(dir, "packed"));
  const names = tarballs.map((file) => file.replace(/^ikigai-(.*)-[\d.]+\.tgz$/, "$1"));
  for (const name of ["agent", "core", "protocol", "testing", "tool-sdk"]) expect(names).toContain(name);
  const entries = names.flatMap((name, index) => unpack(join(dir, "packed", tarballs[index] ?? ""), name, dir));
  const program = `for (const entry of ${JSON.stringify(entries)}) { await import(entry); console.log(entry); }`;
  const { stdout, stderr } = spawnSync("node", ["--input-type=module", "-e", program], { cwd: dir, encoding: "utf8" });
  expect({ imported: stdout.split("\n"), stderr }).toEqual({ imported: [...entries, ""], stderr: "" });
});

/** Installs a tarball in a directory; returns what a program can import from it. */
function unpack(tarball: string, name: string, dir: string): string[] {
  const folder = join(dir, "node_modules/@ikigai", name);
  mkdirSync(folder, { recursive: true });
  expect(spawnSync("tar", ["-xzf", tarball, "-C", folder, "--strip-components=1"]).status).toBe(0);
  const manifest = readFileSync(join(folder, "package.json"), "utf8");
  expect(manifest).not.toMatch(/workspace:|catalog:/);
  const entries = Object.keys(JSON.parse(manifest).exports).filter((entry) => !entry.endsWith(".json"));
  return entries.map((entry) => `@ikigai/${name}${entry.slice(1)}`);
}

test.each([
  [[], "Usage: node scripts/pack-libraries.mjs DIR [NAME…]"],
  [["packed", "no-such-library"], `Not built: no-such-library. Run in ${root}: npm run build`],
])("refuses %j, and writes nothing", (args, reason) => {
  expect(pack(...args)).toEqual({ status: 1, stdout: "", stderr: `pack-libraries: ${reason}\n` });
  expect(existsSync("packed")).toBe(false);
});
