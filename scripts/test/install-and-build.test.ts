import { execFile } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, onTestFinished, test } from "vitest";

const script = fileURLToPath(new URL("../install-and-build.mjs", import.meta.url));
const installed = { "pnpm-lock.yaml": "a\n", "node_modules/.pnpm/lock.yaml": "a\n" };

/** Runs the script with an npm that prints one line and exits. */
async function prepare(files: Readonly<Record<string, string>>, { prints = "", exitCode = 0 } = {}) {
  const cwd = mkdtempSync(join(tmpdir(), "ikigai-start-"));
  onTestFinished(() => rmSync(cwd, { recursive: true }));
  const npm = `#!/bin/sh\necho "$*" >> calls\necho '${prints}'\nexit ${exitCode}\n`;
  for (const [name, text] of Object.entries({ ...files, "bin/npm": npm })) {
    mkdirSync(dirname(join(cwd, name)), { recursive: true });
    writeFileSync(join(cwd, name), text, { mode: 0o755 });
  }
  const env = { ...process.env, PATH: `${join(cwd, "bin")}:${process.env.PATH}` };
  const end = await run(process.execPath, [script], cwd, env);
  return { ...end, calls: (await run("cat", ["calls"], cwd)).stdout };
}

function run(file: string, args: readonly string[], cwd: string, env = process.env) {
  return new Promise<{ stdout: string; stderr: string; exitCode: number | null }>((resolve) => {
    const child = execFile(file, args, { cwd, env }, (_, stdout, stderr) => {
      resolve({ stdout, stderr, exitCode: child.exitCode });
    });
  });
}

test("prints nothing when everything is installed and built", async () => {
  const { stdout, stderr, exitCode, calls } = await prepare(installed, { prints: "cache hit" });
  expect({ stdout, stderr, exitCode }).toEqual({ stdout: "", stderr: "", exitCode: 0 });
  expect(calls).toMatch(/^run --silent bootstrap .*\nrun --silent turbo -- build .*\n$/);
});

test("says on stderr that it installs and builds", async () => {
  const { stdout, stderr } = await prepare({ "pnpm-lock.yaml": "a\n" }, { prints: "cache miss, executing 1" });
  expect({ stdout, stderr }).toEqual({ stdout: "", stderr: "Installing the dependencies…\nBuilding ikigai…\n" });
  const other = await prepare({ ...installed, "pnpm-lock.yaml": "b\n" });
  expect(other.stderr).toBe("Installing the dependencies…\n");
});

test("shows the output of what fails, and stops with its exit code", async () => {
  const { stderr, exitCode, calls } = await prepare(installed, { prints: "no network", exitCode: 3 });
  expect({ stderr, exitCode }).toEqual({ stderr: "no network\n", exitCode: 3 });
  expect(calls).not.toContain("turbo");
});

test.each(["test", "start", "release"])("npm run --silent %s says why pnpm cannot be fetched", async (name) => {
  const cwd = mkdtempSync(join(tmpdir(), "ikigai-start-"));
  onTestFinished(() => rmSync(cwd, { recursive: true }));
  for (const file of ["package.json", "scripts/install-and-build.mjs"])
    cpSync(join(dirname(script), "..", file), join(cwd, file));
  const registry = createServer((_, response) => void response.writeHead(404).end("{}"));
  await new Promise<void>((resolve) => registry.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void registry.close());
  const address = `http://127.0.0.1:${(registry.address() as AddressInfo).port}/`;
  const env = { PATH: process.env.PATH, HOME: cwd, npm_config_registry: address };
  const { stderr, exitCode } = await run("npm", ["run", "--silent", name], cwd, env);
  expect(exitCode).toBeGreaterThan(0);
  expect(stderr).toContain(`404 Not Found - GET ${address}pnpm`);
});
