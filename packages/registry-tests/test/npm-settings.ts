import { execFileSync } from "node:child_process";
import { root } from "./repository.ts";

/** The npm settings of the machine that runs the tests, for third-party packages. */
export interface NpmSettings {
  readonly registry: string;
  /** npm's cache directory. */
  readonly cache: string;
  /** The environment variables for proxies and additional certificates. */
  readonly network: Readonly<Record<string, string>>;
}

/** Reads the settings; in the global setup, because vitest clears `NODE_EXTRA_CA_CERTS` for tests. */
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
