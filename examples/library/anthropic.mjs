// ikigai's tools with Anthropic's Messages API, by its own client.
import Anthropic from "@anthropic-ai/sdk";
import { anthropicToolResults, anthropicTools } from "@ikigai/adapters/anthropic";
import { discover } from "@ikigai/core";

const registry = await discover({
  // Where npm puts @ikigai/bash-tool and the other tools that are installed.
  systemDir: "node_modules/.bin",
  home: `${process.env.HOME}/.ikigai`,
});
const client = new Anthropic();
const messages = [{ role: "user", content: process.argv[2] ?? "What is in this directory?" }];

for (;;) {
  const tools = anthropicTools(registry);
  const answer = await client.messages.create({ model: "claude-sonnet-5-5", max_tokens: 4096, tools, messages });
  for (const block of answer.content) if (block.type === "text") console.log(block.text);
  if (answer.stop_reason !== "tool_use") break;
  const results = await anthropicToolResults(registry, answer.content);
  messages.push({ role: "assistant", content: answer.content }, { role: "user", content: results });
}
