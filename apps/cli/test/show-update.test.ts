import { plainStyle } from "@ikigai/screen";
import { ToolRoot } from "@ikigai/tool-packages";
import { expect, test } from "vitest";
import { renderOffer, renderStaged, renderUpdate } from "../src/commands/tool/add/show-package.ts";

const entry = { source: "s", version: "1", sha256: "0", tools: {} };

test.each([
  [40, 120, 0, 0],
  [41, 121, 1, 1],
])("of %s files and %s lines, only counts %s files and %s lines", (files, lines, moreFiles, moreLines) => {
  const added = (count: number) => Array.from({ length: count }, (_, index) => `line ${index}`);
  const differences = [
    { path: "first", kind: "added" as const, lines: { before: [], after: added(lines) } },
    ...added(files - 1).map((path) => ({ path, kind: "removed" as const })),
  ];
  const text = renderUpdate(entry, { ...entry, sha256: "1" }, { files: differences, lostTools: [] });
  expect(text.includes("… 1 more line\n")).toBe(moreLines > 0);
  expect(text.includes("… 1 more file\n")).toBe(moreFiles > 0);
  expect(text.match(/^ {4}\+ /gm)).toHaveLength(120);
});

test.each([
  [21, "    line 20\n"],
  [22, "    line 19\n    … 2 more files\n"],
])("of a package with %s files, it lists the names up to a limit", (count, end) => {
  const files = Array.from({ length: count }, (_, index) => `line ${index}`);
  const staged = { name: "p", version: "1", sha256: "0", files, tools: [], bringsMore: false, isSingleFile: false };
  const places = { home: "/h/.ikigai", userHome: "/h", projectDir: "/p", directories: [] };
  const root = ToolRoot.of(places, { isProject: false });
  const text = renderStaged({ ...staged, passesCheck: undefined, packageDir: "", dependencies: 0, facts: {} }, [], {
    ...{ root, places, style: plainStyle, folder: undefined, parts: [] },
  });
  expect(text).toContain(`  ${count} files\n    line 0\n`);
  expect(text).toContain(`${end}Nothing in it has run yet.`);
});

test.each([
  [298, ""],
  [299, " … (cut)"],
])("of a line of %s characters, it shows 300 columns", (length, end) => {
  const differences = [{ path: "a", kind: "added" as const, lines: { before: [], after: ["x".repeat(length)] } }];
  const [line = ""] =
    renderUpdate(entry, { ...entry, sha256: "1" }, { files: differences, lostTools: [] }).match(/^ {4}\+ .*$/m) ?? [];
  expect(line.endsWith(end || "x")).toBe(true);
  expect(line).toHaveLength(4 + 300);
});

test("of a package that is restored, it lists the missing files by name, up to a limit", () => {
  const files = Array.from({ length: 22 }, (_, index) => {
    return { path: `file ${index}`, kind: "added" as const, lines: { before: [], after: ["text"] } };
  });
  const text = renderUpdate(entry, entry, { files, lostTools: ["a"] });
  expect(text).toMatch(
    /^The source is unchanged.\nThese files are missing and will be restored:\n {2}file 0\n {2}file 1\n/,
  );
  expect(text).toMatch(/\n {2}file 19\n {2}… 2 more files\n$/);
  const changed = { path: "b", kind: "changed" as const };
  const moved = renderUpdate({ ...entry, source: "../other" }, entry, { files: [changed], lostTools: [] });
  expect(moved).toMatch(/^Changes:\n {2}source {2}\.\.\/other → \S+\nYour local changes will be lost:\n/);
  expect(renderUpdate(entry, entry, { files: [changed], lostTools: [] })).toBe(
    "The source is unchanged.\nYour local changes will be lost:\n  changed b\n",
  );
  expect(renderUpdate(entry, entry, { files: [], lostTools: ["a"] })).toBe(
    "The source is unchanged.\nThe tool a will be restored.\n",
  );
});

test.each([
  [{ agent: true }, "Starts agents"],
  [{ catalog: true }, "loads them"],
  [{ host: ["ask"] }, "Requests from ikigai in a call: ask"],
  [{ needs: { read: ["~/.ssh"] } }, "Needs in the sandbox: it reads ~/.ssh (a place of your keys and passwords)"],
] as const)("an offered tool with %j says so", (ikigai, text) => {
  const places = { home: "/h/.ikigai", userHome: "/h", projectDir: "/p", directories: [] };
  const schema = { name: "a", description: "d", parameters: { type: "object", properties: {} }, ikigai } as const;
  const offer = renderOffer({ name: "a", schema, warnings: [] } as never, {
    root: ToolRoot.of(places, { isProject: false }),
    places,
    style: plainStyle,
  });
  expect(offer).toContain(text);
});
