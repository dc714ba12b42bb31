import fc from "fast-check";
import { expect, test } from "vitest";

interface Chunk {
  readonly name: string;
  readonly size: number;
  readonly imports: readonly number[];
  readonly dynamicImports: readonly number[];
  readonly isStart: boolean;
}

type MergeChunks = (chunks: readonly Chunk[], weightOf?: (chunk: Chunk) => number) => number[][];

// The repository's scripts have no types, so this is not an import statement.
const { mergeChunks }: { mergeChunks: MergeChunks } = await import(
  new URL("../merge-chunks.mjs", import.meta.url).href
);

const chunk = (name: string, size: number, imports: number[], more: Partial<Chunk> = {}): Chunk => ({
  ...{ name, size, imports, dynamicImports: [], isStart: false },
  ...more,
});

/** The names of the chunks in each file. */
function filesOf(chunks: readonly Chunk[], weightOf?: (chunk: Chunk) => number): string[] {
  return mergeChunks(chunks, weightOf)
    .map((file) =>
      file
        .map((index) => chunks[index]?.name)
        .toSorted()
        .join("+"),
    )
    .toSorted();
}

const entry = chunk("entry", 100, [], { dynamicImports: [1, 2] });
test("merges what always loads together", () => {
  const large = [chunk("one", 90_000, [3, 4], { isStart: true }), chunk("two", 90_000, [3, 4], { isStart: true })];
  expect(filesOf([entry, ...large, chunk("a", 90_000, []), chunk("b", 90_000, [3])])).toEqual([
    ...["a+b", "entry", "one", "two"],
  ]);
});

test("merges a small chunk that only one start loads into a file that both load", () => {
  const small = [entry, chunk("one", 100, [3, 4], { isStart: true }), chunk("two", 100, [3], { isStart: true })];
  expect(filesOf([...small, chunk("a", 90_000, []), chunk("b", 1_000, [])])).toContain("a+b+one+two");
  expect(filesOf([...small, chunk("a", 90_000, []), chunk("b", 50_000, [])])).toContain("b+one");
});

test("keeps a large chunk from the starts that do not load it, as long as those count", () => {
  const chunks = [entry, chunk("one", 9_000, [3], { isStart: true }), chunk("two", 9_000, [], { isStart: true })];
  const all = [...chunks, chunk("a", 9_000, [])];
  expect(filesOf(all)).toEqual(["a+one", "entry", "two"]);
});

test("keeps a chunk from the start that does not load it if that one counts more", () => {
  const start = (name: string, imports: number[]) => chunk(name, 90_000, imports, { isStart: true });
  const begin = chunk("entry", 100, [], { dynamicImports: [1, 2, 3] });
  const small = [chunk("a", 6_000, []), chunk("b", 6_000, [])];
  const chunks = [begin, start("one", [4]), start("two", [4, 5]), start("three", [4, 5]), ...small];
  expect(filesOf(chunks)).toContain("a+b");
  expect(filesOf(chunks, ({ name }) => (name === "one" ? 10 : 1))).not.toContain("a+b");
});

test("merges what a start loads with what is loaded before it", () => {
  const chunks = [
    chunk("entry", 100, [], { dynamicImports: [1] }),
    chunk("command", 50_000, [], { isStart: true, dynamicImports: [2] }),
    chunk("list", 1_000, [], { isStart: true }),
  ];
  expect(filesOf(chunks)).toEqual(["command+list", "entry"]);
});

test("makes no two files import each other, keeps every chunk once, and the entry alone", () => {
  const anyChunks = fc
    .array(
      fc.record({ size: fc.integer({ min: 10, max: 20_000 }), imports: fc.array(fc.nat(20)), isStart: fc.boolean() }),
      {
        minLength: 2,
        maxLength: 20,
      },
    )
    .map((list) =>
      list.map(({ size, imports, isStart }, index) =>
        // Only later ones: chunks do not import each other either.
        chunk(
          `${index}`,
          size,
          [...new Set(imports)].filter((id) => id > index && id < list.length && index > 0),
          {
            isStart: index > 0 && isStart,
            dynamicImports: index === 0 ? list.map((_, id) => id).filter((id) => id > 0 && list[id]?.isStart) : [],
          },
        ),
      ),
    );
  fc.assert(
    fc.property(anyChunks, (chunks) => {
      const files = mergeChunks(chunks);
      expect(files.flat().toSorted((a, b) => a - b)).toEqual(chunks.map((_, index) => index));
      expect(files.find((file) => file.includes(0))).toEqual([0]);
      const fileOf = (index: number) => files.findIndex((file) => file.includes(index));
      const importsOf = (file: number) =>
        (files[file] ?? []).flatMap((index) => (chunks[index]?.imports ?? []).map(fileOf)).filter((id) => id !== file);
      for (const start of files.keys()) {
        const reached = importsOf(start);
        for (const file of reached) for (const next of importsOf(file)) if (!reached.includes(next)) reached.push(next);
        expect(reached).not.toContain(start);
      }
    }),
  );
});
