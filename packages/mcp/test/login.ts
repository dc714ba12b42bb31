import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import type { JsonObject } from "@ikigai/protocol";
import { bare } from "./http-package.ts";
import { bridge, endOf } from "./server-package.ts";

export interface LoginSteps {
  readonly dataDir: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly options?: JsonObject;
  /** What the user does with the URL; by default, what a browser does. */
  readonly open?: (url: string, paste: (url: string) => void) => Promise<unknown>;
}

const browse = (url: string) => fetch(url);

/** Logs in to a server as the command does; returns the URL that was opened, and the end. */
export async function logIn(url: string, { dataDir, headers = {}, options = {}, open = browse }: LoginSteps) {
  return talk("login", { ...requestFor(url, dataDir), entry: { type: "http", url, headers }, ...options }, open);
}

/** Logs out from a server as the command does. */
export async function logOut(url: string, dataDir: string) {
  return talk("logout", requestFor(url, dataDir), browse);
}

function requestFor(url: string, dataDir: string): JsonObject {
  return { name: "test", entry: { type: "http", url, headers: {} }, packageDir: dataDir, dataDir, projectDir: dataDir };
}

async function talk(verb: string, request: JsonObject, open: NonNullable<LoginSteps["open"]>) {
  const child = spawn(process.execPath, [bridge, verb], { env: { ...process.env, ...bare } });
  const end = endOf(child);
  child.stdin.write(`${JSON.stringify(request)}\n`);
  const lines: JsonObject[] = [];
  const opened: JsonObject[] = [];
  for await (const line of createInterface({ input: child.stdout })) {
    const event: JsonObject = JSON.parse(line);
    lines.push(event);
    if (typeof event.open !== "string") continue;
    opened.push(event);
    await open(event.open, (text) => child.stdin.write(`${text}\n`));
  }
  return { opened: opened[0], last: lines.at(-1) ?? {}, stderr: (await end).stderr };
}
