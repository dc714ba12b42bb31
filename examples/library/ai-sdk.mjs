// ikigai's tools in the AI SDK: it asks the model, runs what it calls, and asks again.
import { anthropic } from "@ai-sdk/anthropic";
import { aiTools } from "@ikigai/adapters/ai-sdk";
import { discover } from "@ikigai/core";
import * as ai from "ai";

const registry = await discover({
  // Where npm puts @ikigai/bash-tool and the other tools that are installed.
  systemDir: "node_modules/.bin",
  home: `${process.env.HOME}/.ikigai`,
});
const { text } = await ai.generateText({
  model: anthropic("claude-sonnet-5-5"),
  tools: aiTools(ai, registry),
  stopWhen: ai.stepCountIs(20),
  prompt: process.argv[2] ?? "What is in this directory?",
});
console.log(text);
