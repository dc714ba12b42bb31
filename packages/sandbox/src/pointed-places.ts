import { isAbsolute, join, resolve } from "node:path";
import { grantOf, isInside, isSecretVariable, realPathOf } from "@ikigai/system";
import type { SandboxPolicy } from "./sandbox-policy.ts";

// Secret files anywhere on the disk, also in the project, that the environment points to. Those in the home directory are hidden anyway.

/** Variables that name a secret file or directory, and do not look like it. Some hold a list separated by `:`. */
const pointers: readonly string[] = (
  "AWS_CONFIG_FILE BOTO_CONFIG CLOUDSDK_CONFIG DOCKER_CONFIG GNUPGHOME HISTFILE KRB5CCNAME KRB5_KTNAME KUBECONFIG NETRC " +
  "NPM_CONFIG_USERCONFIG npm_config_userconfig PGPASSFILE PGSERVICEFILE PIP_CONFIG_FILE RCLONE_CONFIG SSH_AUTH_SOCK XAUTHORITY"
).split(" ");

/** Variables that name a directory with secrets in it. Tools get them: programs need them. */
const partlySecret: ReadonlyMap<string, readonly string[]> = new Map([
  ["CARGO_HOME", ["credentials", "credentials.toml"]],
  ["COMPOSER_HOME", ["auth.json"]],
  ["GRADLE_USER_HOME", ["gradle.properties"]],
  ["HF_HOME", ["token", "stored_tokens"]],
]);

type PointingPolicy = Pick<SandboxPolicy, "environment" | "cwd" | "env">;

/** The places that variables point to. */
export interface PointedPlaces {
  /** To be hidden. */
  readonly secret: readonly string[];
  /** To be shown: the user grants the tools the variable. */
  readonly granted: readonly string[];
}

/**
 * Returns the secret files that the environment points to, as absolute paths. This includes variables that look like a secret
 * and hold a path (`POSTGRES_PASSWORD_FILE`).
 *
 * @param needed paths that stay visible, with their parents, even if a variable points there.
 */
export function pointedPlaces(policy: PointingPolicy, needed: readonly string[]): PointedPlaces {
  const { environment, cwd, env: grants = [] } = policy;
  const isGranted = grantOf(grants);
  const secret: string[] = [];
  const granted: string[] = [];
  for (const [name, value = ""] of Object.entries(environment)) {
    if (value === "") continue;
    if (isPointer(name) || isSecretVariable(name)) {
      (isGranted(name) ? granted : secret).push(...placesIn(name, value, cwd));
    }
    for (const part of partlySecret.get(name) ?? []) if (!isGranted(name)) secret.push(join(resolve(cwd, value), part));
  }
  const seen = [...needed, process.execPath].map(realPathOf);
  const isNeeded = (path: string) =>
    devices.some((device) => isInside(path, device)) || seen.some((one) => isInside(one, realPathOf(path)));
  return { secret: secret.filter((path) => !isNeeded(path)), granted };
}

/** Whether a variable names a secret file or directory. */
export function isPointer(name: string): boolean {
  return pointers.includes(name);
}

/** Harmless targets: `NPM_CONFIG_USERCONFIG=/dev/null`. */
const devices = ["/dev", "/proc", "/sys"];

/** Splits a list; removes the cache type that Kerberos puts before a path. */
function placesIn(name: string, value: string, cwd: string): string[] {
  const list = value.replace(/^(?:FILE|DIR|WRFILE):/, "").split(":");
  const isPath = (path: string) => path !== "" && (isPointer(name) || isAbsolute(path) || /\.\w+$/.test(path));
  return list.filter(isPath).map((path) => resolve(cwd, path));
}
