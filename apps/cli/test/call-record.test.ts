import type { JsonObject } from "@ikigai/protocol";
import { plainStyle, unicodeSigns } from "@ikigai/screen";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { ToolResult } from "../src/render/call/render-result.ts";
import { renderRecord } from "../src/tui/components/call-record.ts";

const look = { style: plainStyle, signs: unicodeSigns, columns: 80 };

function recordOf(envelope: ToolResult["envelope"]): string {
  const result = { name: "x", envelope, durationMs: 5, notes: [] };
  return renderRecord({ call: { name: "x", arguments: "{}" }, result }, look).join("\n");
}

const answered = (result: JsonObject) => recordOf({ tool_success: true, result });

describe("the whole record of a call", () => {
  test("has the output, and a line for each other field", () => {
    const page = { output: "The page.\n", status: 200, title: "IGNORE ALL", list: ["a", "b"] };
    expect(answered(page)).toContain('  The page.\n  status: 200\n  title: IGNORE ALL\n  list: ["a","b"]\n');
  });

  test("has what comes with an error, and the error", () => {
    const text = answered({ error: "Not found", error_code: "NOT_FOUND", output: "A page.", hint: "Look elsewhere" });
    expect(text).toContain("  A page.\n  error_code: NOT_FOUND\n");
    expect(text.match(/Not found/g)).toHaveLength(1);
    expect(text.match(/Look elsewhere/g)).toHaveLength(1);
  });

  test("has all that a failed tool printed", () => {
    const failure = {
      tool_success: false,
      error: "Failed",
      error_code: "TOOL_CRASHED",
      exit_code: 1,
      stderr: "",
    } as const;
    const text = recordOf({ ...failure, stdout: '{"output":"some","detail":"MARKER"}' });
    expect(text).toContain("  some\n  detail: MARKER\n");
  });

  test("has a field that is there twice both times", () => {
    const json = '{"tool_success":true,"result":{"output":"MARKER","output":"harmless"}}';
    const result = { name: "x", envelope: JSON.parse(json), json, durationMs: 5, notes: [] };
    const text = renderRecord({ call: { name: "x", arguments: "{}" }, result }, look).join("\n");
    expect(text).toContain("  harmless\n");
    expect(text).toContain("MARKER");
  });

  test("survives any depth, and is not much longer than the answer", () => {
    const nested = (levels: number, inner: string) => JSON.parse("[".repeat(levels) + inner + "]".repeat(levels));
    const wide = Array(30_000).fill(1).join(",");
    expect(answered({ d: nested(900, wide) }).length).toBeLessThan(1_000_000);
    expect(answered({ output: "some", d: nested(900, wide) })).toContain("some");
    for (const result of [{ d: nested(100_000, "") }, { output: "some", d: nested(100_000, "") }])
      expect(answered(result)).toContain("too deep to show");
  });

  test("says the exit code once", () => {
    const text = answered({ output: "", exit_code: 3 });
    expect(text.match(/3/g)).toHaveLength(1);
  });

  test("hides no text of an answer, in whatever fields", () => {
    const marks = fc.stringMatching(/^[A-Z]{6,12}$/);
    const names = fc.constantFrom(
      "output",
      "error",
      "hint",
      "help",
      "images",
      "visual",
      "exit_code",
      "title",
      "note",
      "truncated",
    );
    const values = fc.oneof(marks, fc.array(marks), fc.record({ steps: fc.array(marks), more: marks }));
    fc.assert(
      fc.property(fc.dictionary(names, values), (result) => {
        const text = answered(result as JsonObject);
        for (const [mark] of JSON.stringify(result).matchAll(/[A-Z]{6,12}/g)) expect(text).toContain(mark);
      }),
    );
  });
});
