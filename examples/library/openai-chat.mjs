// ikigai's tools with the Chat Completions API, by OpenAI's client. Many other servers speak it as well.
import { chatToolMessages, chatTools } from "@ikigai/adapters/openai";
import { discover } from "@ikigai/core";
import OpenAI from "openai";

const registry = await discover({
  // Where npm puts @ikigai/bash-tool and the other tools that are installed.
  systemDir: "node_modules/.bin",
  home: `${process.env.HOME}/.ikigai`,
});
const client = new OpenAI();
const messages = [{ role: "user", content: process.argv[2] ?? "What is in this directory?" }];

for (;;) {
  const { choices } = await client.chat.completions.create({ model: "gpt-5.5", tools: chatTools(registry), messages });
  const { message } = choices[0];
  if (message.content) console.log(message.content);
  if (!message.tool_calls?.length) break;
  messages.push(message, ...(await chatToolMessages(registry, message.tool_calls)));
}
