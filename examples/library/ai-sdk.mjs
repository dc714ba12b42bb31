// ikigai's tools in the AI SDK: it asks the model, runs what it calls, and asks again.
import { anthropic } from "@ai-sdk/anthropic";
import { aiTools } from "@ikigai/adapters/ai-sdk";
import { discover, toolDirectories } from "@ikigai/core";
import * as ai from "ai";

const places = {
  // Where npm puts @ikigai/bash-tool and the other tools that are installed.
  systemDir: "node_modules/.bin",
  home: `${process.env.HOME}/.ikigai`,
  projectDir: process.cwd(),
};
const registry = await discover({ ...places, directories: toolDirectories(places) });
const { text } = await ai.generateText({
  model: anthropic("claude-sonnet-5-5"),
  tools: aiTools(ai, registry),
  stopWhen: ai.stepCountIs(20),
  prompt: process.argv[2] ?? "What is in this directory?",
});
console.log(text);
