import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { tempDir } from "@ikigai/testing";
import { build } from "esbuild";
import { expect, test } from "vitest";
import { saveRule } from "../src/setup.ts";

test("keeps all rules that several processes save at once", async () => {
  const home = await tempDir({ "config.json": { content: "{}", mode: 0o600 } });
  const module = join(await tempDir(), "save-rule.mjs");
  const source = join(import.meta.dirname, "../src/config/edit-config.ts");
  await build({ entryPoints: [source], bundle: true, platform: "node", format: "esm", outfile: module });
  const script = `
    import { saveRule } from ${JSON.stringify(module)};
    for (let n = 0; n < 6; n++) saveRule(${JSON.stringify(home)}, { verdict: "deny", rule: "bash(" + process.argv[1] + "-" + n + ")" });`;
  const processes = Array.from({ length: 6 }, (_, index) =>
    spawn(process.execPath, ["--input-type=module", "-e", script, String(index)], { stdio: "inherit" }),
  );
  for (const [code] of await Promise.all(processes.map((child) => once(child, "exit")))) expect(code).toBe(0);
  const { permission } = JSON.parse(readFileSync(join(home, "config.json"), "utf8"));
  expect(new Set(permission.rules.map(({ deny }: { deny: string }) => deny)).size).toBe(36);
  expect(readdirSync(home)).toEqual(["config.json"]);
});

test("reports what is at the lock's path, and changes nothing", async () => {
  const home = await tempDir({ "config.json": { content: "{}", mode: 0o600 } });
  mkdirSync(join(home, "config.json.lock"));
  expect(() => saveRule(home, { verdict: "allow", rule: "bash" })).toThrow(
    "is a directory, but ikigai needs this path for a lock file",
  );
  expect(readFileSync(join(home, "config.json"), "utf8")).toBe("{}");
});
