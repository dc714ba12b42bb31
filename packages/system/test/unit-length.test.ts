import { isCharacterBoundary } from "@ikigai/protocol";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { escapedLength, utf8Length } from "../src/text/long-text.ts";

/** Every kind of code unit, including lone surrogates. */
const anyText = fc.string({
  unit: fc.oneof(fc.constantFrom("\ud83d", "\ude00", "\n", "\u007f", "€"), fc.string({ unit: "binary" })),
});

test("adds up to the bytes of the text, in UTF-8 and as JSON", () => {
  fc.assert(
    fc.property(anyText, (text) => {
      const sums = { utf8: 0, json: 0 };
      for (let index = 0; index < text.length; index++) {
        sums.utf8 += utf8Length(text, index);
        sums.json += escapedLength(text, index);
      }
      expect(sums).toEqual({ utf8: Buffer.byteLength(text), json: Buffer.byteLength(JSON.stringify(text)) - 2 });
    }),
    { numRuns: 1_000 },
  );
});

test("allows a cut anywhere but inside a character", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), (text) => {
      for (let index = 0; index <= text.length; index++) {
        expect(isCharacterBoundary(text, index)).toBe(text.slice(0, index).isWellFormed());
      }
    }),
  );
});
