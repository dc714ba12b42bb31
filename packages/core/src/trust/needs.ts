// What tools need besides the project (`ikigai.needs` of their schemas). In order: whether the user has agreed, what the sandbox of
// a tool becomes with it, and the needs in words. A yes is kept for the content of the tool's file and for exactly these needs. What
// ships with the host, or what the host has made for one conversation, needs no yes.

import { createHash } from "node:crypto";
import { isAbsolute, join } from "node:path";
import type { ToolNeeds, ToolSchema } from "@ikigai/protocol";
import { decisiveFiles, isPointer, type SandboxSettings, secretPlacesOf } from "@ikigai/sandbox";
import { isInside, isSecretVariable, makeDirectories, privateDirectoryMode, realPathOf } from "@ikigai/system";
import type { RegisteredTool } from "../registry/registry.ts";
import { hashTool } from "../registry/stamps.ts";
import { loadTrustStore, updateTrustStore } from "./trust.ts";

/** What a yes is about. */
interface NeedyTool extends Pick<RegisteredTool, "path"> {
  readonly schema: Pick<ToolSchema, "ikigai">;
}

/** Returns the tools, those that need something that the user has not agreed to with `openNeeds`. */
export async function withOpenNeeds(
  tools: readonly RegisteredTool[],
  home: string,
): Promise<readonly RegisteredTool[]> {
  if (!tools.some(asks)) return tools;
  const { needs } = loadTrustStore(home);
  return Promise.all(
    tools.map(async (tool) => {
      if (!asks(tool)) return tool;
      const agreed = needs.get(tool.path);
      return agreed !== undefined && agreed === (await fingerprint(tool))
        ? tool
        : { ...tool, openNeeds: true as const };
    }),
  );
}

function asks({ scope, schema, launcher, home }: RegisteredTool): boolean {
  return scope !== "system" && !launcher && home === undefined && Object.keys(schema.ikigai?.needs ?? {}).length > 0;
}

/**
 * Records that the user has agreed to what these tools need.
 *
 * @throws the system's error if the decision cannot be stored; TrustStoreProblem if the decisions cannot be read or are locked.
 */
export async function agreeToNeeds(home: string, tools: readonly NeedyTool[]): Promise<void> {
  await record(home, await Promise.all(tools.map(async (tool) => [tool.path, await fingerprint(tool)] as const)));
}

/** Records that the user no longer agrees to what the tools at these paths need. @throws as `agreeToNeeds` does. */
export async function forgetNeeds(home: string, paths: readonly string[]): Promise<void> {
  await record(
    home,
    paths.map((path) => [path, undefined] as const),
  );
}

async function record(home: string, decided: readonly (readonly [string, string | undefined])[]): Promise<void> {
  const known = loadTrustStore(home).needs;
  if (decided.every(([path, print]) => print === known.get(path))) return;
  await updateTrustStore(home, (_, needs) => {
    for (const [path, print] of decided) {
      if (print === undefined) needs.delete(path);
      else needs.set(path, print);
    }
  });
}

/** Changes with the content of a tool's file, and with its needs; `undefined` if it has none, or cannot be read. */
async function fingerprint({ path, schema }: NeedyTool): Promise<string | undefined> {
  const needs = schema.ikigai?.needs ?? {};
  const content = Object.keys(needs).length === 0 ? undefined : await hashTool(path);
  return (
    content &&
    createHash("sha256")
      .update(`${content}\n${JSON.stringify(sorted(needs))}`)
      .digest("hex")
  );
}

function sorted(needs: ToolNeeds): readonly unknown[] {
  return Object.entries(needs).sort(([a], [b]) => (a < b ? -1 : 1));
}

/** What the user has agreed to; nothing if there is a question left. */
export function agreedNeeds({ schema, openNeeds }: RegisteredTool): ToolNeeds {
  return openNeeds ? {} : (schema.ikigai?.needs ?? {});
}

/** Whether a tool must not run in a sandbox before the user has agreed. Where it only reads, only what it reads counts. */
export function hasOpenNeeds({ schema, openNeeds }: RegisteredTool, isReadOnly: boolean): boolean {
  return openNeeds === true && (!isReadOnly || schema.ikigai?.needs?.read !== undefined);
}

/**
 * A sandbox with the files that a tool needs. The user's own directory stays hidden, whatever leads there. What the tool changes and does
 * not exist becomes a directory: nothing else can be mounted.
 */
export function sandboxWithNeeds(sandbox: SandboxSettings, needs: ToolNeeds): SandboxSettings {
  const { home, userHome, isReadOnly, readable, writable } = sandbox;
  const own = realPathOf(home);
  const isFree = (path: string) => {
    const real = realPathOf(path);
    return !isInside(real, own) && !isInside(own, real);
  };
  const places = (paths: readonly string[] = []) => paths.map((path) => placeOfNeed(path, userHome)).filter(isFree);
  const [read, write] = [places(needs.read), isReadOnly ? [] : places(needs.write)];
  if (read.length + write.length === 0) return sandbox;
  for (const path of write) makeIfPossible(path);
  return { ...sandbox, readable: [...readable, ...read], writable: [...writable, ...write] };
}

function makeIfPossible(path: string): void {
  try {
    makeDirectories(path, privateDirectoryMode);
  } catch {
    // A file, or not the user's to make: the tool says what it misses.
  }
}

/** The absolute path of a need. */
function placeOfNeed(path: string, userHome: string): string {
  return isAbsolute(path) ? path : join(userHome, path.slice(1));
}

/** What a tool needs, one per line, for the user to decide about. What is a secret, or decides what runs, is called so. */
export function describeNeeds(
  { hosts = [], read = [], write = [], env = [] }: ToolNeeds,
  { userHome, env: variables = process.env }: { readonly userHome: string; readonly env?: NodeJS.ProcessEnv },
): readonly string[] {
  const secrets = secretPlacesOf(userHome, variables);
  const meets = (place: string, path: string) => isInside(path, place) || isInside(place, path);
  const words = (path: string, isWritten: boolean) => {
    const place = placeOfNeed(path, userHome);
    const decisive = isWritten
      ? decisiveFiles.find((row) => row.isInHome && meets(join(userHome, row.path), place))
      : undefined;
    const isSecret = secrets.some((secret) => meets(secret, place));
    return `${path}${isSecret ? " (a place of your keys and passwords)" : ""}${decisive ? ` (${decisive.why})` : ""}`;
  };
  const whatOf = (name: string, value: string | undefined) =>
    isPointer(name)
      ? " and reads the file it names"
      : isSecretVariable(name, value)
        ? " (a key, token or password)"
        : "";
  return [
    ...hosts.map((host) => `connects to ${host}`),
    ...read.map((path) => `reads ${words(path, false)}`),
    ...write.map((path) => `changes ${words(path, true)}`),
    ...env.map((name) => `gets ${name}${whatOf(name, variables[name])}`),
  ];
}
