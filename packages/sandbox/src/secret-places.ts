import { isAbsolute, join } from "node:path";

/**
 * Where people and programs keep keys, tokens and passwords, relative to the home directory. Hidden from tools in a sandbox:
 * what they cannot read they cannot leak, into the project or over a granted network.
 */
export const secretPlaces: readonly string[] = [
  // Keys of people and machines.
  ".ssh",
  ".gnupg",
  ".pki",
  ".password-store",
  ".local/share/keyrings",
  ".local/share/kwalletd",
  ".config/op",
  ".config/sops",
  ".config/age",
  "Library/Keychains",
  // Clouds, clusters, containers.
  ".aws",
  ".azure",
  ".config/gcloud",
  ".config/doctl",
  ".config/rclone",
  ".oci",
  ".aliyun",
  ".databrickscfg",
  ".databricks",
  ".fly",
  ".s3cfg",
  ".boto",
  ".snowflake",
  ".config/snowflake",
  ".local/share/com.vercel.cli",
  ".config/configstore",
  ".docker",
  ".config/containers",
  ".kube",
  ".terraform.d/credentials.tfrc.json",
  ".terraformrc",
  ".vault-token",
  // Forges and package registries.
  ".config/gh",
  ".config/hub",
  ".config/glab-cli",
  ".config/github-copilot",
  ".git-credentials",
  ".config/git/credentials",
  ".netrc",
  ".npmrc",
  ".yarnrc.yml",
  ".pypirc",
  ".pip/pip.conf",
  ".config/pip/pip.conf",
  ".cargo/credentials",
  ".cargo/credentials.toml",
  ".gem/credentials",
  ".m2/settings.xml",
  ".m2/settings-security.xml",
  ".gradle/gradle.properties",
  ".composer/auth.json",
  ".config/composer/auth.json",
  ".nuget/NuGet/NuGet.Config",
  ".local/share/uv/credentials",
  ".rye/credentials",
  ".pub-cache/credentials.json",
  ".hex/hex.config",
  ".luarocks/upload_config.lua",
  ".cabal/config",
  ".ivy2/.credentials",
  ".sbt/.credentials",
  ".julia/servers",
  // Data and models.
  ".cache/huggingface/token",
  ".cache/huggingface/stored_tokens",
  ".kaggle",
  // Databases.
  ".pgpass",
  ".my.cnf",
  // Other agents.
  ".claude",
  ".claude.json",
  ".codex",
  ".gemini",
  ".config/opencode",
  ".local/share/opencode",
  ".pi",
  ".cursor",
  ".amp",
  ".config/amp",
  ".local/share/amp",
  ".config/Code",
  ".config/Code - Insiders",
  ".config/VSCodium",
  ".config/Cursor",
  // Browsers and mail.
  ".mozilla",
  ".config/google-chrome",
  ".config/chromium",
  ".config/BraveSoftware",
  ".thunderbird",
  "Library/Application Support/Code",
  "Library/Application Support/Cursor",
  "Library/Application Support/Google/Chrome",
  "Library/Application Support/Firefox",
  "Library/Cookies",
  // Input histories.
  ".bash_history",
  ".zsh_history",
  ".zhistory",
  ".local/share/fish/fish_history",
  ".psql_history",
  ".mysql_history",
  ".python_history",
  ".node_repl_history",
];

/** Default locations of the XDG directories. */
const movable = { XDG_CACHE_HOME: ".cache", XDG_CONFIG_HOME: ".config", XDG_DATA_HOME: ".local/share" } as const;

/** Returns the secret places of a home directory, as absolute paths, including those moved by XDG variables. */
export function secretPlacesOf(home: string, env: NodeJS.ProcessEnv): string[] {
  const moved = Object.entries(movable).flatMap(([name, usual]) => {
    const base = env[name];
    if (!base || !isAbsolute(base)) return [];
    return secretPlaces.flatMap((path) => (path.startsWith(`${usual}/`) ? [join(base, path.slice(usual.length))] : []));
  });
  return [...secretPlaces.map((path) => join(home, path)), ...moved];
}
