import type { CommandSyntax } from "./option.ts";

/** The files that have a JSON Schema. */
const schemaNames = ["config", "keys", "theme"];

/** The subcommands that set ikigai up, in the order of the help. */
export const setupCommands = {
  setup: {
    name: "setup",
    summary: "choose a model, test it and write the configuration",
    operands: [],
    options: {},
  },
  models: {
    name: "models",
    summary: "list the models you can use now",
    operands: [{ name: "PROVIDER", isOptional: true, completes: "model-provider" }],
    options: { json: { summary: "as JSON, for programs" } },
  },
  login: {
    name: "login",
    summary: "test an API key by listing the models, and store it",
    operands: [{ name: "PROVIDER", isOptional: true, completes: "provider" }],
    options: {
      "no-check": { summary: "do not test the key" },
      status: { summary: "list where each key comes from, and exit" },
    },
  },
  logout: {
    name: "logout",
    summary: "remove a stored API key",
    operands: [{ name: "PROVIDER", isOptional: true, completes: "provider" }],
    options: {},
  },
  "config get": {
    name: "config get",
    summary: "print a setting, or all of them; hides API keys",
    operands: [{ name: "KEY", isOptional: true, completes: "setting" }],
    options: {},
  },
  "config set": {
    name: "config set",
    summary: "change a setting; rejects an invalid value",
    operands: [{ name: "KEY", completes: "setting" }, { name: "VALUE" }],
    options: {},
  },
  "config unset": {
    name: "config unset",
    summary: "remove a setting",
    operands: [{ name: "KEY", completes: "setting" }],
    options: {},
  },
  "config edit": {
    name: "config edit",
    summary: "open the configuration in your editor, and check it afterwards",
    operands: [],
    options: {},
  },
  "config schema": {
    name: "config schema",
    summary: "print the JSON Schema of the configuration, of keys.json or of theme files",
    operands: [{ name: schemaNames.join("|"), isOptional: true, oneOf: schemaNames }],
    options: {},
  },
  "config path": {
    name: "config path",
    summary: "print the path of the configuration",
    operands: [],
    options: {},
  },
} as const satisfies Readonly<Record<string, CommandSyntax>>;

/** The subcommands about this copy of ikigai. */
export const upgradeCommands = {
  upgrade: { name: "upgrade", summary: "print the command that updates ikigai", operands: [], options: {} },
  uninstall: {
    name: "uninstall",
    summary: "print the command that removes ikigai, and list the files that stay",
    operands: [],
    options: {},
  },
} as const satisfies Readonly<Record<string, CommandSyntax>>;
