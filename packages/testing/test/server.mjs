// A tool that serves calls without the SDK, for the fixtures to break in one place each: frames on stdin, replies on stdout.
import { readSync, writeSync } from "node:fs";
import { print, runTool } from "./honest.mjs";

/** What a fixture may do in its own way. */
const honest = {
  /** Done before it is ready. */
  start: () => {},
  ready: () => print({ ready: true }),
  /** The answer to a call. */
  answer: ({ text, times }) => ({ output: text.toUpperCase().repeat(times ?? 1) }),
  /** Why a call is invalid; `undefined` if it is valid. */
  problem: ({ text }) => (typeof text === "string" ? undefined : "Expected text to be a string"),
  /** Replies to a call. */
  reply(tool, { call, arguments: args }) {
    const refused = tool.problem(args);
    print(refused === undefined ? { call, answer: tool.answer(args) } : { call, refused });
  },
  /** Done after each reply, before it is ready again. */
  afterwards: () => {},
  broken(line) {
    writeSync(2, `Expected a frame, got ${line}\n`);
    process.exit(1);
  },
  end: () => process.exit(0),
};

/** Runs the tool. Without changes it is a good one, called like its file, that says a text louder. */
export function runServer(changes = {}) {
  const tool = { ...honest, ...changes };
  const ikigai = { version: "1.0.0", prestart: true, serves: true, ...changes.ikigai };
  const isServing = process.env.IKIGAI_SERVE === "1" && process.argv[2] !== "--schema";
  if (!isServing) return runTool({ schema: { ikigai }, answer: (args) => print(tool.answer(args)) });
  delete process.env.IKIGAI_SERVE;
  tool.start();
  for (;;) {
    tool.ready();
    const line = nextLine();
    if (line === undefined) return tool.end();
    const frame = parse(line);
    if (frame === undefined) tool.broken(line);
    else tool.reply(tool, frame);
    tool.afterwards(frame);
  }
}

let rest = Buffer.alloc(0);

/** Waits for a line; `undefined` at the end of stdin. */
function nextLine() {
  const chunk = Buffer.alloc(65_536);
  for (;;) {
    const end = rest.indexOf(10);
    if (end >= 0) {
      const line = rest.subarray(0, end).toString();
      rest = rest.subarray(end + 1);
      return line;
    }
    const length = readSync(0, chunk);
    if (length === 0) return undefined;
    rest = Buffer.concat([rest, chunk.subarray(0, length)]);
  }
}

function parse(line) {
  try {
    const frame = JSON.parse(line);
    return typeof frame?.call === "string" ? frame : undefined;
  } catch {
    return undefined;
  }
}
