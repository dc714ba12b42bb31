// Where one server is: its package, its entry with the values filled in, its directory, and its variables.

import { join } from "node:path";
import type { JsonObject } from "@ikigai/protocol";
import { makePrivateDirectory } from "@ikigai/system";
import { readSecrets } from "../server/secrets-file.ts";
import {
  expandEntry,
  type HttpEntry,
  inPackage,
  isStdio,
  readServerEntry,
  type ServerEntry,
} from "../server/server-entry.ts";
import { BridgeError } from "./bridge-error.ts";
import type { ServerProgram } from "./stdio-server.ts";

/** How to reach a server now. */
export interface ServerPlace {
  readonly name: string;
  readonly target: ServerProgram | HttpEntry;
  /** The directory for what is kept between calls. */
  readonly dataDir: string;
  readonly projectDir: string;
  /** The URL of the entry; empty for a program. */
  readonly url: string;
  readonly env: NodeJS.ProcessEnv;
  /** The command that logs the user in. */
  readonly loginCommand: string;
  /** Texts that must not be shown. */
  readonly secrets: readonly string[];
  /** Adds to `secrets`. */
  readonly learnSecret: (secret: string) => void;
}

interface PlaceOptions {
  readonly name: string;
  readonly entry: ServerEntry;
  /** Where a program that came with the package is. */
  readonly packageDir: string;
  readonly dataDir: string;
  readonly env: NodeJS.ProcessEnv;
  readonly projectDir: string;
  readonly loginCommand?: string;
  /** Whether `${VAR}` in the values of the entry is text like any other. */
  readonly isLiteral?: boolean;
}

/**
 * Fills in what an entry leaves open.
 *
 * @throws BridgeError `MISSING_CREDENTIALS` if a variable is not set.
 */
export function serverPlace({
  name,
  entry,
  packageDir,
  dataDir,
  env,
  projectDir,
  loginCommand,
  isLiteral = false,
}: PlaceOptions): ServerPlace {
  const stored = readSecrets(dataDir);
  const { entry: now, missing } = expandEntry(entry, stored, env, { isLiteral });
  if (missing.length > 0) throw missingVariables(name, missing);
  const values = isStdio(now) ? Object.values(now.env) : Object.values(now.headers).flatMap(keysOf);
  const secrets = [...values, ...Object.values(stored)].filter((value) => !value.startsWith("/"));
  const learnSecret = (secret: string) => {
    if (!secrets.includes(secret)) secrets.push(secret);
  };
  const place = {
    name,
    dataDir,
    projectDir,
    url: isStdio(now) ? "" : now.url,
    env,
    loginCommand: loginCommand ?? `ikigai mcp login ${name}`,
    secrets,
    learnSecret,
  };
  if (!isStdio(now)) return { ...place, target: now };
  makePrivateDirectory(dataDir);
  const local = (word: string) => (word.startsWith(inPackage) ? join(packageDir, word.slice(inPackage.length)) : word);
  const target = {
    command: now.command === "node" ? process.execPath : local(now.command),
    args: now.args.map(local),
    env: serverEnvironment(env, now.env),
    // Never the project: npx, for one, would run a package of the same name from its node_modules.
    cwd: now.cwd ?? dataDir,
  };
  return { ...place, target };
}

/** The value of a header, and the key after its scheme. */
function keysOf(value: string): string[] {
  return [value, value.replace(/^[A-Za-z]+ +/, "")];
}

function missingVariables(server: string, names: readonly string[]): BridgeError {
  const which = names.join(", ");
  return new BridgeError(
    "MISSING_CREDENTIALS",
    `The MCP server ${server} needs the environment ${names.length === 1 ? "variable" : "variables"} ${which}, which ${names.length === 1 ? "is" : "are"} not set.`,
    [...names.map((name) => `export ${name}=…`), "Start ikigai again"],
  );
}

/** What every program needs; nothing here is a secret. */
const inherited = [
  "HOME",
  "LOGNAME",
  "PATH",
  "SHELL",
  "TERM",
  "USER",
  "LANG",
  "TZ",
  "TMPDIR",
  "NODE_EXTRA_CA_CERTS",
  "NODE_USE_ENV_PROXY",
];
const inheritedForms = [/^LC_[A-Z]+$/, /^SSL_CERT_[A-Z]+$/, /^(https?|all|no|ftp)_proxy$/i];

/** The ids by which the host finds what a server leaves running. */
const marks = ["IKIGAI_HOST_ID", "IKIGAI_SERVICE_ID", "IKIGAI_CALL_ID"];

/**
 * The environment of a server: what every program needs, and what its entry names. Nothing else: not the keys of model providers, nor
 * the tokens of other servers.
 *
 * @param named the expanded values of its entry.
 */
export function serverEnvironment(
  env: NodeJS.ProcessEnv,
  named: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> {
  const isInherited = (name: string) =>
    inherited.includes(name) || marks.includes(name) || inheritedForms.some((form) => form.test(name));
  const kept = Object.entries(env).filter(
    // A shell's exported function.
    (entry): entry is [string, string] => entry[1] !== undefined && isInherited(entry[0]) && !entry[1].startsWith("()"),
  );
  return { ...Object.fromEntries(kept), ...named };
}

/**
 * Reads how to reach the server of a request.
 *
 * @param request a JSON object with `name`, `entry`, `packageDir`, `dataDir`, `projectDir`, and `loginCommand` and `isLiteral` if they
 *   are not as usual.
 * @throws BridgeError.
 */
export function requestedPlace(request: JsonObject, env: NodeJS.ProcessEnv): ServerPlace {
  const entry = readServerEntry(request.entry, { allowsSecrets: true });
  if ("problem" in entry) throw new BridgeError("MCP_REQUEST_FAILED", entry.problem);
  const { name, packageDir, dataDir, projectDir, loginCommand, isLiteral } = request;
  return serverPlace({
    name: String(name),
    packageDir: String(packageDir),
    dataDir: String(dataDir),
    projectDir: String(projectDir),
    ...(typeof loginCommand === "string" && { loginCommand }),
    isLiteral: isLiteral === true,
    entry,
    env,
  });
}
