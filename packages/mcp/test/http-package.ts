import { spawn } from "node:child_process";
import type { JsonObject } from "@ikigai/protocol";
import { tempDir } from "@ikigai/testing";
import type { Inspection } from "../src/bridge/inspect.ts";
import type { HttpEntry } from "../src/server/server-entry.ts";
import type { ServerFile } from "../src/server/server-file.ts";
import { httpTools } from "./http-server.ts";
import { bridge, callTool, endOf, serverPackage, startService } from "./server-package.ts";

/** Without the tests' environment, which may name a proxy. */
export const bare = { HTTP_PROXY: "", HTTPS_PROXY: "", ALL_PROXY: "", http_proxy: "", https_proxy: "", all_proxy: "" };

/** A package of a remote server. */
export async function httpPackage(url: string, { type = "http", headers = {}, server = {} }: HttpPackageOptions = {}) {
  const entry: HttpEntry = { type, url, headers };
  const made = await serverPackage({}, { server: { entry, ...server }, tools: httpTools });
  return {
    ...made,
    /** The answer of a call with a process of its own. */
    async call(name: string, args: object = {}, env: NodeJS.ProcessEnv = {}) {
      const { stdout, stderr } = await callTool(made.toolPath(name), args, { ...bare, ...env });
      if (stdout === "") throw new Error(stderr);
      return JSON.parse(stdout);
    },
    service: (env: NodeJS.ProcessEnv = {}) => startService(made.toolPath("echo"), { ...bare, ...env }),
  };
}

interface HttpPackageOptions {
  readonly type?: HttpEntry["type"];
  readonly headers?: Readonly<Record<string, string>>;
  readonly server?: Partial<ServerFile>;
}

/** What the bridge finds out about a server that is added. */
export async function inspectHttp(
  url: string,
  { headers = {}, ...request }: JsonObject = {},
): Promise<Inspection & { readonly error?: string; readonly error_code?: string }> {
  const dataDir = await tempDir();
  const child = spawn(process.execPath, [bridge, "inspect"], { env: { ...process.env, ...bare } });
  child.stdin.end(
    JSON.stringify({
      name: "test",
      entry: { type: "http", url, headers },
      packageDir: dataDir,
      dataDir,
      projectDir: dataDir,
      timeoutMs: 30_000,
      ...request,
    }),
  );
  const { stdout, stderr } = await endOf(child);
  if (stdout === "") throw new Error(stderr);
  return JSON.parse(stdout);
}
