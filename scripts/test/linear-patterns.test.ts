import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const root = fileURLToPath(new URL("../..", import.meta.url));

/** An expression that is one repeated character or class up to the end: quadratic in a run that is not at the end. */
const repeatedEnd = /(?<!\\)\/(?:\\u[\da-f]{4}|\\.|\[(?:\\.|[^\]\\])+\]|[\w\s])[+*]\$\/[a-z]*[,.)]/g;

function sources(): string[] {
  return ["packages", "apps"].flatMap((group) =>
    readdirSync(join(root, group)).flatMap((name) => {
      const directory = join(root, group, name, "src");
      const files = existsSync(directory) ? readdirSync(directory, { recursive: true, encoding: "utf8" }) : [];
      return files.filter((file) => file.endsWith(".ts")).map((file) => join(directory, file));
    }),
  );
}

test("no expression looks for a run at the end of a text", () => {
  const found = sources().flatMap((file) =>
    [...readFileSync(file, "utf8").matchAll(repeatedEnd)].map(([pattern]) => `${file.slice(root.length)}: ${pattern}`),
  );
  expect(found, "use withoutEnd of @ikigai/system, or trimEnd").toEqual([]);
});

test.each([String.raw`text.replace(/\r+$/, "")`, `a.replace(/[.,;]+$/u, "")`, String.raw`/\S*$/.exec(b)`])(
  "finds %s",
  (code) => expect(code.match(repeatedEnd)).toHaveLength(1),
);
