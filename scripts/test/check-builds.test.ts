import { execFile } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, onTestFinished, test } from "vitest";

const root = fileURLToPath(new URL("../..", import.meta.url));
const builder = "mkdir -p dist && cat src/* > dist/x-tool && node ../../scripts/build-record.mjs";

/** A clone with one tool that imports a library, a test of its program and a test that starts nothing. */
function clone() {
  const cwd = mkdtempSync(join(tmpdir(), "ikigai-builds-"));
  onTestFinished(() => rmSync(cwd, { recursive: true }));
  const setup = ["package-runner.ts", "longest-first.ts", "build-record.mjs", "check-builds.mjs"];
  for (const file of ["vitest.config.ts", ...setup.map((name) => `scripts/${name}`)])
    cpSync(join(root, file), join(cwd, file));
  symlinkSync(join(root, "node_modules"), join(cwd, "node_modules"));
  mkdirSync(join(cwd, "apps"));
  const write = (file: string, text: string) => {
    mkdirSync(dirname(join(cwd, file)), { recursive: true });
    writeFileSync(join(cwd, file), text);
  };
  const copied = "export * from";
  write("packages/words/package.json", "{}");
  write("packages/words/src/index.ts", "one");
  write("packages/x-tool/package.json", JSON.stringify({ scripts: { build: builder } }));
  write("packages/x-tool/src/tool.ts", `${copied} "@ikigai/words";`);
  write("packages/x-tool/test/run.ts", 'export const bin = new URL("../dist/x-tool", import.meta.url);');
  write("packages/x-tool/test/started.test.ts", `${passing}\n${copied} "./run.ts";`);
  write("packages/x-tool/test/alone.test.ts", passing);
  const run = (file: string, args: readonly string[], folder = ".") =>
    new Promise<{ exitCode: number | null; output: string }>((resolve) => {
      const child = execFile(file, args, { cwd: join(cwd, folder) }, (_, stdout, stderr) => {
        resolve({ exitCode: child.exitCode, output: stdout + stderr });
      });
    });
  const vitest = (path: string, folder?: string) =>
    run(join(root, "node_modules/.bin/vitest"), ["run", "--config", join(cwd, "vitest.config.ts"), path], folder);
  /** Only the setup of a run of these tests, without vitest. */
  const setUp = (name: string) => {
    const paths = JSON.stringify([join(cwd, `packages/x-tool/test/${name}.test.ts`)]);
    const project = `{ vitest: { state: { getPaths: () => ${paths} } }, onTestsRerun() {} }`;
    const program = `(await import(${JSON.stringify(join(cwd, "scripts/check-builds.mjs"))})).setup(${project})`;
    return run(process.execPath, ["--input-type=module", "-e", program]);
  };
  return { cwd, write, vitest, setUp, build: () => run("sh", ["-c", builder], "packages/x-tool") };
}

const passing = 'import { test } from "vitest";\ntest("passes", () => {});';
const stale = "Not built from the current sources: packages/x-tool. Run: (cd packages/x-tool && npm run build)\n";

test("a test of a program fails at once until the program is built from the current sources", async () => {
  const { cwd, write, vitest, setUp, build } = clone();
  const isStale = { exitCode: 1, output: stale };
  const isBuilt = { exitCode: 0, output: "" };
  expect(await setUp("started")).toEqual(isStale);
  await build();
  expect(await vitest("packages/x-tool")).toMatchObject({ exitCode: 0, output: expect.stringContaining("2 passed") });
  // A checkout gives sources other times; the build is still theirs.
  const source = join(cwd, "packages/words/src/index.ts");
  utimesSync(source, new Date(), new Date(Date.now() + 60_000));
  expect(await setUp("started")).toEqual(isBuilt);
  write("packages/words/src/index.ts", "two");
  for (const folder of [".", "packages/x-tool"]) {
    const { exitCode, output } = await vitest("started", folder);
    expect(exitCode).toBe(1);
    expect(output).toContain(stale);
    expect(output).not.toContain("passes");
  }
  write("packages/x-tool/test/own.test.ts", `${passing}\n// ownExecutable(import.meta.url)`);
  expect(await setUp("own")).toEqual(isStale);
  expect(await setUp("alone"), "it starts nothing").toEqual(isBuilt);
  await build();
  expect(await setUp("started")).toEqual(isBuilt);
  rmSync(join(cwd, "packages/x-tool/dist"), { recursive: true });
  expect(await setUp("started")).toEqual(isStale);
});
