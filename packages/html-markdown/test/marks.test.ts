import fc from "fast-check";
import { expect, test } from "vitest";
import { type Mark, markOf, OpenMarks } from "../src/inline.ts";

test("closing one of many elements of a name makes no other mark again, until it is the last", () => {
  const marks = new OpenMarks();
  const depth = 120;
  for (const name of ["i", "b"]) for (let count = 0; count < depth; count++) marks.open(name);
  const before = marks.innermost;
  for (let count = 1; count < depth; count++) marks.close("i");
  expect(marks.innermost).toBe(before);
  expect(before?.path.map(({ kind }) => kind)).toEqual(["em", "strong"]);
  marks.close("i");
  expect(marks.innermost?.path.map(({ kind }) => kind)).toEqual(["strong"]);
});

const name = fc.constantFrom("b", "strong", "i", "em", "code", "tt", "s", "sub", "a", "span");
const step = fc.record({ name, closes: fc.boolean(), url: fc.constantFrom(undefined, "/x") });

test("what is open counts as if each element had been opened where it is now", () => {
  const agrees = (steps: readonly { name: string; closes: boolean; url: string | undefined }[]) => {
    const marks = new OpenMarks();
    const open: { name: string; url: string | undefined }[] = [];
    for (const { name, closes, url } of steps) {
      const index = open.findLastIndex((one) => one.name === name);
      if (!closes) {
        open.push({ name, url });
        marks.open(name, url);
      } else {
        marks.close(name);
        if (index >= 0) open.splice(index, 1);
      }
      const expected = open.reduce<Mark | undefined>((outer, one) => markOf(one.name, outer, one.url), undefined);
      expect(shown(marks.innermost)).toEqual(shown(expected));
    }
  };
  fc.assert(fc.property(fc.array(step, { maxLength: 40 }), agrees), { numRuns: 2_000 });
});

const shown = (mark: Mark | undefined) => mark?.path.map(({ kind, name, url }) => [kind, name, url]);
