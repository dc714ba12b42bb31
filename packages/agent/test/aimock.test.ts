import { LLMock } from "@copilotkit/aimock";
import { expect, onTestFinished, test } from "vitest";
import { agent, resultsIn } from "./agent-setup.ts";
import { modelOf, providers } from "./providers.ts";

/** An independent implementation of the four formats, so that ours are not tested only against themselves. */
test.each(providers)("runs a whole turn against aimock as $name", async (provider) => {
  const mock = new LLMock({ port: 0 });
  mock.on(
    { userMessage: /weather/, hasToolResult: false },
    {
      content: "I look.",
      toolCalls: ["Paris", "Rome"].map((city) => ({ name: "weather", arguments: JSON.stringify({ city }) })),
    },
  );
  mock.on({ userMessage: /weather/, hasToolResult: true }, { content: "Sunny in both." });
  await mock.start();
  onTestFinished(() => mock.stop());
  const one = await agent({ weather: "cat" });
  const { end, events } = await one.say(await modelOf(provider, mock.url), "what is the weather?");
  expect(end.error).toBeUndefined();
  expect([end.reason, end.text]).toEqual(["done", "Sunny in both."]);
  expect(
    resultsIn(events)
      .map(({ json }) => json)
      .sort(),
  ).toEqual(['{"tool_success":true,"result":{"city":"Paris"}}', '{"tool_success":true,"result":{"city":"Rome"}}']);
});
