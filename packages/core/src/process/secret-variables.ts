/**
 * Names of environment variables that look like secrets. `*` stands for any text; upper and lower case are the same.
 *
 * Left out on purpose: a bare `*TOKEN*` would take `MAX_OUTPUT_TOKENS` and `TOKENIZERS_PARALLELISM` along, and `*PASS` or
 * `*KEY` without the underscore `SSH_ASKPASS`, `COMPASS` and `MONKEY`. `PATH`, `HOME`, `LANG`, `TERM`, `PWD`, `NODE_*` and
 * `npm_*` match none of them unless their names end like a secret's.
 */
export const secretNamePatterns: readonly string[] = [
  "*SECRET*",
  "*PASSWORD*",
  "*PASSWD*",
  "*PASSPHRASE*",
  "*CREDENTIAL*",
  "*APIKEY*",
  "*ACCESSKEY*",
  "*PRIVATEKEY*",
  "*_KEY",
  "*_KEYS",
  "*_KEY_*",
  "*TOKEN",
  "*_TOKEN_*",
  "*_AUTH",
  "*_AUTH_*",
  "*_PASS",
  "*_PWD",
  "*_PAT",
  "*_PEM",
  "*_JWT*",
  "*_BEARER*",
  "*_COOKIE*",
  "*_DSN",
  // Of requests: they carry what a key would.
  "*_HEADERS",
  "*_WEBHOOK*",
  // Addresses with the password in them.
  "*CONNECTION_STRING*",
  "*DATABASE_UR?",
  "*_DB_UR?",
  "*MONGO*_UR?",
  "*MYSQL*_UR?",
  "*POSTGRES*_UR?",
  "*REDIS*_UR?",
  "*AMQP*_UR?",
];

/** Not secret although a pattern says so: git takes its configuration from numbered pairs, and none may be missing. */
const harmlessName = /^GIT_CONFIG_KEY_\d+$/i;

const secretName = namesMatching(secretNamePatterns);

/** `scheme://user:password@host`, wherever it stands. */
const passwordInUrl = /^[a-z][a-z0-9+.-]*:\/\/[^/\s:@]*:[^/\s@]+@/i;

/** Without these there is no network where one is granted. */
const proxyName = /_proxy$/i;

/** Whether a variable of this name, or with this value, looks like a secret. */
export function isSecretVariable(name: string, value = ""): boolean {
  if (secretName.test(name)) return !harmlessName.test(name);
  return passwordInUrl.test(value) && !proxyName.test(name);
}

/**
 * An environment without the variables that look like secrets.
 *
 * @param granted the names of those that stay; one may end in `*`.
 */
export function withoutSecretVariables(env: NodeJS.ProcessEnv, granted: readonly string[] = []): NodeJS.ProcessEnv {
  const isGranted = grantOf(granted);
  const kept = Object.entries(env).filter(([name, value]) => isGranted(name) || !isSecretVariable(name, value));
  return Object.fromEntries(kept);
}

/** Says of a name whether it is one of these, of which some may end in `*`. Case counts, as it does for programs. */
export function grantOf(granted: readonly string[]): (name: string) => boolean {
  return (name) => granted.some((one) => (one.endsWith("*") ? name.startsWith(one.slice(0, -1)) : name === one));
}

function namesMatching(patterns: readonly string[]): RegExp {
  const all = patterns.map((pattern) => pattern.replaceAll("*", ".*").replaceAll("?", "."));
  return new RegExp(`^(?:${all.join("|")})$`, "is");
}
