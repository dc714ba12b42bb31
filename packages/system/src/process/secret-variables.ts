/**
 * Name patterns of environment variables that look like secrets. `*` matches any text, `?` one character; case is ignored.
 *
 * Deliberately not included: `*TOKEN*`, which would match `MAX_OUTPUT_TOKENS` and `TOKENIZERS_PARALLELISM`, and `*PASS` or
 * `*KEY` without the underscore, which would match `SSH_ASKPASS`, `COMPASS` and `MONKEY`. `PATH`, `HOME`, `LANG`, `TERM`,
 * `PWD`, `NODE_*` and `npm_*` match no pattern unless they end like a secret.
 */
const secretNamePatterns: readonly string[] = [
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
  // Request headers may carry a key.
  "*_HEADERS",
  "*_WEBHOOK*",
  // URLs that contain a password.
  "*CONNECTION_STRING*",
  "*DATABASE_UR?",
  "*_DB_UR?",
  "*MONGO*_UR?",
  "*MYSQL*_UR?",
  "*POSTGRES*_UR?",
  "*REDIS*_UR?",
  "*AMQP*_UR?",
];

/** Not secret although it matches: git reads numbered pairs, and none may be missing. */
const harmlessName = /^GIT_CONFIG_KEY_\d+$/i;

const secretName = namesMatching(secretNamePatterns);

/** `scheme://user:password@host`. */
const passwordInUrl = /(?:^|[\s,])[a-z][a-z0-9+.-]*:\/\/[^/\s:@]*:[^/\s@]+@/i;

/** Needed for network access where it is granted. */
const proxyName = /_proxy$/i;

/** Returns whether a variable with this name, or this value, looks like a secret. */
export function isSecretVariable(name: string, value = ""): boolean {
  if (secretName.test(name)) return !harmlessName.test(name);
  return passwordInUrl.test(value) && !proxyName.test(name);
}

/** Returns a function that checks a name against these names, which may end in `*`. Case-sensitive. */
export function grantOf(granted: readonly string[]): (name: string) => boolean {
  const whole = new Set(granted);
  const starts = granted.flatMap((one) => (one.endsWith("*") ? [one.slice(0, -1)] : []));
  return (name) => whole.has(name) || starts.some((start) => name.startsWith(start));
}

function namesMatching(patterns: readonly string[]): RegExp {
  const all = patterns.map((pattern) => pattern.replaceAll("*", ".*").replaceAll("?", "."));
  return new RegExp(`^(?:${all.join("|")})$`, "is");
}

/** Environment variables that configure a model provider. */
export interface ProviderVariables {
  /** Holds the API key that ikigai uses. */
  readonly keyVariable: string;
  /** Holds the base URL. */
  readonly baseUrlVariable: string;
  /** Hold keys that other programs use; withheld from tools as well. */
  readonly otherKeyVariables: readonly string[];
}

/** The model providers. If several keys are set, the first provider wins. */
export const providerVariables = {
  anthropic: {
    keyVariable: "ANTHROPIC_API_KEY",
    baseUrlVariable: "ANTHROPIC_BASE_URL",
    otherKeyVariables: ["ANTHROPIC_AUTH_TOKEN"],
  },
  openai: {
    keyVariable: "OPENAI_API_KEY",
    baseUrlVariable: "OPENAI_BASE_URL",
    otherKeyVariables: ["OPENAI_ADMIN_KEY"],
  },
  google: {
    keyVariable: "GEMINI_API_KEY",
    baseUrlVariable: "GOOGLE_GEMINI_BASE_URL",
    otherKeyVariables: [
      "GOOGLE_AI_API_KEY",
      "GOOGLE_API_KEY",
      "GOOGLE_GEMINI_API_KEY",
      "GOOGLE_GENERATIVE_AI_API_KEY",
      "GOOGLE_GENAI_API_KEY",
    ],
  },
  "openai-compatible": {
    keyVariable: "OPENAI_COMPATIBLE_API_KEY",
    baseUrlVariable: "OPENAI_COMPATIBLE_BASE_URL",
    otherKeyVariables: [],
  },
} as const satisfies Readonly<Record<string, ProviderVariables>>;

/** The variables that hold provider API keys. Tools do not get them. */
export const providerKeyNames: readonly string[] = Object.values(providerVariables).flatMap(
  ({ keyVariable, otherKeyVariables }) => [keyVariable, ...otherKeyVariables],
);
