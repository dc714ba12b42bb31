// The form of a final answer: reads the JSON Schema, checks an answer against it, and words the message after one that does not fit.

import { runInNewContext } from "node:vm";
import type { JsonValue } from "@ikigai/protocol";

/** The form that the final answer of a turn must have. */
export interface OutputSchema {
  /** The JSON Schema, as text for the model. */
  readonly text: string;
  /** Returns the JSON text of an answer that fits, otherwise what is wrong with it. */
  check(answer: string): { readonly json: string } | { readonly problem: string };
}

/** How long the check of an answer may take, in milliseconds: a pattern that backtracks would never end. */
const checkTimeoutMs = 2_000;

/** How often a turn continues after an answer that does not fit. */
export const maxCorrections = 2;

/** Reads an output schema (draft 2020-12, or the draft that it names), or says why it cannot be used. */
export async function readOutputSchema(
  schema: JsonValue,
): Promise<{ readonly schema: OutputSchema } | { readonly problem: string }> {
  const { compileSchema } = await import("@ikigai/system/json-schema");
  const compiled = compileSchema(schema, "schema");
  if ("problem" in compiled) return compiled;
  return {
    schema: {
      text: JSON.stringify(schema),
      check(answer) {
        const json = jsonIn(answer);
        try {
          const value: JsonValue = JSON.parse(json);
          const run = () => compiled.check(value, "answer");
          const problem: string | undefined = runInNewContext("run()", { run }, { timeout: checkTimeoutMs });
          return problem === undefined ? { json } : { problem };
        } catch (error) {
          if ((error as NodeJS.ErrnoException).code === "ERR_SCRIPT_EXECUTION_TIMEOUT") return { problem: tooSlow };
          return { problem: `The answer is not JSON: ${(error as Error).message}.` };
        }
      },
    },
  };
}

const tooSlow = `Checking the answer against the schema took more than ${checkTimeoutMs / 1_000} s. Simplify its patterns.`;

/** The message after an answer that does not fit. */
export function correction(problem: string): string {
  return `Your answer does not fit the output schema. ${problem} Answer with the JSON value alone.`;
}

/** Models often put JSON into a code block, with a sentence before it. */
function jsonIn(answer: string): string {
  const lines = answer.split("\n");
  const fences = lines.flatMap((line, index) => (line.startsWith("```") ? [index] : []));
  const [start, end, another] = fences;
  const isBlock = start !== undefined && end !== undefined && another === undefined;
  return (isBlock ? lines.slice(start + 1, end).join("\n") : answer).trim();
}
