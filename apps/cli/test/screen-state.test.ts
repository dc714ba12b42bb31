import { stripVTControlCharacters } from "node:util";
import type { Dialog } from "@ikigai/screen";
import { themeFor, unicodeSigns } from "@ikigai/screen";
import { expect, test } from "vitest";
import { createScreenState, type ScreenState } from "../src/tui/app/screen-state.ts";
import type { CallRecord } from "../src/tui/components/call-record.ts";
import { renderDock } from "../src/tui/components/dock.ts";

const dialog: Dialog = { render: () => ({ lines: [] }), key: () => {}, cancel: () => {} };
const viewer = { key: () => {}, changed: () => {}, close: () => {} };
const work = { startedMs: 0, abort: () => {}, activity: "thinking" };

/** A state, and its drawings: for each, whether it is urgent. */
function begin(): { state: ScreenState; draws: boolean[] } {
  const draws: boolean[] = [];
  const first = { theme: themeFor(undefined), recentModels: ["a/one"], branch: undefined };
  return { state: createScreenState(first, (isUrgent) => draws.push(isUrgent)), draws };
}

/** What the screen shows above the editor. */
function rowsAbove({ work: current, theme }: ScreenState, draft?: string): readonly string[] {
  const footer = {
    mode: "ask",
    modeTitle: "",
    directory: "",
    branch: undefined,
    model: "",
    thinking: undefined,
  } as const;
  const editor = { render: () => ({ lines: [] }) };
  const dock = {
    theme,
    signs: unicodeSigns,
    work: current,
    todos: [],
    queue: [],
    hint: undefined,
    dialog: undefined,
    draft,
    editor,
    footer,
  };
  return renderDock(dock, 100, 20).lines;
}

function activityLine(state: ScreenState): string {
  return rowsAbove(state)[1] ?? "";
}

test.each([
  ["one line", "one line"],
  ["two\nlines \n", "lines"],
  ["x".repeat(98), "x".repeat(98)],
  [`first ${"x".repeat(97)}`, `… ${"x".repeat(96)}`],
])("a question shows the end of the draft %j as %j", (draft, shown) => {
  expect(stripVTControlCharacters(rowsAbove(begin().state, draft)[1] ?? "")).toBe(`› ${shown}`);
});

test.each<[string, (state: ScreenState) => void, Partial<ScreenState>]>([
  ["openDialog", (state) => state.openDialog(dialog), { dialog }],
  ["openViewer", (state) => state.openViewer(viewer), { viewer }],
  ["beginWork", (state) => state.beginWork(work), { work }],
  ["endWork", (state) => state.endWork("main"), { work: undefined, branch: "main" }],
  ["addRecentModel", (state) => state.addRecentModel("b/two"), { recentModels: ["a/one", "b/two"] }],
  ["setTodos", (state) => state.setTodos([{ text: "a", status: "open" }]), { todos: [{ text: "a", status: "open" }] }],
  ["setWindowFocus", (state) => state.setWindowFocus(false), { windowHasFocus: false }],
  ["setContext", (state) => state.setContext({ system: "s", tools: [] }), { context: { system: "s", tools: [] } }],
  ["showHint", (state) => state.showHint("So."), { hint: "So." }],
])("%s changes the state and draws once", (_, act, expected) => {
  const { state, draws } = begin();
  act(state);
  expect(state).toMatchObject(expected);
  expect(draws).toHaveLength(1);
});

test("an activity counts only during work, and is drawn when it changes", () => {
  const { state, draws } = begin();
  state.setActivity("answering");
  expect([state.work, draws]).toEqual([undefined, []]);
  state.beginWork(work);
  state.setActivity("thinking", false);
  state.setActivity("answering");
  state.setActivity("answering");
  expect(state.work).toMatchObject({ activity: "answering", hasCalls: false });
  expect(work.activity).toBe("thinking");
  expect(draws).toHaveLength(3);
});

test("the clock of thinking starts when the model is asked, without the calls and questions before", () => {
  const { state } = begin();
  const tenMinutesAgo = performance.now() - 600_000;
  state.beginWork({ ...work, startedMs: tenMinutesAgo });
  state.setActivity("working", true);
  expect(activityLine(state)).not.toContain("10 m");
  state.setActivity("thinking");
  expect(activityLine(state)).toContain("10 m");
  state.askAgain();
  expect(state.work).toMatchObject({ activity: "thinking", hasCalls: false, startedMs: tenMinutesAgo });
  expect(activityLine(state)).toMatch(/thinking .* [1-9]?\d s/);
});

test("a retry is shown until something else happens", () => {
  const { state } = begin();
  state.beginWork(work);
  state.setRetry({ why: "busy", brief: "Busy", atMs: 1, count: 1, most: 3 });
  expect(state.work?.retry).toMatchObject({ why: "busy" });
  state.setRetry(undefined);
  expect(state.work?.retry).toBeUndefined();
});

test("keeps the last 200 calls, and none of another conversation", () => {
  const { state } = begin();
  const record = (id: number) => ({ call: { name: String(id), arguments: "" } }) as CallRecord;
  for (let id = 0; id < 200; id++) state.addRecord(record(id));
  expect(state.records).toHaveLength(200);
  expect(state.records[0]).toMatchObject({ call: { name: "0" } });
  state.addRecord(record(200));
  expect(state.records).toHaveLength(200);
  expect(state.records[0]).toMatchObject({ call: { name: "1" } });
  state.clearRecords();
  expect(state.records).toEqual([]);
});

test("opens a dialog after the previous one has ended, even if that failed", async () => {
  const { state } = begin();
  const opened: string[] = [];
  const settle: { first?: () => void } = {};
  const first = state.afterDialogs(() => {
    opened.push("first");
    return new Promise<never>((_, reject) => {
      settle.first = () => reject(new Error("cancelled"));
    });
  });
  const second = state.afterDialogs(async () => opened.push("second"));
  await new Promise(setImmediate);
  expect(opened).toEqual(["first"]);
  settle.first?.();
  await expect(first).rejects.toThrow("cancelled");
  await second;
  expect(opened).toEqual(["first", "second"]);
});

test("remembers when Esc was pressed, and the models of the providers until they are reset", async () => {
  const { state } = begin();
  expect(state.lastEscapeMs).toBe(Number.NEGATIVE_INFINITY);
  state.noteEscape();
  expect(state.lastEscapeMs).toBeGreaterThan(0);
  state.setListedModels(Promise.resolve(["a/one"]));
  expect(await state.listedModels).toEqual(["a/one"]);
  state.setListedModels(undefined);
  expect(state.listedModels).toBeUndefined();
});
