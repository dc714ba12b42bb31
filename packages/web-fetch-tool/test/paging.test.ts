import { expect, test } from "vitest";
import { siteOf } from "./site.ts";

const text = Array.from({ length: 500 }, (_, index) => `line ${index + 1} "é"`).join("\n");

test.each([
  [{}, text, 500],
  [{ offset: 499 }, 'line 499 "é"\nline 500 "é"', 2],
  [{ limit: 2 }, 'line 1 "é"\nline 2 "é"\n', 2],
  [{ offset: 10, limit: 1 }, 'line 10 "é"\n', 1],
  [{ offset: 500, limit: 9 }, 'line 500 "é"', 1],
  [{ offset: 501 }, "", 0],
  [{ offset: -1, limit: 1 }, 'line 1 "é"\n', 1],
  [{ limit: 0 }, "", 0],
  [{ limit: -5 }, "", 0],
])("returns the lines %j", async (range, output, lines) => {
  const { fetch } = await siteOf(text, "text/plain");
  expect((await fetch({ url: "/", ...range })).result).toMatchObject({ output, lines, total_lines: 500 });
});

test("continues where it was cut, with one request", async () => {
  const { fetch, requests } = await siteOf(text, "text/plain");
  const parts: string[] = [];
  for (let offset = 1, truncated = true; truncated; ) {
    const { result, stdout } = await fetch({ url: "/", offset }, { env: { IKIGAI_MAX_OUTPUT_BYTES: "2000" } });
    expect(Buffer.byteLength(stdout)).toBeLessThanOrEqual(2_000);
    parts.push(String(result?.output));
    expect(result?.cached).toBe(offset === 1 ? undefined : true);
    offset += Number(result?.lines);
    truncated = result?.truncated === true;
  }
  expect([parts.join(""), requests.length]).toEqual([text, 1]);
});

test("answers with 10 MiB within the host's limit", async () => {
  const { fetch } = await siteOf(`${"x".repeat(99)}\n`.repeat(104_857), "text/plain");
  const { result, stdout } = await fetch({ url: "/" }, { env: { IKIGAI_MAX_OUTPUT_BYTES: "65536" } });
  expect(Buffer.byteLength(stdout)).toBeLessThanOrEqual(65_536);
  expect(result).toMatchObject({ truncated: true, total_lines: 104_857 });
});
