// Promise 8 of SECURITY.md.
// @module-tag sampled
import { deflateSync } from "node:zlib";
import { readVisual, type Visual } from "@ikigai/protocol";
import { ansiStyle, asciiSigns, plainStyle, plainWidth, unicodeSigns } from "@ikigai/screen";
import { placeImage, plainPng } from "@ikigai/screen/image-sequence";
import fc from "fast-check";
import { expect, test } from "vitest";
import { drawVisuals } from "../src/render/call/draw-visuals.ts";
import { evil } from "./evil-texts.ts";
import { chunk, png } from "./showing-home.ts";

const esc = "\u001b";
/** What our styles write. */
const styles = new RegExp(`${esc}\\[(?:1|2|22|31|32|33|36|39)m`, "g");
const control = /[\p{Cc}\p{Cs}\p{Bidi_Control}\u200b\u2028\u2029]/u;

const plain = (columns: number, signs = unicodeSigns) => ({ style: plainStyle, signs, columns });

/** The lines of a visual as text. */
function draw(visual: unknown, columns = 60, signs = unicodeSigns): string[] {
  const read = readVisual(visual as never);
  return drawVisuals([read as Visual & { type: "table" }], plain(columns, signs)).map(String);
}

const chart = (values: number[], more: object = {}) => ({
  type: "chart",
  kind: "bar",
  labels: values.map((_, index) => `label ${index}`),
  series: [{ name: "n", values }],
  alt: "A chart",
  ...more,
});

const text = fc.oneof(fc.string({ unit: "binary" }), fc.constantFrom(evil, "", "日本語", "a\tb\nc\rd", `${esc}[2J`));
const number = fc.oneof(
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.constantFrom(0, -0, 1e308, -1e308, 5e-324),
);
const visual = fc.oneof(
  fc
    .record({ type: fc.constant("table"), columns: fc.array(text, { minLength: 1, maxLength: 12 }), alt: text })
    .chain((table) =>
      fc.record({
        ...Object.fromEntries(Object.entries(table).map(([name, value]) => [name, fc.constant(value)])),
        rows: fc.array(fc.array(fc.oneof(text, number, fc.constant(null)), { maxLength: table.columns.length })),
      }),
    ),
  fc.record({
    type: fc.constant("diff"),
    path: text,
    alt: text,
    text: fc.array(text).map((lines) => `@@ -1 +1 @@\n+${lines.join("\n-")}`),
  }),
  fc
    .record({
      type: fc.constant("chart"),
      kind: fc.constantFrom("bar", "line"),
      alt: text,
      rows: fc.array(fc.tuple(text, number, number), { minLength: 1, maxLength: 30 }),
      name: text,
      two: fc.boolean(),
    })
    .map(({ rows, name, two, ...rest }) => ({
      ...rest,
      labels: rows.map(([label]) => label),
      series: [1, ...(two ? [2] : [])].map((place) => ({ name, values: rows.map((row) => row[place]) })),
    })),
  fc.record({ type: fc.constant("image"), path: text, alt: text }),
  fc.anything(),
);

test("whatever a tool shows, its lines have no control characters but those of our styles, and fit", () => {
  fc.assert(
    fc.property(visual, fc.integer({ min: 4, max: 200 }), fc.boolean(), (value, columns, isAscii) => {
      const read = readVisual(value as never);
      const shown = read.type === "image" ? { ...read, mediaType: "image/png", sha256: "", width: 1, height: 1 } : read;
      const look = { style: ansiStyle, signs: isAscii ? asciiSigns : unicodeSigns, columns };
      for (const line of drawVisuals([shown], look)) {
        if (typeof line !== "string") throw new Error("no image can be drawn here");
        const bare = line.replace(styles, "").replaceAll("\t", " ");
        expect(bare).not.toMatch(control);
        expect(plainWidth(bare)).toBeLessThanOrEqual(Math.max(columns, 6));
      }
    }),
    { numRuns: 2_000 },
  );
});

test("makes hostile texts visible in every field", () => {
  const hostile = [
    { type: "table", columns: [evil], rows: [[evil]], alt: evil },
    { type: "diff", path: evil, text: `@@ -1 +1 @@\n+${evil}`, alt: evil },
    {
      type: "chart",
      kind: "bar",
      labels: [evil],
      series: [
        { name: evil, values: [1] },
        { name: evil, values: [2] },
      ],
      alt: evil,
    },
    { type: "chart", kind: "line", labels: [evil, evil], series: [{ name: evil, values: [1, 2] }], alt: evil },
    { type: evil, alt: evil },
  ];
  for (const one of hostile) {
    const lines = draw(one, 2_000).join("");
    expect(lines).not.toMatch(control);
    expect(lines).toContain("␛]52;c;");
  }
});

test("bars show negative values to the left of the others, and the largest numbers", () => {
  expect(draw(chart([2, -2, 0, 1e-9]), 40)).toEqual([
    "  A chart",
    "  label 0              ███████████     2",
    "  label 1  ████████████               -2",
    "  label 2                              0",
    "  label 3              ▏            1e-9",
  ]);
  expect(draw(chart([1e308, -1e308]), 40).join("\n")).not.toMatch(/NaN|Infinity|undefined/);
  expect(draw(chart([3, 1]), 30, asciiSigns)).toEqual([
    "  A chart",
    "  label 0  ################  3",
    "  label 1  #####             1",
  ]);
});

test("a narrow terminal gets the numbers without bars", () => {
  expect(draw(chart([3, 1]), 18)).toEqual(["  A chart", "  label…  3", "  label…  1"]);
});

test("groups are named in words, not in colours", () => {
  const grouped = chart([1, 2], {
    labels: ["a", "b"],
    series: [
      { name: "x", values: [1, 2] },
      { name: "y", values: [3, 4] },
    ],
  });
  expect(draw(grouped, 40).map((line) => line.replace(/ *[█▏▎▍▌▋▊▉]+ */, " "))).toEqual([
    "  A chart",
    "  a",
    "    x 1",
    "    y 3",
    "  b",
    "    x 2",
    "    y 4",
  ]);
});

test("a line chart has its extremes and its first and last label", () => {
  const line = chart([1, 3, 2], { kind: "line", labels: ["Mon", "Tue", "Wed"] });
  const drawn = draw(line, 40);
  expect(drawn[1]).toBe("  3 │      ╭─────╮");
  expect(drawn[8]).toMatch(/^ {2}1 │─+╯/);
  expect(drawn.at(-1)).toBe("     Mon            Wed");
  expect(draw(line, 40, asciiSigns)[1]).toBe("  3 |      +-----+");
});

test.each([
  [
    "a million rows",
    { type: "table", columns: ["a"], rows: Array(1_000_000).fill([1]), alt: "x" },
    "it has 1000000 rows; at most 200 are drawn",
  ],
  [
    "201 rows",
    { type: "table", columns: ["a"], rows: Array(201).fill([1]), alt: "x" },
    "it has 201 rows; at most 200 are drawn",
  ],
  [
    "61 columns",
    { type: "table", columns: Array(61).fill("a"), rows: [], alt: "x" },
    "it has 61 columns; at most 60 are drawn",
  ],
  [
    "too many cells",
    { type: "table", columns: ["a"], rows: [[1, 2]], alt: "x" },
    "row 1 has more cells than there are columns",
  ],
  ["201 labels", chart(Array(201).fill(1)), "it has 201 labels; at most 200 are drawn"],
  [
    "9 series",
    chart([1], { series: Array(9).fill({ name: "n", values: [1] }) }),
    "it has 9 series; at most 8 are drawn",
  ],
  [
    "NaN as a text",
    chart([1], { series: [{ name: "n", values: ["NaN"] }] }),
    'series 1 has a value that is not a finite number: "NaN"',
  ],
  [
    "an infinite value",
    chart([Number.POSITIVE_INFINITY]),
    "series 1 has a value that is not a finite number: infinite",
  ],
  ["a value too few", chart([1], { labels: ["a", "b"] }), "series 1 has 1 values for 2 labels"],
  [
    "65,537 bytes",
    { type: "diff", path: "a", text: `@@ -1 +1 @@\n${"x".repeat(65_500)}`, alt: "x" },
    "it is longer than 65536 bytes",
  ],
  ["a long text", { type: "image", path: "a", alt: "é".repeat(1_025) }, 'its "alt" is longer than 2048 bytes'],
  ["no text", { type: "image", path: "a", alt: " " }, 'it has no text in "alt"'],
  ["no diff", { type: "diff", path: "a", text: "new", alt: "x" }, 'its "text" is not a unified diff'],
  ["a NUL in a path", { type: "image", path: "a\0b", alt: "x" }, 'it needs a "path"'],
])("refuses %s", (_, value, reason) => {
  expect(readVisual(value as never)).toMatchObject({ type: "refused", reason });
});

test.each([
  [
    "200 rows of 60 columns",
    { type: "table", columns: Array(60).fill("a"), rows: Array(200).fill(Array(60).fill(1)), alt: "x" },
  ],
  [
    "200 labels of 8 series",
    chart(Array(200).fill(1), { series: Array(8).fill({ name: "n", values: Array(200).fill(1) }) }),
  ],
  ["65,536 bytes", { type: "diff", path: "a", text: `@@ -1 +1 @@\n${"x".repeat(65_536 - 63)}`, alt: "x" }],
  ["a text of 2,048 bytes", { type: "image", path: "a", alt: "é".repeat(1_024) }],
])("accepts %s", (_, value) => {
  expect(readVisual(value as never)).not.toMatchObject({ type: "refused" });
});

test("a value that is nested deeply is refused without an error", () => {
  const deep = JSON.parse(`${"[".repeat(100_000)}${"]".repeat(100_000)}`);
  for (const value of [
    { type: "table", columns: ["a"], rows: [[deep]], alt: "x" },
    { type: "image", path: "a", alt: deep },
    deep,
    chart([deep]),
  ]) {
    expect(readVisual(value)).toMatchObject({ type: "refused" });
  }
  expect(readVisual({ ...chart([1]), more: deep } as never)).toMatchObject({ type: "chart" });
});

test("keeps what makes the picture of a PNG, and refuses what is not one", () => {
  const whole = png(4, 4);
  expect(plainPng(png(4, 4, [chunk("zTXt", deflateSync(Buffer.alloc(10_000_000)))]))).toEqual(whole);
  expect(plainPng(Buffer.concat([whole, Buffer.from(`${esc}[2J`)]))).toEqual(whole);
  // Exactly as much data as the picture needs, and one byte more.
  expect(plainPng(png(4, 4, [], deflateSync(Buffer.alloc(4 * 13))))).toBeDefined();
  expect(plainPng(png(4, 4, [], deflateSync(Buffer.alloc(4 * 13 + 1))))).toBeUndefined();
  const bomb = png(4, 4, [], deflateSync(Buffer.alloc(50_000_000)));
  for (const bytes of [
    bomb,
    png(4, 4, [], Buffer.from("none")),
    png(4, 4, [chunk("IHDR", png(9_000, 9_000).subarray(16, 29))]),
    whole.subarray(0, -12),
    whole.subarray(0, 20),
    Buffer.alloc(0),
  ]) {
    expect(plainPng(bytes)).toBeUndefined();
  }
});

test("an image takes at most 20 rows, and less in a small terminal", () => {
  const place = (width: number, height: number, rows: number) => {
    const image = {
      type: "image",
      path: "a",
      alt: "x",
      mediaType: "image/png",
      sha256: "",
      width,
      height,
      bytes: png(1, 1),
    } as const;
    return placeImage(image, "iterm2", { columns: 100, rows })?.rows;
  };
  expect(place(8, 16, 40)).toBe(1);
  expect(place(800, 320, 40)).toBe(18);
  expect(place(10, 4_096, 40)).toBe(20);
  expect(place(10, 4_096, 5)).toBe(5);
  expect(place(4_096, 1, 40)).toBe(1);
});
