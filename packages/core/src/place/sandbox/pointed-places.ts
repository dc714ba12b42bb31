import { isAbsolute, join, resolve } from "node:path";
import { isInside, realPathOf } from "@ikigai/system";
import { grantOf, isSecretVariable } from "../../process/secret-variables.ts";
import type { SandboxPolicy } from "./sandbox-policy.ts";

/** Variables that name a secret file or directory. Some hold a list separated by `:`. */
const pointers: readonly string[] = [
  "ANSIBLE_VAULT_PASSWORD_FILE",
  "AWS_CONFIG_FILE",
  "AWS_SHARED_CREDENTIALS_FILE",
  "AWS_WEB_IDENTITY_TOKEN_FILE",
  "AZURE_CONFIG_DIR",
  "BOTO_CONFIG",
  "CLAUDE_CONFIG_DIR",
  "CLOUDSDK_CONFIG",
  "CODEX_HOME",
  "DATABRICKS_CONFIG_FILE",
  "DOCKER_CONFIG",
  "GH_CONFIG_DIR",
  "GLAB_CONFIG_DIR",
  "GNUPGHOME",
  "GOOGLE_APPLICATION_CREDENTIALS",
  "HF_TOKEN_PATH",
  "HISTFILE",
  "ICEAUTHORITY",
  "KAGGLE_CONFIG_DIR",
  "KRB5CCNAME",
  "KRB5_KTNAME",
  "KUBECONFIG",
  "NETRC",
  "NPM_CONFIG_USERCONFIG",
  "npm_config_userconfig",
  "OCI_CLI_CONFIG_FILE",
  "OPENCODE_CONFIG_DIR",
  "PASSWORD_STORE_DIR",
  "PGPASSFILE",
  "PGSERVICEFILE",
  "PIP_CONFIG_FILE",
  "RCLONE_CONFIG",
  "REGISTRY_AUTH_FILE",
  "SNOWFLAKE_HOME",
  "SOPS_AGE_KEY_FILE",
  "SSH_AUTH_SOCK",
  "TF_CLI_CONFIG_FILE",
  "VAULT_TOKEN_FILE",
  "WGETRC",
  "XAUTHORITY",
  "XDG_RUNTIME_DIR",
];

/** Variables that name a directory with secrets in it. They are kept: programs need them. */
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
    (isGranted(name) ? granted : secret).push(...placesIn(name, value, cwd));
    for (const part of partlySecret.get(name) ?? []) if (!isGranted(name)) secret.push(join(resolve(cwd, value), part));
  }
  const seen = [...needed, process.execPath].map(realPathOf);
  const isNeeded = (path: string) =>
    devices.some((device) => isInside(path, device)) || seen.some((one) => isInside(one, realPathOf(path)));
  return { secret: secret.filter((path) => !isNeeded(path)), granted };
}

/** Harmless targets: `NPM_CONFIG_USERCONFIG=/dev/null`. */
const devices = ["/dev", "/proc", "/sys"];

function placesIn(name: string, value: string, cwd: string): string[] {
  if (pointers.includes(name)) return pathsIn(value, cwd);
  return isAbsolute(value) && isSecretVariable(name) ? [value] : [];
}

/** Returns an environment without the variables that point to secrets, except granted ones. */
export function withoutPointers(env: NodeJS.ProcessEnv, grants: readonly string[]): NodeJS.ProcessEnv {
  const isGranted = grantOf(grants);
  return Object.fromEntries(Object.entries(env).filter(([name]) => !pointers.includes(name) || isGranted(name)));
}

/** Splits a list; removes the cache type that Kerberos puts before a path. */
function pathsIn(value: string, cwd: string): string[] {
  const list = value.replace(/^(?:FILE|DIR|WRFILE):/, "").split(":");
  return list.filter((path) => path !== "").map((path) => resolve(cwd, path));
}
