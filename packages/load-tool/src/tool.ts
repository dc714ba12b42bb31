// The tool: loads a skill or introduces a tool by name, or finds some by words.

import type { CatalogEntry } from "@ikigai/protocol";
import { nearestWord } from "@ikigai/system";
import { defineTool } from "@ikigai/tool-sdk";
import { rank, readCatalog } from "./catalog.ts";
import { loadSkill } from "./load-skill.ts";
import { output, parameters } from "./schema.ts";

/** How many results a query has, and how many of its tools can then be called. */
const maxResults = 10;
const maxIntroduced = 5;

/** A longer first sentence is cut, in characters. */
const maxSentence = 240;

export const loadTool = defineTool({
  name: "load",
  description:
    "Load a skill or a tool by name before you use it, or find some by words. A skill's instructions are to be followed; a tool can be called from the next step on. Load only what the task needs. A name that is not listed may still be found by a query.",
  parameters,
  output,
  annotations: { readOnlyHint: true, openWorldHint: false },
  errorCodes: ["NO_CATALOG", "SKILL_CHANGED"],
  // More than a skill's text, so that this tool and not the host cuts it.
  ikigai: { prestart: true, catalog: true, maxOutputBytes: 98_304 },
  run({ name = "", query = "", arguments: args = "" }, { env, fail }) {
    const wanted = name.trim();
    if (wanted === "" && query.trim() === "") fail("INVALID_ARG", "Pass a name or a query");
    const catalog = readCatalog(env.IKIGAI_CATALOG);
    if (!catalog) {
      const steps = [`Call it by ikigai: ikigai tool call load '{"name":"…"}'`];
      return fail("NO_CATALOG", "There is no list of skills and tools: IKIGAI_CATALOG names none", { help: { steps } });
    }
    if (wanted === "")
      return found(rank(catalog, query)) ?? fail("NOT_FOUND", `Nothing has these words: ${query}`, otherWords);
    const entries = catalog.filter((entry) => entry.name === wanted);
    const [skill] = entries.filter(({ kind }) => kind === "skill");
    if (skill) return loadSkill(skill, args);
    const [tool] = entries;
    if (tool) return { output: `${tool.name}: ${tool.description}`, introduces: [tool.name] };
    return fail("NOT_FOUND", `There is no skill or tool ${wanted}`, nearest(wanted, catalog));
  },
});

const otherWords = { hint: "Try other words." };

function nearest(name: string, catalog: readonly CatalogEntry[]) {
  const names = catalog.map((entry) => entry.name);
  const near = nearestWord(name, names) ?? rank(catalog, name)[0]?.name;
  return { hint: near === undefined ? "Find one by words, with query." : `The nearest name is ${near}.` };
}

function found(ranked: readonly CatalogEntry[]) {
  if (ranked.length === 0) return undefined;
  const best = ranked.slice(0, maxResults);
  const tools = best.filter(({ kind }) => kind === "tool").slice(0, maxIntroduced);
  const text = best.map(({ kind, name, description }) => {
    return `${name}${kind === "skill" ? " (skill: load it by name)" : ""}: ${firstSentence(description)}\n`;
  });
  return { output: text.join(""), ...(tools.length > 0 && { introduces: tools.map(({ name }) => name) }) };
}

function firstSentence(text: string): string {
  const [sentence = ""] = /^.*?(?:[.!?](?=\s)|$)/m.exec(text.trim()) ?? [];
  return sentence.length > maxSentence ? `${sentence.slice(0, maxSentence)}…` : sentence;
}
