// @module-tag sampled
import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { call, startServed, tempDir } from "@ikigai/testing";
import { expect, test } from "vitest";

const folder = fileURLToPath(new URL("..", import.meta.url));
const readme = readFileSync(join(folder, "README.md"), "utf8");

const [, tsconfig = ""] = /^```json\n(.*?)^```$/ms.exec(readme) ?? [];

/** Compiles, as the README says, and builds a package of these files inside this package, so that its imports are found. Returns its directory. */
function buildPackage(name: string, files: Readonly<Record<string, string>>): string {
  const dir = join(folder, ".turbo", name);
  mkdirSync(join(dir, "src"), { recursive: true });
  const write = (file: string, text: string) => writeFileSync(join(dir, file), text);
  write("package.json", JSON.stringify({ type: "module", bin: { [name]: `./dist/${name}` } }));
  write("tsconfig.json", tsconfig);
  for (const [file, text] of Object.entries(files))
    write(`src/${file}`, text.replace('"@ikigai/tool-sdk"', '"../../../src/index.ts"'));
  execFileSync(join(folder, "../../node_modules/.bin/tsc"), ["-p", dir], { stdio: "inherit" });
  execFileSync("node", [join(folder, "build/build-tool.mjs")], { cwd: dir, stdio: "inherit" });
  return dir;
}

test("the README's first three blocks compile, are built and answer", { timeout: 120_000 }, async () => {
  const [, use = ""] = /^## Use$(.*?)^## /ms.exec(readme) ?? [];
  const blocks = [...use.matchAll(/^`(src\/(\S+))`.*?^```ts\n(.*?)^```$/gms)];
  expect(blocks.map(([, , file]) => file)).toEqual(["schema.ts", "tool.ts", "main.ts"]);
  const files = Object.fromEntries(blocks.map(([, , file = "", text = ""]) => [file, text]));
  const dir = buildPackage("weather-tool", files);
  const bin = join(dir, "dist/weather-tool");
  expect((await call(bin, { city: "Oslo" })).result).toEqual({ temperature: 72, condition: "sunny" });
  expect((await call(bin, { city: "" })).result).toMatchObject({ error_code: "INVALID_ARG" });
});

test("the README's tool that uses most of the SDK compiles, is built and answers", { timeout: 120_000 }, async () => {
  const [, schema = "", source = ""] =
    /uses most of it\..*?^```ts\n(.*?)^```$.*?^```ts\n(.*?)^```$/ms.exec(readme) ?? [];
  const main = `import { compiled } from "ikigai:compiled";
import { serve } from "@ikigai/tool-sdk";
import { folderSize } from "./tool.ts";
serve(folderSize, compiled);
`;
  const dir = buildPackage("folder-size-tool", { "tool.ts": source, "schema.ts": schema, "main.ts": main });
  const bin = join(dir, "dist/folder-size-tool");
  const size = statSync(join(dir, "src/tool.ts")).size;
  expect((await call(bin, { path: join(dir, "src") })).result).toMatchObject({
    files: 3,
    output: expect.stringContaining(`tool.ts: ${size}\n`),
  });
  expect((await call(bin, { folder: "/nowhere" })).result).toMatchObject({ error_code: "FILE_NOT_FOUND" });
  const { result } = await call(bin, { folder: join(dir, "src") }, { env: { IKIGAI_MAX_OUTPUT_BYTES: "60" } });
  expect(result).toEqual({ output: expect.stringMatching(/^main\.ts: \d+\n$/), truncated: true, files: 1 });
});

test("the README's service compiles, is built, and keeps its state between calls", { timeout: 120_000 }, async () => {
  const [, section = ""] = /^## State between calls$(.*?)^## /ms.exec(readme) ?? [];
  const [schema = "", source = ""] = [...section.matchAll(/^```ts\n(.*?)^```$/gms)].map(([, text]) => text);
  const main = `import { compiled } from "ikigai:compiled";
import { serve } from "@ikigai/tool-sdk";
import { fileChanges } from "./tool.ts";
serve(fileChanges, compiled);
`;
  const dir = buildPackage("file-changes-tool", { "tool.ts": source, "schema.ts": schema, "main.ts": main });
  const bin = join(dir, "dist/file-changes-tool");
  const cwd = await tempDir({ "a.txt": "" });
  expect((await call(bin, {}, { cwd })).result).toEqual({ files: [] });
  await using service = await startServed(bin, { cwd });
  expect(await service.nextLine()).toBe('{"ready":true}');
  const waiting = service.send({ wait: true });
  const cancelled = service.send({ wait: true });
  service.cancel(cancelled);
  expect(await service.nextLine()).toContain(`{"call":"${cancelled}","answer":{"error":`);
  writeFileSync(join(cwd, "b.txt"), "");
  expect(await service.nextLine()).toBe(`{"call":"${waiting}","answer":{"files":["b.txt"]}}`);
  writeFileSync(join(cwd, "a.txt"), "changed");
  const seen: string[] = [];
  await expect
    .poll(async () => {
      seen.push(...JSON.parse((await service.call({})) ?? "").answer.files);
      return seen;
    })
    .toContain("a.txt");
  service.closeInput();
  expect(await service.exitCode()).toBe(0);
});
