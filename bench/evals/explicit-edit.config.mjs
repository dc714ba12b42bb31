// ikigai as a harness of the Explicit Edit Benchmark (https://github.com/alexshpunt/explicit-edit-benchmark): see README.md. It is read by that
// benchmark's own runner, whose checkout EXPLICIT_EDIT_BENCHMARK names.
import { realpathSync } from "node:fs";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";

const { EXPLICIT_EDIT_BENCHMARK: checkout = "", IKIGAI: program = "", IKIGAI_VERSION: version = "" } = process.env;
const { MODEL: selector = "", MODEL_FAMILY: family = selector, THINKING: thinking = "low" } = process.env;
for (const [name, value] of Object.entries({
  EXPLICIT_EDIT_BENCHMARK: checkout,
  IKIGAI: program,
  IKIGAI_VERSION: version,
  MODEL: selector,
}))
  if (value === "") throw new Error(`Set ${name}: bench/evals/README.md says to what.`);

const module = pathToFileURL(join(resolve(checkout), "scripts/benchmark-config.mjs"));
const { defineBenchmarkConfig, defineHarness } = await import(module.href);

/** Variables with the key of the model's provider. */
const keys = [
  "ANTHROPIC_API_KEY",
  "OPENAI_API_KEY",
  "GEMINI_API_KEY",
  "OPENAI_COMPATIBLE_API_KEY",
  "OPENAI_COMPATIBLE_BASE_URL",
];

const ikigai = defineHarness({
  createAdapter({ model }) {
    const chosen = model.selectors.ikigai;
    const flags = ["--permission-mode", "allow", "--output-format", "json"];
    return {
      kind: "ikigai",
      command: process.execPath,
      args: [program, "-p", "{prompt}", "--model", chosen, ...flags],
      versionArgs: [program, "--version"],
      version,
      agentFamily: "ikigai",
      agentVersion: version,
      harnessFamily: "ikigai-default",
      harnessVersion: version,
      adapterVersion: "1",
      modelFamily: model.family,
      modelVersion: model.version,
      provider: model.provider,
      configurationId: `ikigai/${model.provider}`,
      configurationLabels: ["harness/ikigai"],
      configuration: { tools: [], extensions: [], rules: [], runtimeFlags: flags, environment: keys },
      model: chosen,
      thinking: model.thinking,
      ready: false,
      // The benchmark runs each trial in its own sandbox, which shows only the workspace and these.
      readOnly: [resolve(realpathSync(program), "../..")],
      env: Object.fromEntries(keys.flatMap((name) => (process.env[name] ? [[name, process.env[name]]] : []))),
    };
  },
});

export default defineBenchmarkConfig({
  models: {
    chosen: { family, version: family, provider: selector.split("/")[0], thinking, selectors: { ikigai: selector } },
  },
  harnesses: { ikigai },
  selection: { matrix: [{ models: ["chosen"], harnesses: ["ikigai"] }], pairs: [] },
});
