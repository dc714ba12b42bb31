// A tool that keeps the protocol, for the fixtures to break in one place each.
import { readFileSync, writeSync } from "node:fs";
import { basename } from "node:path";

/** What a fixture may do in its own way. */
const honest = {
  /** Laid over the schema. */
  schema: {},
  /** `--schema`. */
  printSchema: (schema) => print(schema),
  /** Done before anything is read. */
  start: () => {},
  readInput: () => readFileSync(0, "utf8"),
  /** Throws when the input makes no sense. */
  parse(input) {
    const args = JSON.parse(input);
    if (args === null || typeof args !== "object" || Array.isArray(args)) throw new Error("Expected an object");
    return Object.fromEntries(Object.entries(args).filter(([, value]) => value !== null));
  },
  check({ text }) {
    if (typeof text !== "string") throw new Error("Expected text to be a string");
  },
  refuse(error) {
    writeSync(2, `${error.message.split("\n")[0]}\n`);
    process.exit(1);
  },
  answer: ({ text, times = 1 }) => print({ output: text.toUpperCase().repeat(times) }),
};

/** Runs the tool. Without changes it is a good one, called like its file, that says a text louder. */
export function runTool(changes = {}) {
  const tool = { ...honest, ...changes };
  if (process.argv[2] === "--schema") return tool.printSchema({ ...schemaOf(process.argv[1]), ...tool.schema });
  tool.start();
  let args;
  try {
    args = tool.parse(tool.readInput());
    tool.check(args);
  } catch (error) {
    tool.refuse(error);
  }
  return tool.answer(args);
}

export function print(value) {
  writeSync(1, `${JSON.stringify(value)}\n`);
}

function schemaOf(path) {
  return {
    name: basename(path)
      .replace(/-tool$/, "")
      .replaceAll("-", "_"),
    description: "Say a text louder",
    parameters,
    annotations: { readOnlyHint: true, openWorldHint: false },
    outputSchema: { type: "object", properties: { output: { type: "string" } }, required: ["output"] },
    ikigai: { version: "1.0.0", prestart: true },
  };
}

export const parameters = {
  type: "object",
  required: ["text"],
  properties: {
    text: { type: "string", description: "What to say" },
    times: { type: "integer", description: "How often" },
  },
};
