import { plainStyle, unicodeSigns } from "@ikigai/screen";
import { expect, test } from "vitest";
import { renderCall } from "../src/render/call/render-call.ts";
import { type CallState, renderHead } from "../src/tui/components/call-block.ts";

const look = { style: plainStyle, signs: unicodeSigns, columns: 100 };

/** The last row of a heading whose title has this many characters. */
function lastRow(length: number): string | undefined {
  const call = (size: number) => ({ name: "bash", arguments: JSON.stringify({ command: "x".repeat(size) }) });
  const others = renderCall(call(1), look, "*").length - 1;
  const state: CallState = {
    call: call(length - others),
    phase: "waiting",
    asked: undefined,
    change: undefined,
    progress: undefined,
    startedMs: 0,
    isFailed: false,
    typed: undefined,
    tookMs: undefined,
  };
  expect(renderHead(state, look, [])).toHaveLength(5);
  return renderHead(state, look, []).at(-1);
}

test("counts the rows of a heading up to 10,000 characters, and says more than that of a longer one", () => {
  expect(lastRow(10_000)).toMatch(/^ {4}… \d+ lines {3}ctrl-o$/);
  expect(lastRow(10_001)).toMatch(/^ {4}… more than \d+ lines {3}ctrl-o$/);
});
