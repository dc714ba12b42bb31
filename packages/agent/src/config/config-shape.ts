// Every setting of `config.json`: its shape, from which its type, its checks and its JSON Schema follow. In order: what a shape is,
// the settings, and the JSON Schema for editors.

import { type ProviderName, providerNames } from "@ikigai/models";
import { type PermissionRule, permissionModes } from "@ikigai/permission";

/** The shape of a configuration value. Editors show `about` next to it. */
export type Shape = { readonly about?: string } & (
  | {
      readonly type: "string";
      readonly oneOf?: readonly string[];
      readonly pattern?: RegExp;
      readonly example?: string;
    }
  | { readonly type: "integer"; readonly min: number; readonly max?: number }
  /** A number above 0, with decimals. */
  | { readonly type: "amount" }
  | { readonly type: "boolean" }
  /** `noun`: what its keys are called; "setting" by default. `refused`: keys that exist only elsewhere, and the message about them. */
  | {
      readonly type: "object";
      readonly keys: Readonly<Record<string, Shape>>;
      readonly noun?: string;
      readonly refused?: { readonly names: readonly string[]; readonly message: string };
    }
  /**
   * Any keys, with values of one shape; with `patterns`, keys that end in `*` have values of that shape; with `names`, keys match
   * `pattern`, which `form` describes.
   */
  | {
      readonly type: "map";
      readonly values: Shape;
      readonly patterns?: Shape;
      readonly names?: { readonly pattern: RegExp; readonly form: string };
    }
  | { readonly type: "rules" }
  /** A list of non-empty strings; `form` describes those that match `pattern`. */
  | {
      readonly type: "texts";
      readonly example: string;
      readonly min?: number;
      readonly pattern?: RegExp;
      readonly form?: string;
    }
  /** A list of paths that match `pathPattern`. */
  | { readonly type: "paths" }
);

/**
 * A path of this machine: absolute, or below the home directory. Any other text would mean no file, or another one than expected, and a
 * limit on it would be lost.
 */
export const pathPattern = /^(?:\/|~\/|~$)[^$*?]*$/;

/** The type of a value of this shape; the configuration's type is derived from it. */
export type ValueOf<S> = S extends { type: "string"; oneOf: readonly (infer Word)[] }
  ? Word
  : S extends { type: "string" }
    ? string
    : S extends { type: "integer" | "amount" }
      ? number
      : S extends { type: "boolean" }
        ? boolean
        : S extends { type: "object"; keys: infer Keys }
          ? { readonly [Key in keyof Keys]?: ValueOf<Keys[Key]> }
          : S extends { type: "map"; values: infer Value }
            ? Readonly<Record<string, ValueOf<Value>>>
            : S extends { type: "rules" }
              ? readonly PermissionRule[]
              : S extends { type: "texts" | "paths" }
                ? readonly string[]
                : never;

const boolean = (about: string) => ({ type: "boolean", about }) as const;
const milliseconds = (about: string) => ({ type: "integer", min: 1, about: `${about}, in milliseconds` }) as const;
const paths = (about: string) => ({ type: "paths", about: `${about}: absolute, or below home as ~/NAME` }) as const;
const section = <const Keys extends Readonly<Record<string, Shape>>>(about: string, keys: Keys) =>
  ({ type: "object", keys, about }) as const;

const provider = section("How to reach the provider", {
  apiKey: { type: "string", about: "API key; better kept in an environment variable" },
  baseUrl: { type: "string", example: "https://host/v1", about: "With or without the version path" },
});

/** What can be set for one tool and for all tools whose names begin alike. */
const anyTool = {
  timeoutMs: milliseconds("How long a call may take"),
  maxOutputBytes: { type: "integer", min: 256, about: "How long a result may be, in bytes" },
  answerBytes: { type: "integer", min: 256, about: "How much of a result is worth the model's reading, in bytes" },
  sandbox: boolean("Whether it runs in the sandbox"),
  network: boolean("Whether it can reach all hosts on the internet from the sandbox"),
  serve: boolean("Whether one process may answer several of its calls, if it declares so"),
} as const;

/** What can be set for one tool only: the file behind a launcher is that tool's. */
const oneTool = {
  launcher: {
    type: "texts",
    example: '["ssh", "build-box"]',
    min: 1,
    about: "Command that the tool's command line is appended to",
  },
  path: {
    type: "string",
    example: "/usr/local/libexec/ikigai/bash-tool",
    about: "Path of the tool's executable on the target",
  },
  directory: { type: "string", example: "/work", about: "Working directory on the target" },
  shell: {
    type: "string",
    example: "/usr/bin/fish",
    about: "Shell for its commands: path of bash, sh, dash, zsh or fish",
  },
  remoteShell: boolean("Whether the launcher passes the command line to a shell, as ssh does"),
} as const;

const tool = section("How this tool is called", { ...anyTool, ...oneTool });

const permission = section("What runs without a question", {
  mode: {
    type: "string",
    oneOf: permissionModes,
    about: "What happens to a call that no rule matches",
  },
  rules: { type: "rules", about: "The first matching rule decides" },
  readOnlyCommands: boolean("Whether commands that only read inside the project need no question"),
});

const sandbox = section("The sandbox that tools run in", {
  enabled: boolean("Whether tools run in the sandbox"),
  network: boolean("Whether they can reach all hosts on the internet"),
  writable: paths("Paths that tools may change besides the project"),
  readable: paths("Paths that stay visible although they hold secrets"),
  hidden: paths("Paths to hide besides the usual places of secrets"),
  git: boolean("Whether git may write to the project's repository"),
  env: {
    type: "texts",
    example: '["GITHUB_TOKEN"]',
    about: "Environment variables that tools get besides those that programs need",
  },
  sockets: boolean("Whether tools may connect to other programs' sockets"),
});

const amount = (about: string) => ({ type: "amount", about }) as const;

const limits = section("What sessions may cost and how long they may work; a turn ends there", {
  session: section("Limits of each session, with its agents", {
    cost: amount("In US dollars"),
    minutes: amount("Of work, without the time between turns"),
  }),
  day: section("Limits of all sessions of a day", { cost: amount("In US dollars") }),
});

const patience = section("Timeouts and retries of model requests", {
  firstByteTimeoutMs: milliseconds("Longest time until the first data"),
  idleTimeoutMs: milliseconds("Longest time between data"),
  pingsCount: boolean("Whether a ping counts as data"),
  maxRetries: { type: "integer", min: 0, about: "How often to retry a failed request" },
  firstRetryMs: milliseconds("Delay before the first retry; it doubles each time"),
  maxRetryAfterMs: { type: "integer", min: 0, about: "Longest retry-after delay to honour, in milliseconds" },
});

const diagnostics = section("What is wrong with files after an edit", {
  show: {
    type: "string",
    oneOf: ["off", "errors", "all"],
    about: "What of it a result has: errors, by default; all: warnings, too",
  },
  servers: {
    type: "map",
    values: { type: "texts", example: '["pyright-langserver", "--stdio"]', min: 1 },
    about: "Language servers by extension, instead of those that are known: the command's words",
  },
  check: {
    type: "map",
    values: { type: "string", example: "ruff check --output-format=concise" },
    about: "Commands that check the project, by extension, where no language server is installed",
  },
});

const agents = section("Agents that the model starts for parts of its work", {
  maxDepth: { type: "integer", min: 0, max: 3, about: "How deep agents may start agents: 0 for none, 1 by default" },
  maxTokens: { type: "integer", min: 1, about: "Tokens that the agents of one session may use together" },
  maxStarted: { type: "integer", min: 1, about: "How many agents one session may start" },
});

/** The name of a theme, which is that of its file. */
export const themeNamePattern = /^[A-Za-z0-9][\w-]*$/;

const screen = section("How the REPL looks and sounds", {
  theme: {
    type: "string",
    pattern: themeNamePattern,
    example: "high-contrast-dark",
    about: "auto, a theme that ships, or NAME of ~/.ikigai/themes/NAME.json",
  },
  bell: boolean("Whether to notify you when a turn ends and you look elsewhere"),
  notify: {
    type: "string",
    example: "osc9",
    about: "How: bell, osc9, osc777, off, or a command, which gets the text as its last argument",
  },
  progress: boolean("Whether the terminal shows that a turn runs (OSC 9;4)"),
  status: {
    type: "string",
    example: "~/bin/status",
    about: "Command whose first line of output is shown above the last line; gets facts as JSON on stdin",
  },
  motion: { type: "string", oneOf: ["full", "reduced"], about: "reduced: no spinners; only the seconds change" },
  links: boolean("Whether URLs and files of the project are links (OSC 8)"),
  full: boolean("Whether to use the full screen even with LANG=C"),
  title: boolean("Whether to set the window title"),
});

/** The whole of `config.json`. */
export const configShape = section("The configuration of ikigai, ~/.ikigai/config.json", {
  $schema: { type: "string", about: "URL of this schema, for editors" },
  model: { type: "string", example: "anthropic/claude-sonnet-5-5", about: "Model to use, PROVIDER/MODEL" },
  models: section("Models by what they are for: the words can stand where a model can", {
    fast: { type: "string", example: "anthropic/claude-haiku-4-5", about: "Model to use as fast, PROVIDER/MODEL" },
    smart: { type: "string", example: "anthropic/claude-opus-5-5", about: "Model to use as smart, PROVIDER/MODEL" },
    plan: {
      type: "string",
      example: "anthropic/claude-opus-5-5",
      about: "Model to use in the mode plan, PROVIDER/MODEL",
    },
  }),
  providers: section(
    "API keys and base URLs",
    Object.fromEntries(providerNames.map((name) => [name, provider])) as Record<ProviderName, typeof provider>,
  ),
  permission,
  directories: paths("Directories that count as the project, besides the working directory"),
  tools: {
    type: "map",
    values: tool,
    patterns: {
      ...section("How tools whose names begin like this are called", anyTool),
      refused: { names: Object.keys(oneTool), message: "is for one tool. Write its name instead of the pattern." },
    },
    about: "Settings per tool, by name; a name may end in *",
  },
  registries: {
    type: "map",
    values: { type: "string", example: "github:acme/team-tools" },
    names: {
      pattern: /^(?!(?:github|npm|git|ssh|file|https?|mcp)$)[a-z][a-z0-9-]*$/,
      form: "small letters, digits and -, and not github, npm, git, ssh, file, http, https or mcp",
    },
    about: "Where ikigai tool add NAME:PACKAGE looks: a git repository, a folder, or npm:@SCOPE/",
  },
  sandbox,
  jobs: section("Commands that go on after their call", {
    wake: boolean("Whether the end of a job starts a turn while nothing runs; default: true"),
  }),
  diagnostics,
  agents,
  limits,
  patience,
  maxSteps: { type: "integer", min: 1, about: "Maximum number of model requests per message" },
  undo: boolean(
    "Whether the project's files are saved around calls, so that what commands change can be undone; unset: asks if it takes over 2 s",
  ),
  screen,
});

/* The same shape as a JSON Schema, for completion and checks in editors. */

type JsonSchema = Readonly<Record<string, unknown>>;

/** Returns the JSON Schema of `config.json`, for completion and checks in editors. */
export function configSchema(): JsonSchema {
  return fileSchema(configShape, "ikigai config.json");
}

/** Returns the JSON Schema of a file of this shape. */
export function fileSchema(shape: Shape, title: string): JsonSchema {
  const head = { $schema: "http://json-schema.org/draft-07/schema#", title };
  return { ...head, ...schemaOf(shape), allowComments: true, allowTrailingCommas: true };
}

function schemaOf(shape: Shape): JsonSchema {
  const description = shape.about === undefined ? {} : { description: shape.about };
  return { ...typeOf(shape), ...description };
}

function typeOf(shape: Shape): JsonSchema {
  switch (shape.type) {
    case "string":
      return {
        type: "string",
        ...(shape.oneOf ? { enum: shape.oneOf } : { minLength: 1 }),
        ...(shape.pattern && { pattern: shape.pattern.source }),
        ...(shape.example && { examples: [shape.example] }),
      };
    case "integer":
      return { type: "integer", minimum: shape.min, ...(shape.max !== undefined && { maximum: shape.max }) };
    case "amount":
      return { type: "number", exclusiveMinimum: 0 };
    case "boolean":
      return { type: "boolean" };
    case "object": {
      const properties = Object.entries(shape.keys).map(([name, inner]) => [name, schemaOf(inner)]);
      return { type: "object", additionalProperties: false, properties: Object.fromEntries(properties) };
    }
    case "map": {
      const patterns = shape.patterns && { patternProperties: { "\\*$": schemaOf(shape.patterns) } };
      const names = shape.names && { propertyNames: { pattern: shape.names.pattern.source } };
      return { type: "object", ...names, ...patterns, additionalProperties: schemaOf(shape.values) };
    }
    case "rules":
      return { type: "array", items: ruleSchema };
    case "texts":
      return {
        type: "array",
        items: { type: "string", minLength: 1, ...(shape.pattern && { pattern: shape.pattern.source }) },
        minItems: shape.min ?? 0,
      };
    case "paths":
      return { type: "array", items: { type: "string", pattern: pathPattern.source } };
    default:
      return shape satisfies never;
  }
}

const rule = { type: "string", minLength: 1, examples: ["bash(npm test)"] };

const examples = { type: "array", items: { type: "string", minLength: 1 } };

const ruleSchema: JsonSchema = {
  type: "object",
  minProperties: 1,
  maxProperties: 3,
  additionalProperties: false,
  properties: { allow: rule, ask: rule, deny: rule, matches: examples, not: examples },
};
