import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { call } from "@ikigai/testing";
import { expect, test } from "vitest";

const folder = fileURLToPath(new URL("..", import.meta.url));
const readme = readFileSync(join(folder, "README.md"), "utf8");

test("the README's tool that uses everything compiles, is built and answers", { timeout: 120_000 }, async () => {
  const [, schema = "", source = ""] =
    /uses all of it\..*?^```ts\n(.*?)^```$.*?^```ts\n(.*?)^```$/ms.exec(readme) ?? [];
  // Inside this package, so that its imports are found.
  const dir = join(folder, ".turbo/readme-tool");
  mkdirSync(join(dir, "src"), { recursive: true });
  const write = (file: string, text: string) => writeFileSync(join(dir, file), text);
  write("package.json", '{ "type": "module", "bin": { "folder-size-tool": "./dist/folder-size-tool" } }');
  write("src/tool.ts", source.replace('"@ikigai/tool-sdk"', '"../../../src/index.ts"'));
  write("src/schema.ts", schema);
  write(
    "src/main.ts",
    `import { compiled } from "ikigai:compiled";
import { serve } from "../../../src/index.ts";
import { folderSize } from "./tool.ts";
serve(folderSize, compiled);
`,
  );
  write("tsconfig.json", JSON.stringify({ extends: "../../../../tsconfig.json", include: ["src"] }));
  execFileSync(join(folder, "../../node_modules/.bin/tsc"), ["-p", dir], { stdio: "inherit" });
  execFileSync("node", [join(folder, "build/build-tool.mjs")], { cwd: dir, stdio: "inherit" });
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
