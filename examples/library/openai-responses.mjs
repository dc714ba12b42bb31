// ikigai's tools with OpenAI's Responses API, by its own client.
import { responsesToolOutputs, responsesTools } from "@ikigai/adapters/openai";
import { discover } from "@ikigai/core";
import OpenAI from "openai";

const registry = await discover({
  // Where npm puts @ikigai/bash-tool and the other tools that are installed.
  systemDir: "node_modules/.bin",
  home: `${process.env.HOME}/.ikigai`,
});
const client = new OpenAI();
const input = [{ role: "user", content: process.argv[2] ?? "What is in this directory?" }];

for (;;) {
  const response = await client.responses.create({ model: "gpt-5.5", tools: responsesTools(registry), input });
  if (response.output_text) console.log(response.output_text);
  const results = await responsesToolOutputs(registry, response.output);
  if (results.length === 0) break;
  input.push(...response.output, ...results);
}
