import { type Model, noUsage } from "@ikigai/models";
import { expect, test } from "vitest";
import { countParses } from "../../core/test/count-parses.ts";
import { systemSchema } from "../../permission/test/registered-tool.ts";
import { agent, resultsIn } from "./agent-setup.ts";

/** A model that makes these calls, complete, and then ends. */
function callingModel(calls: readonly { readonly name: string; readonly arguments: string }[]): Model {
  let isDone = false;
  return {
    id: "test/calling",
    async *stream() {
      if (isDone) return yield { type: "finish", reason: "stop", usage: noUsage };
      isDone = true;
      for (const [index, call] of calls.entries()) yield { type: "tool_call", id: `c${index}`, ...call };
      yield { type: "finish", reason: "tool_calls", usage: noUsage };
    },
  };
}

test.each([
  ["bash", { command: "echo counted-here", timeout_ms: 9_000 }],
  ["file_write", { file_path: "a.txt", content: "counted-here" }],
])("parses the arguments of %s once, from the model to the tool", async (name, args) => {
  const one = await agent({ [name]: "cat > /dev/null; echo '{}'" });
  // As system tools, whose arguments are renamed, ordered, judged and used for checkpoints.
  const tools = one.registry.tools.map((tool) => {
    const ikigai = { ...systemSchema(name)?.ikigai, timeoutArgument: "timeout_ms" };
    return { ...tool, scope: "system" as const, schema: { ...tool.schema, ikigai } };
  });
  const text = JSON.stringify(args);
  const parses = countParses("counted-here");
  const model = callingModel([
    { name, arguments: text },
    { name, arguments: '{"other":1}' },
  ]);
  const { events } = await one.say(model, "go", { currentRegistry: async () => ({ ...one.registry, tools }) });
  expect(resultsIn(events).map(({ envelope }) => envelope.tool_success)).toEqual([true, true]);
  expect(parses()).toBe(1);
});
