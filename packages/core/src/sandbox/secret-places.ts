/**
 * Where people and programs keep keys, tokens and passwords, below the home directory. A tool in a sandbox does not see them:
 * what it cannot read it cannot leak, into the project or over a network that was granted.
 */
export const secretPlaces: readonly string[] = [
  // Keys of people and machines.
  ".ssh",
  ".gnupg",
  ".pki",
  ".password-store",
  ".local/share/keyrings",
  ".local/share/kwalletd",
  "Library/Keychains",
  // Clouds, clusters, containers.
  ".aws",
  ".azure",
  ".config/gcloud",
  ".config/doctl",
  ".config/rclone",
  ".docker",
  ".config/containers",
  ".kube",
  ".terraform.d/credentials.tfrc.json",
  ".vault-token",
  // Forges and package registries.
  ".config/gh",
  ".config/hub",
  ".config/glab-cli",
  ".git-credentials",
  ".config/git/credentials",
  ".netrc",
  ".npmrc",
  ".yarnrc.yml",
  ".pypirc",
  ".cargo/credentials",
  ".cargo/credentials.toml",
  ".gem/credentials",
  ".m2/settings.xml",
  ".composer/auth.json",
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
  // Browsers and mail.
  ".mozilla",
  ".config/google-chrome",
  ".config/chromium",
  ".config/BraveSoftware",
  ".thunderbird",
  "Library/Application Support/Google/Chrome",
  "Library/Application Support/Firefox",
  "Library/Cookies",
  // What was typed.
  ".bash_history",
  ".zsh_history",
  ".local/share/fish/fish_history",
  ".psql_history",
  ".mysql_history",
  ".python_history",
  ".node_repl_history",
];
