// What conversations with model servers differ in, as data; addresses and keys are in providers.ts. A server is found by its host, a
// family of models by its name. Later ones count more: what most servers accept, the family, the server, and the API of a provider
// (Anthropic's, Google's) above all. What a server then rejects in words is learned until ikigai ends.

/** What a server, or the template of a model on it, needs. */
export interface ServerProfile {
  /** The IDs of calls that it accepts. */
  readonly ids: IdRule;
  /** Whether it rejects a user message right after a result. */
  readonly endsCalls: boolean;
  /** Whether it rejects responses without their reasoning (`required`), with it (`rejected`), or takes both. */
  readonly reasoning: "optional" | "required" | "rejected";
  /** The field that holds reasoning, for a response of another model. That of its own goes back in the field it came in. */
  readonly reasoningField: "reasoning_content" | "reasoning";
  /** Whether it may send reasoning as text, between `think` tags. */
  readonly hasTags: boolean;
  /** Fields of a request that it rejects. A server that says so is not sent them again. */
  readonly rejects: readonly OptionalField[];
  /** Whether it caches a conversation only on request. */
  readonly cachesOnRequest: boolean;
  /** Whether it is the provider's own: then it has the latest of its API, and no other one. */
  readonly isOwn: boolean;
  /** What it is called, and the command that starts it. */
  readonly start?: { readonly title: string; readonly command: string };
  /** What makes it parse calls. */
  readonly callSwitch?: string;
}

/** Fields that only make a request better. */
type OptionalField = (typeof optionalFields)[number];

/** Fields that only make a request better, to be found in a server's complaint. */
const optionalFields = ["stream_options", "cache_control"] as const;

/** Which IDs of calls a server accepts. */
interface IdRule {
  readonly pattern: RegExp;
  /** In characters. */
  readonly maxLength: number;
  /** Whether it takes the model's own IDs as they are. */
  readonly isOwnKept: boolean;
}

/** The traits of a server that is not in the table. OpenAI's chat API has the shortest IDs. */
const careful: ServerProfile = {
  ids: { pattern: /^[\w-]+$/, maxLength: 40, isOwnKept: true },
  endsCalls: false,
  reasoning: "optional",
  reasoningField: "reasoning_content",
  hasTags: true,
  rejects: [],
  cachesOnRequest: false,
  isOwn: false,
};

/** Bedrock has the shortest IDs of those that serve this format; every one rejects other models' IDs, such as `functions.bash:0`. */
const blocks = { ids: { pattern: /^[\w-]+$/, maxLength: 64, isOwnKept: false }, hasTags: false };

/** What these APIs need on every server. */
const apis: Readonly<Record<string, Partial<ServerProfile>>> = {
  anthropic: blocks,
  google: { hasTags: false },
};

interface Entry extends Partial<ServerProfile> {
  readonly name: string;
  /** Matches its host, with the port if that is not the usual one. */
  readonly host: RegExp;
}

/**
 * The first that matches counts. So the local ones are last: they match any host that uses their usual port. What a row says counts more than
 * the family of the model, also where it repeats `careful`: Groq takes responses with and without their reasoning, whatever model wrote them.
 */
const servers: readonly Entry[] = [
  { name: "anthropic", host: /(?:^|\.)anthropic\.com$/, isOwn: true },
  { name: "openai", host: /(?:^|\.)openai\.com$/, isOwn: true, hasTags: false },
  { name: "google", host: /(?:^|\.)googleapis\.com$/ },
  // Only Claude's cache has to be asked for, and other models ignore that.
  { name: "openrouter", host: /(?:^|\.)openrouter\.ai$/, reasoningField: "reasoning", cachesOnRequest: true },
  { name: "groq", host: /(?:^|\.)groq\.com$/, reasoning: "optional", reasoningField: "reasoning" },
  {
    name: "mistral",
    host: /(?:^|\.)mistral\.ai$/,
    reasoning: "rejected",
    rejects: ["stream_options"],
    endsCalls: true,
  },
  { name: "cerebras", host: /(?:^|\.)cerebras\.ai$/, reasoning: "rejected" },
  { name: "deepseek", host: /(?:^|\.)deepseek\.com$/, reasoning: "required" },
  { name: "moonshot", host: /(?:^|\.)(?:moonshot|kimi)\.(?:ai|cn|com)$/, reasoning: "required" },
  { name: "zai", host: /(?:^|\.)(?:z\.ai|bigmodel\.cn)$/ },
  { name: "dashscope", host: /(?:^|\.)aliyuncs\.com$/ },
  { name: "xai", host: /(?:^|\.)x\.ai$/ },
  { name: "together", host: /(?:^|\.)together\.(?:ai|xyz)$/ },
  { name: "fireworks", host: /(?:^|\.)fireworks\.ai$/ },
  // Gateways: what they forward to decides, so the model's family.
  { name: "azure", host: /(?:^|\.)azure\.com$/, rejects: ["stream_options"] },
  { name: "databricks", host: /(?:^|\.)databricks\.com$/, rejects: ["stream_options"] },
  { name: "bedrock", host: /(?:^|\.)(?:amazonaws\.com|api\.aws)$/, ids: blocks.ids },
  { name: "litellm", host: /:4000$/ },
  // Local servers, by their usual ports.
  { name: "ollama", host: /:11434$/, endsCalls: false, start: { title: "Ollama", command: "ollama serve" } },
  { name: "lmstudio", host: /:1234$/, start: { title: "LM Studio", command: "lms server start" } },
  { name: "vllm", host: /:8000$/, callSwitch: "vLLM: --enable-auto-tool-choice --tool-call-parser NAME" },
  { name: "llama.cpp", host: /:8080$/, callSwitch: "llama.cpp: --jinja" },
];

/** What the templates of models need, whichever server renders them. */
const families: readonly (Partial<ServerProfile> & { readonly model: RegExp })[] = [
  {
    model: /(?:mi|mag|min|dev|code)stral|mixtral|pixtral/i,
    ids: { pattern: /^[a-zA-Z0-9]{9}$/, maxLength: 9, isOwnKept: false },
    endsCalls: true,
  },
  { model: /deepseek-?(?:chat|reasoner|v3\.[12]|v[4-9])/i, reasoning: "required" },
  { model: /kimi/i, reasoning: "required" },
];

/** Where a model is. */
export interface ServedModel {
  /** The provider's name here, or that of a package. */
  readonly provider: string;
  readonly baseUrl?: string;
  readonly model?: string;
}

/** Returns what a server needs. */
export function profileOf({ provider, baseUrl, model = "" }: ServedModel): ServerProfile {
  const host = baseUrl === undefined ? undefined : new URL(baseUrl).host;
  const server = servers.find((one) => (host === undefined ? one.name === provider : one.host.test(host)));
  const family = families.find((one) => one.model.test(model));
  return { ...careful, ...family, ...server, ...apis[provider] };
}

/** A server's traits, and what its errors teach about them. */
export interface KnownServer {
  readonly profile: ServerProfile;
  /** Learns from the words of a rejection; returns whether the next request is different. */
  learn(words: string): boolean;
}

export function knownServer(profile: ServerProfile): KnownServer {
  const server = {
    profile,
    learn(words: string) {
      const more = lessonIn(words, server.profile);
      server.profile = { ...server.profile, ...more };
      return more !== undefined;
    },
  };
  return server;
}

const missing = /reasoning(?:_content)?\b.{0,60}(?:missing|required|must be (?:passed|provided|included))/is;

const forbidden =
  /reasoning(?:_content)?\b.{0,60}(?:unsupported|not (?:supported|permitted|allowed)|unknown|unexpected|unrecogni[sz]ed)/is;

/** Mistral's tokenizer, and templates that count roles. */
const strictRoles = /unexpected role '?user'? after role '?tool|roles must alternate/i;

function lessonIn(words: string, { rejects, reasoning, endsCalls }: ServerProfile): Partial<ServerProfile> | undefined {
  const field = optionalFields.find((name) => words.includes(name) && !rejects.includes(name));
  if (field) return { rejects: [...rejects, field] };
  if (reasoning !== "required" && missing.test(words)) return { reasoning: "required" };
  if (reasoning === "required" && forbidden.test(words)) return { reasoning: "rejected" };
  if (!endsCalls && strictRoles.test(words)) return { endsCalls: true };
  return undefined;
}

/** What makes servers parse calls, for a person who knows which one it is. */
export const callSwitches = servers.flatMap(({ callSwitch }) => callSwitch ?? []).join("; ");
