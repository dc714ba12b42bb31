// @module-tag tables
import { readFileSync, truncateSync } from "node:fs";
import { tempDir } from "@ikigai/testing";
import { expect, test } from "vitest";
import { answer, failure, read } from "./run.ts";

const env = { IKIGAI_ANSWER_BYTES: "3000" };
const text = "one\ntwo\nthree";

test.each([
  ["all", {}, text, 3, { total_lines: 3 }],
  ["the end", { offset: 3 }, "three", 1, { total_lines: 3 }],
  ["exactly the rest", { offset: 2, limit: 2 }, "two\nthree", 2, { total_lines: 3 }],
  ["the start", { limit: 2 }, "one\ntwo\n", 2, {}],
  ["nothing past the end", { offset: 4 }, "", 0, { total_lines: 3, hint: "The file has 3 lines." }],
  ["nothing far past the end", { offset: 900, limit: 3 }, "", 0, { total_lines: 3, hint: "The file has 3 lines." }],
])("says how long the file is when it has read %s", async (_, range, output, linesRead, more) => {
  const cwd = await tempDir({ a: text, b: `${text}\n`, one: "one\n", empty: "" });
  expect(await read({ file_path: "a", ...range }, { cwd, env })).toEqual(answer(output, linesRead, more));
  if (output.includes("three") || output === "")
    expect((await read({ file_path: "b", ...range }, { cwd, env })).result).toMatchObject({ total_lines: 3 });
  const one = answer("", 0, { total_lines: 1, hint: "The file has 1 line." });
  expect(await read({ file_path: "one", offset: 2 }, { cwd, env })).toEqual(one);
  expect(await read({ file_path: "empty" }, { cwd, env })).toEqual(answer("", 0, { total_lines: 0 }));
});

test("says how to go on after a cut, which then gives the rest", async () => {
  const lines = Array.from({ length: 300 }, (_, index) => `line ${index + 1} "é"\n`);
  const cwd = await tempDir({ a: lines.join(""), long: `${"x".repeat(9_000)}\nend\n` });
  const parts: unknown[] = [];
  for (let offset = 1, isCut = true; isCut; ) {
    const { stdout, result } = await read({ file_path: "a", offset }, { cwd, env });
    expect(Buffer.byteLength(stdout)).toBeLessThanOrEqual(3_000);
    parts.push(result?.output);
    const [, last, next] =
      /^Cut after line (\d+)(?: of 300)?: continue with offset (\d+)\.$/.exec(String(result?.hint)) ?? [];
    isCut = next !== undefined;
    expect(result).toMatchObject(isCut ? { truncated: true } : { total_lines: 300 });
    expect(Number(last ?? 300)).toBe(offset + Number(result?.lines_read) - 1);
    offset = Number(next);
  }
  expect(parts.join("")).toBe(lines.join(""));
  expect((await read({ file_path: "long" }, { cwd, env })).result).toMatchObject({
    hint: "Line 1 is cut: it is longer than an answer. The next one is offset 2.",
  });
});

test("names what is in a directory", async () => {
  const names = Array.from({ length: 60 }, (_, index) => `d/f${String(index).padStart(2, "0")}`);
  const cwd = await tempDir({ "d/a/": "", "e/": "", ...Object.fromEntries(names.map((name) => [name, ""])) });
  const { result } = await read({ file_path: "d" }, { cwd, env });
  expect(result).toMatchObject({
    error_code: "OPEN_FAILED",
    hint: expect.stringMatching(/^It is a directory\. In it: a\/, f00, /),
  });
  expect(result?.hint).toMatch(/f48, and 11 more$/);
  expect((await read({ file_path: "e" }, { cwd, env })).result?.hint).toBe("It is an empty directory.");
});

test.each([
  ["a program", Buffer.from("\x7fELF\0\0"), "ELF program"],
  ["a database", Buffer.from("SQLite format 3\0"), "SQLite database"],
  ["an archive", Buffer.from("PK\x03\x04\0"), "ZIP archive"],
  ["anything with NUL", Buffer.from("text\0"), "unknown format"],
])("refuses %s, and says what to use", async (_, content, kind) => {
  const root = await tempDir({
    "proj/a b": content,
    "bin/node": { link: process.execPath },
    "bin/strings": { content: "", mode: 0o755 },
  });
  const options = { cwd: `${root}/proj`, env: { ...env, PATH: `${root}/bin` } };
  expect(await read({ file_path: "a b" }, options)).toEqual(
    failure(
      `Not a text file (${kind}, ${content.length} bytes): a b`,
      "BINARY_FILE",
      "With bash: strings 'a b' | head -n 50",
    ),
  );
  const byHand = await read({ file_path: "a b" }, { cwd: options.cwd });
  expect(byHand.result?.output).toBe(content.toString("utf8"));
});

test.each(["utf16le", "utf16be"])("reads %s as text", async (encoding) => {
  const le = Buffer.from("\ufeffgrüße\r\nzwei\r\n", "utf16le");
  const cwd = await tempDir({ a: encoding === "utf16le" ? le : le.swap16() });
  const hint = `The file is UTF-16${encoding.slice(-2).toUpperCase()}; this is its text.`;
  expect(await read({ file_path: "a" }, { cwd, env })).toEqual(
    answer("grüße\r\nzwei\r\n", 2, { total_lines: 2, hint }),
  );
  expect(await read({ file_path: "a", offset: 2 }, { cwd, env })).toEqual(
    answer("zwei\r\n", 1, { total_lines: 2, hint }),
  );
});

test.each([
  ["WINDOWS-1252", Buffer.from("na\xefve caf\xe9\n", "latin1")],
  ["WINDOWS-1251", Buffer.from("\xcf\xf0\xe8\xe2\xe5\xf2 \xec\xe8\xf0\n", "latin1")],
  ["SHIFT_JIS", Buffer.from("93fa967b8cea82cc83658358836782c582b7", "hex")],
  ["GB18030", Buffer.from("c4e3bac3cac0bde7a3acd5e2cac7b2e2cad4", "hex")],
  ["EUC-KR", Buffer.from("bec8b3e7c7cfbcbcbfe420bcbcb0e8", "hex")],
])("names the likely encoding: %s", async (name, content) => {
  const cwd = await tempDir({ a: content });
  const { result } = await read({ file_path: "a" }, { cwd, env });
  expect(result?.hint).toMatch(
    new RegExp(`^Line 1 is the first that is not UTF-8: .* It is probably ${name}: iconv -f ${name} `),
  );
});

const png = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
const notebook = JSON.stringify({
  cells: [
    { cell_type: "markdown", source: ["# Title\n", "text"] },
    {
      cell_type: "code",
      execution_count: 7,
      source: "plot()",
      outputs: [
        { output_type: "stream", name: "stdout", text: ["10%\r100%\n"] },
        { output_type: "display_data", data: { "image/png": `${png}\n`, "text/plain": ["<Figure>"] } },
        { output_type: "error", evalue: "x", traceback: ["\u001b[31mValueError\u001b[0m", "line 1"] },
      ],
    },
    { cell_type: "code", execution_count: null, source: [], outputs: [{ data: { "text/plain": "42" } }] },
  ],
});

test("reads a notebook as its cells, with pictures", async () => {
  const cwd = await tempDir({ "a.ipynb": notebook, "no.ipynb": "{}", "out/": "" });
  const options = { cwd, env: { ...env, IKIGAI_OUTPUTS_DIR: `${cwd}/out` } };
  const { result } = await read({ file_path: "a.ipynb" }, options);
  expect(result?.output).toBe(`--- Cell 1 (markdown)
# Title
text

--- Cell 2 (code, In [7])
plot()
--- Output of cell 2
100%
(picture 1)
ValueError
line 1

--- Cell 3 (code)
--- Output of cell 3
42
`);
  const [image] = (result?.images ?? []) as { path: string }[];
  expect(result).toMatchObject({ hint: 'A notebook as text; "raw": true reads its JSON.', total_lines: 15 });
  expect(readFileSync(String(image?.path)).toString("base64")).toBe(png);
  expect(image).toMatchObject({ path: expect.stringContaining(`${cwd}/out/`), mime_type: "image/png" });
  expect((await read({ file_path: "a.ipynb", raw: true }, options)).result?.output).toBe(notebook);
  expect((await read({ file_path: "a.ipynb" }, { cwd })).result?.output).toBe(notebook);
  expect((await read({ file_path: "no.ipynb" }, options)).result?.output).toBe("{}");
});

/** Stands for pdftotext: three pages, and its words for a page that is missing. */
const converter = `#!/bin/sh
first=1 last=3
while [ $# -gt 2 ]; do case $1 in -f) first=$2; shift ;; -l) last=$2; shift ;; -enc) shift ;; esac; shift; done
[ "$first" -gt 3 ] && echo "Command Line Error: Wrong page range given" >&2 && exit 99
[ "$last" -gt 3 ] && last=3
for page in $(seq "$first" "$last"); do echo "text of $page"; [ "$page" = 2 ] && seq 600; printf '\\f'; done
`;

test("reads a PDF as the text of its pages, if pdftotext is installed", async () => {
  const cwd = await tempDir({
    "proj/a.pdf": "%PDF-1.7\n%\0",
    "bin/pdftotext": { content: converter, mode: 0o755 },
    "other/node": { link: process.execPath },
  });
  const options = { cwd: `${cwd}/proj`, env: { ...env, PATH: `${cwd}/bin:${process.env.PATH}` } };
  const hint = "The text of a PDF; offset and limit are pages.";
  const page = (more: object) => read({ file_path: "a.pdf", ...more }, options);
  expect(await page({ offset: 3 })).toEqual(answer("--- Page 3\ntext of 3\n", 1, { hint }));
  expect(await page({ limit: 1 })).toEqual(answer("--- Page 1\ntext of 1\n", 1, { hint }));
  const documents = [{ path: `${cwd}/proj/a.pdf`, mime_type: "application/pdf" }];
  const more = { documents, hint: `${hint} Continue with offset 2.`, truncated: true };
  expect(await page({})).toEqual(answer("--- Page 1\ntext of 1\n", 1, more));
  expect((await page({ offset: 2 })).result).toMatchObject({
    hint: `${hint} Page 2 is cut. The next one is offset 3.`,
    lines_read: 1,
  });
  expect((await page({ offset: 9 })).result).toMatchObject({
    error_code: "READ_FAILED",
    hint: "pdftotext: Command Line Error: Wrong page range given",
  });
  const without = { cwd: `${cwd}/proj`, env: { ...env, PATH: `${cwd}/other` } };
  const { result: shown } = await read({ file_path: "a.pdf" }, without);
  expect(shown).toMatchObject({ output: "PDF document, 11 bytes", lines_read: 0, documents });
  expect(shown).toMatchObject({ hint: expect.stringMatching(/^pdftotext is not installed/) });
  truncateSync(`${cwd}/proj/a.pdf`, 10 * 1_048_576 + 1);
  expect((await read({ file_path: "a.pdf" }, without)).result).toMatchObject({
    error_code: "BINARY_FILE",
    hint: expect.stringMatching(/^pdftotext is not installed/),
  });
});

test.each([
  [21, "text", false],
  [20, "text", true],
  [100, "", true],
  [101, "", false],
])("of a PDF with %i pages of '%s', names the document: %s", async (pages, text, isNamed) => {
  const cwd = await tempDir({
    "proj/a.pdf": "%PDF-1.7\n%\0",
    "bin/pdftotext": { content: `#!/bin/sh\nfor page in $(seq ${pages}); do printf '${text}\\f'; done\n`, mode: 0o755 },
  });
  const options = {
    cwd: `${cwd}/proj`,
    env: { ...env, IKIGAI_ANSWER_BYTES: "49152", PATH: `${cwd}/bin:${process.env.PATH}` },
  };
  const { result } = await read({ file_path: "a.pdf" }, options);
  expect(result && "documents" in result).toBe(isNamed);
});
