// Promise 6 of SECURITY.md.
import { mkdirSync, realpathSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import { readEntries, readLink, readNames, readRealPath, walkLinks } from "../src/index.ts";
import { tempDir } from "./temp-dir.ts";

const odd = Buffer.from([0xff, 0x64]);
const at = (directory: string, name: Buffer | string) =>
  Buffer.concat([Buffer.from(`${directory}/`), Buffer.from(name)]);

/** macOS creates no such names. */
const isPossible = process.platform === "linux";

test("names, links and real paths in UTF-8 are read", async () => {
  const dir = realpathSync(await tempDir());
  mkdirSync(join(dir, "é"));
  writeFileSync(join(dir, "é/日"), "");
  symlinkSync("é/日", join(dir, "link"));
  expect(readNames(dir).sort()).toEqual(["link", "é"]);
  expect(readEntries(join(dir, "é")).map((entry) => [entry.name, entry.isFile()])).toEqual([["日", true]]);
  expect(readLink(join(dir, "link"))).toBe("é/日");
  expect(readRealPath(join(dir, "link"))).toBe(join(dir, "é/日"));
});

test.skipIf(!isPossible)("what is not UTF-8 is refused: the text would name another file", async () => {
  const dir = await tempDir();
  writeFileSync(at(dir, odd), "");
  symlinkSync(odd, join(dir, "link"));
  const error = expect.objectContaining({ code: "EILSEQ", message: expect.stringContaining("not UTF-8: \ufffdd") });
  const wrong = expect.objectContaining({ code: "EILSEQ" });
  for (const read of [readNames, readEntries]) expect(() => read(dir)).toThrow(error);
  for (const read of [readLink, readRealPath]) expect(() => read(join(dir, "link"))).toThrow(wrong);
  expect(() => walkLinks(join(dir, "link"))).toThrow(wrong);
});

const segment = fc.constantFrom<string | Buffer>("a", "b", odd, Buffer.from("a\ufffd"), Buffer.from([0x61, 0xff]));

test.skipIf(!isPossible)("a walk leads where the system goes, or nowhere", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.tuple(segment, segment), { minLength: 1, maxLength: 4 }), async (hops) => {
      const dir = realpathSync(await tempDir());
      // Every link leads to a directory of the next hop, through one that may have an odd name.
      let target: Buffer = at(dir, "end");
      mkdirSync(target);
      for (const [index, [parent, name]] of hops.entries()) {
        const place = at(dir, Buffer.concat([Buffer.from(`${index}`), Buffer.from(parent)]));
        mkdirSync(place);
        const link = Buffer.concat([place, Buffer.from("/"), Buffer.from(name)]);
        symlinkSync(target, link);
        target = link;
      }
      const first = join(dir, "first");
      symlinkSync(target, first);
      const walked = [() => walkLinks(first).target, () => readRealPath(first)].map(attempt);
      const real = realpathSync.native(first, "buffer");
      for (const text of walked) expect(text === undefined || Buffer.from(text).equals(real)).toBe(true);
      const isOdd = hops.some((hop) => hop.some((part) => Buffer.from(part).toString().includes("\ufffd")));
      expect(walked[0] === undefined).toBe(isOdd);
    }),
    { numRuns: 50 },
  );
});

function attempt(walk: () => string): string | undefined {
  try {
    return walk();
  } catch {
    return undefined;
  }
}
