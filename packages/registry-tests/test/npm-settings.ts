import { execFileSync } from "node:child_process";
import { root } from "./repository.ts";

/** How npm reaches third-party packages where the tests run. */
export interface NpmSettings {
  readonly registry: string;
  /** The directory of what npm has downloaded. */
  readonly cache: string;
  /** The environment variables of the network: proxies, and certificates besides those of Node. */
  readonly network: Readonly<Record<string, string>>;
}

/** Reads them; from the global setup, since vitest empties `NODE_EXTRA_CA_CERTS` for the tests. */
export function npmSettings(): NpmSettings {
  const printed = execFileSync("npm", ["config", "get", "registry", "cache"], { cwd: root, encoding: "utf8" });
  const [, registry = ""] = /^registry=(.*)$/m.exec(printed) ?? [];
  const [, cache = ""] = /^cache=(.*)$/m.exec(printed) ?? [];
  const isOfNetwork = /^(https?_proxy|no_proxy|NODE_EXTRA_CA_CERTS)$/i;
  const network = Object.entries(process.env).flatMap(([name, value]) =>
    value && isOfNetwork.test(name) ? [[name, value]] : [],
  );
  return { registry, cache, network: Object.fromEntries(network) };
}
