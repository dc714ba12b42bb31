import { providerNames } from "../model/provider-table.ts";

/** What a value of the configuration must be. */
export type Shape =
  | { readonly type: "string"; readonly oneOf?: readonly string[]; readonly example?: string }
  | { readonly type: "integer"; readonly min: number }
  | { readonly type: "boolean" }
  | { readonly type: "object"; readonly keys: Readonly<Record<string, Shape>> }
  /** Any key, each with a value of one shape. */
  | { readonly type: "map"; readonly values: Shape }
  | { readonly type: "rules" }
  /** A list of texts, none of them empty. */
  | { readonly type: "texts"; readonly example: string; readonly min?: number };

const milliseconds: Shape = { type: "integer", min: 1 };

const paths: Shape = { type: "texts", example: '["~/.cache"]' };

const provider: Shape = {
  type: "object",
  keys: { apiKey: { type: "string" }, baseUrl: { type: "string", example: "https://host/v1" } },
};

/** The whole of `config.json`. */
export const configShape: Shape = {
  type: "object",
  keys: {
    model: { type: "string", example: "anthropic/claude-sonnet-5-5" },
    providers: { type: "object", keys: Object.fromEntries(providerNames.map((name) => [name, provider])) },
    permission: {
      type: "object",
      keys: { mode: { type: "string", oneOf: ["ask", "edits", "plan", "allow", "deny"] }, rules: { type: "rules" } },
    },
    tools: {
      type: "map",
      values: {
        type: "object",
        keys: {
          timeoutMs: milliseconds,
          maxOutputBytes: { type: "integer", min: 256 },
          sandbox: { type: "boolean" },
          network: { type: "boolean" },
          launcher: { type: "texts", example: '["ssh", "build-box"]', min: 1 },
          path: { type: "string", example: "/usr/local/libexec/ikigai/bash-tool" },
          directory: { type: "string", example: "/work" },
          remoteShell: { type: "boolean" },
        },
      },
    },
    sandbox: {
      type: "object",
      keys: {
        enabled: { type: "boolean" },
        network: { type: "boolean" },
        writable: paths,
        readable: paths,
        hidden: paths,
        git: { type: "boolean" },
        env: { type: "texts", example: '["GITHUB_TOKEN"]' },
        sockets: { type: "boolean" },
      },
    },
    patience: {
      type: "object",
      keys: {
        firstByteTimeoutMs: milliseconds,
        idleTimeoutMs: milliseconds,
        pingsCount: { type: "boolean" },
        maxRetries: { type: "integer", min: 0 },
        firstRetryMs: milliseconds,
        maxRetryAfterMs: { type: "integer", min: 0 },
      },
    },
    maxSteps: { type: "integer", min: 1 },
    screen: {
      type: "object",
      keys: {
        theme: { type: "string", oneOf: ["auto", "light", "dark"] },
        bell: { type: "boolean" },
        full: { type: "boolean" },
        title: { type: "boolean" },
      },
    },
  },
};
