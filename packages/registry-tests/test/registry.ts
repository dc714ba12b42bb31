import { once } from "node:events";
import { cpSync } from "node:fs";
import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { tempDir } from "@ikigai/testing";
import { runServer } from "verdaccio";
import { installMs } from "./machine.ts";

/** A registry on loopback, with only the packages published to it. */
export interface Registry {
  readonly url: string;
  /** Where the published tarballs are: `STORAGE/@scope/name/name-1.0.0.tgz`. */
  readonly storage: string;
  stop(): void;
}

/**
 * Starts a registry. Only users with an account may publish. It forwards requests for third-party packages, the few that ours depend
 * on, to npm's usual registry.
 *
 * @param published the storage of another registry; the new one starts with its `@ikigai` packages. Without it, empty.
 */
export async function startRegistry(upstream: string, published?: string): Promise<Registry> {
  const home = await tempDir();
  const storage = join(home, "storage");
  if (published) cpSync(join(published, "@ikigai"), join(storage, "@ikigai"), { recursive: true });
  const server: Server = await runServer({
    configPath: join(home, "config.yaml"),
    self_path: home,
    storage,
    // The fewest rounds possible: the tests are not about passwords.
    auth: { htpasswd: { file: join(home, "htpasswd"), algorithm: "bcrypt", rounds: 4 } },
    // By default two slow answers make the upstream registry unreachable for five minutes, and its packages missing.
    uplinks: { upstream: { url: upstream, timeout: "2m", max_fails: 100, fail_timeout: "1s" } },
    packages: {
      "@ikigai/*": { access: "$all", publish: "$authenticated" },
      "@me/*": { access: "$all", publish: "$authenticated" },
      "**": { access: "$all", proxy: "upstream" },
    },
    log: { type: "stdout", format: "pretty", level: "fatal" },
    web: { enable: false },
  } as never);
  // npm's cache may be the user's own, and outlives this port.
  server.prependListener("request", (_, response) => response.setHeader("cache-control", "no-store"));
  // npm uses connections again after any time; on a busy machine that is often after the server has closed them.
  server.keepAliveTimeout = installMs;
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const stop = () => {
    server.close();
    server.closeAllConnections();
  };
  return { url: `http://127.0.0.1:${port}/`, storage, stop };
}

/** Creates an account as `npm adduser` does; returns the line for `.npmrc`. */
export async function signUp(url: string, name: string): Promise<string> {
  const response = await fetch(`${url}-/user/org.couchdb.user:${name}`, {
    method: "PUT",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ name, password: `secret of ${name}`, email: `${name}@example.org` }),
  });
  const { token, error } = (await response.json()) as { token?: string; error?: string };
  if (!token) throw new Error(`Expected a token from ${url}, got ${response.status} ${error}`);
  return `${url.replace("http:", "")}:_authToken=${token}`;
}
