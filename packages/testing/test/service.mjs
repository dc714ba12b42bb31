// A service without the SDK, for the fixtures to break in one place each: it counts the characters that it has said.
import { writeSync } from "node:fs";
import { basename } from "node:path";
import { print, runTool } from "./honest.mjs";

/** How long a call takes in the service, in milliseconds, so that calls overlap. */
const callMs = 20;

/** What a fixture may do in its own way. */
const honest = {
  /** Done before it is ready. */
  start: async () => {},
  ready: () => print({ ready: true }),
  /** The answer to a call of the service. */
  answer: ({ text, times }) => ({ output: text.toUpperCase().repeat(times ?? 1) }),
  /** The answer with one process per call. */
  answerAlone: (args) => honest.answer(args),
  /** Why a call is invalid; `undefined` if it is valid. */
  problem: ({ text }) => (typeof text === "string" ? undefined : "Expected text to be a string"),
  /** Whether it has this tool. */
  has: (name) => name === basename(process.argv[1], "-tool").replaceAll("-", "_"),
  call,
  reply: (tool, call, args) => print({ call, answer: tool.answer(args) }),
  cancel(tool, id) {
    if (!tool.open.has(id)) return;
    clearTimeout(tool.open.get(id));
    tool.open.delete(id);
    print({ call: id, answer: { error: "Cancelled", error_code: "CANCELLED" } });
  },
  broken(line) {
    writeSync(2, `Expected a frame, got ${line}\n`);
    process.exit(1);
  },
  end: () => process.exit(0),
};

/** Replies to a call, refuses one that is invalid. */
export function call(tool, { call: id, tool: name, arguments: args }) {
  const refused = tool.has(name) ? tool.problem(args) : `There is no tool ${name} here`;
  if (refused !== undefined) return print({ call: id, refused });
  const timer = setTimeout(() => {
    tool.open.delete(id);
    tool.reply(tool, id, args);
  }, callMs);
  return tool.open.set(id, timer);
}

/** Runs the tool. Without changes it is a good one, called like its file, that says a text louder. */
export async function runService(changes = {}) {
  const tool = { ...honest, open: new Map(), called: new Set(), ...changes };
  const ikigai = { version: "1.0.0", service: "shouting", ...changes.ikigai };
  const isService = process.env.IKIGAI_SERVE === "1" && process.argv[2] !== "--schema";
  if (!isService)
    return runTool({ schema: { ...changes.schema, ikigai }, answer: (args) => print(tool.answerAlone(args)) });
  delete process.env.IKIGAI_SERVE;
  await tool.start();
  let rest = "";
  process.stdin.setEncoding("utf8").on("data", (text) => {
    const lines = (rest + text).split("\n");
    rest = lines.pop();
    for (const line of lines) take(tool, line);
  });
  process.stdin.on("end", () => tool.end());
  tool.ready();
}

function take(tool, line) {
  const frame = parse(line);
  if (typeof frame?.cancel === "string") tool.cancel(tool, frame.cancel);
  else if (typeof frame?.call === "string") {
    tool.called.add(frame.call);
    tool.call(tool, frame);
  } else tool.broken(line);
}

function parse(line) {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}
