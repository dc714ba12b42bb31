import { execFile } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, test } from "vitest";

const root = fileURLToPath(new URL("../..", import.meta.url));

/** What the text around a fragment has declared. */
const fragmentHeads: Readonly<Record<string, string>> = {
  agent: `
    import { type AgentContext, takeTurn } from "@ikigai/agent/internal";
    import { readRecording, recordedAnswers, recordedModel } from "@ikigai/agent/session";
    declare const home: string;
    declare const cwd: string;
    declare const agent: AgentContext;
    declare const options: Omit<Parameters<typeof takeTurn>[2], "model" | "recorded">;`,
};

/** Packages whose own tests compile and run the blocks that are files of a tool; the others there are lines of a function. */
const compiledElsewhere: readonly string[] = ["tool-sdk"];

/** The TypeScript blocks of the packages' READMEs, as modules beside the README, whose imports are those of the package. */
function writeBlocks(): string[] {
  return readdirSync(join(root, "packages"), { withFileTypes: true }).flatMap((folder) => {
    const path = join(folder.parentPath, folder.name);
    if (!folder.isDirectory() || compiledElsewhere.includes(folder.name)) return [];
    const readme = readFileSync(join(path, "README.md"), "utf8");
    const blocks = [...readme.matchAll(/^```ts\n(.*?)^```$/gms)].map(([, text = ""]) => text);
    const directory = join(path, ".turbo/readme");
    rmSync(directory, { recursive: true, force: true });
    mkdirSync(directory, { recursive: true });
    return blocks.map((text, index) => {
      const file = join(directory, `block-${index + 1}.ts`);
      const head = text.includes("import ") ? "" : (fragmentHeads[folder.name] ?? "");
      writeFileSync(file, `${head}\n${text}`);
      return file;
    });
  });
}

test("the TypeScript blocks of the packages' READMEs compile with --strict", { timeout: 120_000 }, async () => {
  const files = writeBlocks();
  expect(files.map((file) => dirname(file))).toContain(join(root, "packages/agent/.turbo/readme"));
  const config = join(root, ".turbo/readme-types.json");
  mkdirSync(dirname(config), { recursive: true });
  // Readers of a README import names that they do not use.
  const compilerOptions = { noUnusedLocals: false };
  writeFileSync(config, JSON.stringify({ extends: "../tsconfig.json", compilerOptions, include: [], files }));
  const compiled = promisify(execFile)(join(root, "node_modules/.bin/tsc"), ["-p", config]);
  expect(await compiled.catch((error) => ({ stdout: error.stdout || String(error) }))).toMatchObject({ stdout: "" });
});
