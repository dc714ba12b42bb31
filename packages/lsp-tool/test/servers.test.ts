// @module-tag sampled
// Real language servers: those of npm, and those that the system has.
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { lspService } from "./lsp-service.ts";

const patienceMs = 180_000;

const has = (program: string) => {
  try {
    execFileSync("which", [program]);
    return true;
  } catch {
    return false;
  }
};

const tsconfig = {
  compilerOptions: { strict: true, noEmit: true, module: "nodenext", allowImportingTsExtensions: true, types: [] },
};

const typescript = {
  "tsconfig.json": JSON.stringify(tsconfig),
  "a.ts": "export function size(text: string): number {\n  return text.length;\n}\n",
  "b.ts": 'import { size } from "./a.ts";\n\nexport const total: number = size("one");\nconst old: number = "known";\n',
};

describe("typescript-language-server", { timeout: patienceMs }, () => {
  test("an edit is answered with what it broke, in other files too, and with what it fixed", async () => {
    await using lsp = await lspService(typescript);
    await lsp.read("b.ts");
    await lsp.read("a.ts");
    const broken = "export function size(text: string): string {\n  return text;\n}\n";
    const { new: added } = await lsp.editAndWait("a.ts", broken);
    expect(added).toEqual([
      {
        path: "b.ts",
        line: 3,
        severity: "error",
        message: "Type 'string' is not assignable to type 'number'.",
        source: "ts",
        code: "2322",
      },
    ]);
    // Now it is warm. Nothing is reported twice, and no old error.
    expect(await lsp.editAndWait("a.ts", `// One line more.\n${broken}`)).toMatchObject({ new: [], fixed: 0 });
    expect(await lsp.editAndWait("a.ts", typescript["a.ts"])).toMatchObject({ new: [], fixed: 1 });
  });

  test("all of a new file is new", async () => {
    await using lsp = await lspService(typescript);
    const { new: added } = await lsp.editAndWait("c.ts", "\nexport const c: number = 'x';\n");
    expect(added).toMatchObject([{ path: "c.ts", line: 2, severity: "error" }]);
  });

  test("finds, shows, renames and fixes", async () => {
    await using lsp = await lspService(typescript);
    await lsp.read("a.ts");
    const at = { path: "b.ts", line: 3, symbol: "size" };
    expect(await lsp.call({ action: "definition", ...at })).toEqual({
      output:
        "a.ts:1\n    1  export function size(text: string): number {\n    2    return text.length;\n    3  }\n    4  ",
      count: 1,
    });
    expect(await lsp.call({ action: "references", ...at })).toEqual({
      output: [
        'b.ts:1: import { size } from "./a.ts";',
        'b.ts:3: export const total: number = size("one");',
        "a.ts:1: export function size(text: string): number {",
      ].join("\n"),
      count: 3,
      files: 2,
    });
    expect(await lsp.call({ action: "hover", ...at })).toMatchObject({
      output: expect.stringContaining("size(text: string): number"),
    });
    expect(await lsp.call({ action: "symbols", path: "b.ts" })).toMatchObject({
      output: expect.stringMatching(/ 3 {2}constant total\n/),
    });
    expect(await lsp.call({ action: "diagnostics", path: "b.ts" })).toEqual({
      output:
        "b.ts:4: error: Type 'string' is not assignable to type 'number'. (ts 2322)\n    const old: number = \"known\";",
      count: 1,
    });
    expect(await lsp.call({ action: "hover", path: "b.ts", line: 1, symbol: "total" })).toEqual({
      error: 'There is no "total" on line 1',
      error_code: "NOT_FOUND",
      hint: "It is on line 3.",
    });
    const rename = { action: "rename", ...at, new_name: "measure" };
    const shown = await lsp.call(rename);
    expect(shown).toMatchObject({ count: 3, files: 2, hint: "Nothing was written: apply does it." });
    expect(readFileSync(join(lsp.project, "a.ts"), "utf8")).toBe(typescript["a.ts"]);
    expect(await lsp.call({ ...rename, apply: true })).toMatchObject({ count: 3, applied: true });
    expect(readFileSync(join(lsp.project, "a.ts"), "utf8")).toBe(typescript["a.ts"].replace("size", "measure"));
    writeFileSync(join(lsp.project, "d.ts"), 'export const d = measure("x");\n');
    const fix = { action: "actions", path: "d.ts", line: 1, symbol: "measure" };
    expect(await lsp.call(fix)).toMatchObject({ output: expect.stringContaining('Add import from "./a') });
    await lsp.call({ ...fix, title: "Add import", apply: true });
    expect(readFileSync(join(lsp.project, "d.ts"), "utf8")).toMatch(/^import \{ measure \} from "\.\/a/);
  });
});

test("without a sandbox, a change is written only if it concerns no file but the named one", {
  timeout: patienceMs,
}, async () => {
  await using lsp = await lspService(typescript, {}, { IKIGAI_SANDBOX: "" });
  await lsp.read("a.ts");
  await lsp.editAndWait("b.ts", typescript["b.ts"]);
  const rename = { action: "rename", line: 3, new_name: "measure", apply: true };
  expect(await lsp.call({ ...rename, path: "b.ts", symbol: "size" })).toMatchObject({
    error_code: "PERMISSION_DENIED",
  });
  expect(readFileSync(join(lsp.project, "a.ts"), "utf8")).toBe(typescript["a.ts"]);
  expect(await lsp.call({ ...rename, path: "b.ts", symbol: "total" })).toMatchObject({ applied: true, files: 1 });
  expect(readFileSync(join(lsp.project, "b.ts"), "utf8")).toContain("measure");
});

test("pyright: an edit is answered with what it broke", { timeout: patienceMs }, async () => {
  const files = { "pyrightconfig.json": "{}", "a.py": "def size(text: str) -> int:\n    return len(text)\n" };
  await using lsp = await lspService(files);
  await lsp.read("a.py");
  const { new: added } = await lsp.editAndWait("a.py", files["a.py"].replace("len(text)", "text"));
  expect(added).toMatchObject([
    { path: "a.py", line: 2, severity: "error", source: "Pyright", code: "reportReturnType" },
  ]);
  expect(await lsp.editAndWait("a.py", files["a.py"])).toMatchObject({ new: [], fixed: 1 });
});

test.skipIf(!has("gopls"))(
  "gopls: an edit is answered with what it broke (needs gopls)",
  { timeout: patienceMs },
  async () => {
    const files = {
      "go.mod": "module example\n\ngo 1.19\n",
      "a.go": "package example\n\nfunc Size(text string) int {\n\treturn len(text)\n}\n",
    };
    await using lsp = await lspService(files);
    await lsp.read("a.go");
    const { new: added } = await lsp.editAndWait("a.go", files["a.go"].replace("len(text)", "text"));
    expect(added).toMatchObject([{ path: "a.go", line: 4, severity: "error" }]);
  },
);

test.skipIf(!has("clangd"))(
  "clangd: an edit is answered with what it broke (needs clangd)",
  { timeout: patienceMs },
  async () => {
    const files = { "a.c": "int size(const char *text) {\n  return text[0];\n}\n" };
    await using lsp = await lspService(files);
    await lsp.read("a.c");
    const { new: added } = await lsp.editAndWait("a.c", files["a.c"].replace("text[0]", "txt[0]"));
    expect(added).toMatchObject([{ path: "a.c", line: 2, severity: "error" }]);
  },
);
