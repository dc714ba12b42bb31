import { providerNames, providerTable } from "@ikigai/agent/internal";
import type { Row } from "./columns.ts";

/** The variables that ikigai reads, those that belong together in one row. */
export const environmentVariables: readonly Row[] = [
  ["IKIGAI_HOME", "replaces ~/.ikigai: configuration, tools, sessions, trust"],
  ["IKIGAI_LIBEXEC", "where the shipped tools are"],
  ["IKIGAI_TOOL_PATH", "more directories of tools, the highest rank first, separated by :"],
  ["IKIGAI_BWRAP", "the bwrap that the sandbox uses"],
  ...providerNames.map((name): Row => {
    const { keyVariable, baseUrlVariable } = providerTable[name];
    return [`${keyVariable}, ${baseUrlVariable}`, `the key and the address of ${name}`];
  }),
  ["OLLAMA_HOST", "where Ollama is"],
  ["HTTPS_PROXY, HTTP_PROXY, ALL_PROXY, NO_PROXY", "how to reach the providers"],
  ["VISUAL, EDITOR", "the editor of ctrl-g"],
  ["NO_COLOR", "no colours"],
  ["TERM=dumb", "no full screen"],
  ["LC_ALL, LC_CTYPE, LANG", "without UTF-8, plain signs"],
  [
    "GIT_CONFIG_GLOBAL, GIT_CONFIG_SYSTEM, XDG_CONFIG_HOME",
    "where git's configuration is, and secrets that the sandbox hides",
  ],
  ["CDPATH", "with it, cd in a command needs a question"],
  ["NODE_OPTIONS", "Node's own"],
];
