import { type ProviderName, providerNames } from "../model/provider-table.ts";
import type { PermissionRule } from "../permission/permission.ts";
import { permissionModes } from "../permission/permission-modes.ts";

/** What a value of the configuration must be. `about` is what an editor shows beside it. */
export type Shape = { readonly about?: string } & (
  | { readonly type: "string"; readonly oneOf?: readonly string[]; readonly example?: string }
  | { readonly type: "integer"; readonly min: number }
  | { readonly type: "boolean" }
  | { readonly type: "object"; readonly keys: Readonly<Record<string, Shape>> }
  /** Any key, each with a value of one shape. */
  | { readonly type: "map"; readonly values: Shape }
  | { readonly type: "rules" }
  /** A list of texts, none of them empty. */
  | { readonly type: "texts"; readonly example: string; readonly min?: number }
);

/** What a value of a shape is: the type of the configuration is made of it. */
export type ValueOf<S> = S extends { type: "string"; oneOf: readonly (infer Word)[] }
  ? Word
  : S extends { type: "string" }
    ? string
    : S extends { type: "integer" }
      ? number
      : S extends { type: "boolean" }
        ? boolean
        : S extends { type: "object"; keys: infer Keys }
          ? { readonly [Key in keyof Keys]?: ValueOf<Keys[Key]> }
          : S extends { type: "map"; values: infer Value }
            ? Readonly<Record<string, ValueOf<Value>>>
            : S extends { type: "rules" }
              ? readonly PermissionRule[]
              : S extends { type: "texts" }
                ? readonly string[]
                : never;

const boolean = (about: string) => ({ type: "boolean", about }) as const;
const milliseconds = (about: string) => ({ type: "integer", min: 1, about: `${about}, in milliseconds` }) as const;
const paths = (about: string) => ({ type: "texts", example: '["~/.cache"]', about }) as const;
const section = <const Keys extends Readonly<Record<string, Shape>>>(about: string, keys: Keys) =>
  ({ type: "object", keys, about }) as const;

const provider = section("How the provider is reached", {
  apiKey: { type: "string", about: "Better kept in the environment" },
  baseUrl: { type: "string", example: "https://host/v1", about: "With or without the version path" },
});

const tool = section("How calls of this tool are made", {
  timeoutMs: milliseconds("How long a call may take"),
  maxOutputBytes: { type: "integer", min: 256, about: "How much of an answer the model sees, in bytes" },
  sandbox: boolean("Whether it runs in the sandbox"),
  network: boolean("Whether it has the network in the sandbox"),
  launcher: { type: "texts", example: '["ssh", "build-box"]', min: 1, about: "What its command line is put behind" },
  path: { type: "string", example: "/usr/local/libexec/ikigai/bash-tool", about: "Its file there" },
  directory: { type: "string", example: "/work", about: "The directory it works in there" },
  remoteShell: boolean("Whether the launcher hands the command line to a shell, as ssh does"),
});

const permission = section("What runs without a question", {
  mode: {
    type: "string",
    oneOf: permissionModes,
    about: "What happens to a call that no rule decides",
  },
  rules: { type: "rules", about: "The first rule that matches decides" },
  readOnlyCommands: boolean("Whether commands that only read inside the project need no question"),
});

const sandbox = section("The sandbox that tools run in", {
  enabled: boolean("Whether tools run in the sandbox"),
  network: boolean("Whether they have the network there"),
  writable: paths("What can be changed besides the project"),
  readable: paths("What is shown although it holds secrets"),
  hidden: paths("What is hidden besides the usual places of secrets"),
  git: boolean("Whether git may write to the project's repository"),
  env: {
    type: "texts",
    example: '["GITHUB_TOKEN"]',
    about: "Variables that tools get although they look like secrets",
  },
  sockets: boolean("Whether tools may connect to sockets of other programs"),
});

const patience = section("How patient to be with a model server", {
  firstByteTimeoutMs: milliseconds("How long the first data may take"),
  idleTimeoutMs: milliseconds("How long a stream may be silent"),
  pingsCount: boolean("Whether a ping counts as data"),
  maxRetries: { type: "integer", min: 0, about: "How often a failed request is sent again" },
  firstRetryMs: milliseconds("How long to wait before the first retry; it doubles"),
  maxRetryAfterMs: { type: "integer", min: 0, about: "The longest wait a server may ask for, in milliseconds" },
});

const screen = section("How the REPL looks and sounds", {
  theme: { type: "string", oneOf: ["auto", "light", "dark"] },
  bell: boolean("Whether to ring when an answer is there"),
  full: boolean("Whether to use the full screen also with NO_COLOR or LANG=C"),
  title: boolean("Whether to name the window"),
});

/** The whole of `config.json`. */
export const configShape = section("The configuration of ikigai, ~/.ikigai/config.json", {
  $schema: { type: "string", about: "Where editors find this schema" },
  model: { type: "string", example: "anthropic/claude-sonnet-5-5", about: "The model to use, PROVIDER/MODEL" },
  providers: section(
    "Keys and addresses",
    Object.fromEntries(providerNames.map((name) => [name, provider])) as Record<ProviderName, typeof provider>,
  ),
  permission,
  tools: { type: "map", values: tool, about: "Settings of single tools, by name" },
  sandbox,
  patience,
  maxSteps: { type: "integer", min: 1, about: "How many requests to the model one message may take" },
  screen,
});
