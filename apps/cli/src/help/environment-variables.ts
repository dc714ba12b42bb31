import { providerNames, providerTable } from "@ikigai/agent/internal";
import type { Row } from "./columns.ts";

/** The variables that ikigai reads; related ones share a row. */
export const environmentVariables: readonly Row[] = [
  ["IKIGAI_HOME", "replaces ~/.ikigai: configuration, tools, sessions, trust"],
  ["IKIGAI_LIBEXEC", "directory of the shipped tools"],
  ["IKIGAI_TOOL_PATH", "more tool directories, separated by : (the first one wins)"],
  ["IKIGAI_BWRAP", "path of the bwrap that the sandbox uses"],
  ["IKIGAI_NO_SERVE=1", "a new process for every call"],
  ["IKIGAI_WEB_ALLOW", "hosts and subnets that web_fetch may reach besides the internet"],
  ["IKIGAI_WEB_SEARCH", "service of web_search: searxng, brave, tavily, kagi"],
  ["SEARXNG_BASE_URL", "base URL of SearXNG, for web_search"],
  ["BRAVE_API_KEY, BRAVE_BASE_URL", "API key and base URL of Brave Search"],
  ["TAVILY_API_KEY, TAVILY_BASE_URL", "API key and base URL of Tavily"],
  ["KAGI_API_KEY, KAGI_BASE_URL", "API key and base URL of Kagi"],
  ...providerNames.map((name): Row => {
    const { keyVariable, baseUrlVariable } = providerTable[name];
    return [`${keyVariable}, ${baseUrlVariable}`, `API key and base URL of ${name}`];
  }),
  ["OLLAMA_HOST", "address of Ollama"],
  ["HTTPS_PROXY, HTTP_PROXY, ALL_PROXY, NO_PROXY", "proxies for requests to providers and the web"],
  ["NODE_EXTRA_CA_CERTS", "file with more certificate authorities"],
  ["XDG_CACHE_HOME", "replaces ~/.cache, for the pages of web_fetch"],
  ["XDG_STATE_HOME", "replaces ~/.local/state, for the worktrees of agents"],
  ["VISUAL, EDITOR", "editor for ctrl-g and config edit"],
  ["SHELL", "passed to interactive programs started with !"],
  ["NO_COLOR", "no colours"],
  ["TERM=dumb", "no full screen"],
  ["LC_ALL, LC_CTYPE, LANG", "C or POSIX: no full screen; symbols, but not messages, in ASCII"],
  [
    "GIT_CONFIG_GLOBAL, GIT_CONFIG_SYSTEM, XDG_CONFIG_HOME",
    "locations of git's configuration, and of secrets that the sandbox hides",
  ],
  ["IKIGAI_CALL_ID, CLAUDE_PROJECT_DIR", "set for calls and for hooks: a call cannot change trust, keys and tools"],
  ["CDPATH", "if set, commands with cd need approval"],
  ["BASH_ENV, ENV, BASHOPTS, SHELLOPTS", "not passed to commands; tools and hooks get no file of the project in them"],
  ["NODE_DISABLE_COMPILE_CACHE=1", "do not write a compile cache"],
  ["NODE_OPTIONS", "options for Node itself"],
];
