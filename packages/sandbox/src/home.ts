// biome-ignore lint/style/noRestrictedImports: a name that is not UTF-8 is no command
import { existsSync, readdirSync } from "node:fs";
import { basename, dirname, isAbsolute, join } from "node:path";
import { isInside, realPathOf, repositoryAround } from "@ikigai/system";
import { commonDirOf, gitDirNamedBy } from "./git-config.ts";
import type { SandboxPolicy } from "./policy.ts";

/*
 * The home directory by allow list: of everything else in it no one knows which programs keep keys there. What is listed is shown, except
 * for the places of keys, tokens and passwords in it.
 */

/** What tools see of the home directory, relative to it, and why. */
const shown: readonly (readonly [paths: string, why: string])[] = [
  [".gitconfig .config/git .gitignore .gitignore_global .gitattributes .editorconfig", "how git and formatters work"],
  [".local/bin .local/lib bin", "programs"],
  [".nvm .fnm .local/share/fnm .volta .nodenv .bun .deno .yarn .local/share/pnpm .npm-global", "Node, Bun, Deno"],
  [
    ".cache/node/corepack .cache/ms-playwright .cache/puppeteer .cache/Cypress",
    "package managers and browsers of tests",
  ],
  [".pyenv .local/share/uv .local/share/pipx .local/share/virtualenvs .virtualenvs .rye .pixi .conda", "Python"],
  ["miniconda3 anaconda3 miniforge3 mambaforge micromamba", "Python"],
  [".cargo .rustup", "Rust"],
  ["go sdk .local/go", "Go"],
  [".sdkman .jenv .jdks .m2 .gradle .ivy2 .sbt .coursier Android/Sdk", "the JVM"],
  [".rbenv .rvm .gem .local/share/gem", "Ruby"],
  [".composer .config/composer .phpenv perl5 .plenv .luarocks", "PHP, Perl, Lua"],
  [".dotnet .nuget .ghcup .cabal .stack .opam .mix .hex .pub-cache .julia .swiftly .elan .juliaup", "other languages"],
  [".asdf .local/share/mise .config/mise .nix-profile .local/state/nix .linuxbrew .terminfo", "managers of versions"],
];

/** Variables with directories of a toolchain, also several between colons, which may be elsewhere in the home directory. */
const directories = (
  "CARGO_HOME RUSTUP_HOME NVM_DIR FNM_DIR VOLTA_HOME PNPM_HOME BUN_INSTALL DENO_INSTALL_ROOT COREPACK_HOME " +
  "PYENV_ROOT VIRTUAL_ENV CONDA_PREFIX PYTHONPATH PYTHONUSERBASE GOPATH GOROOT JAVA_HOME SDKMAN_DIR GRADLE_USER_HOME MAVEN_HOME " +
  "ANDROID_HOME RBENV_ROOT GEM_HOME GEM_PATH NODE_PATH LD_LIBRARY_PATH ASDF_DIR ASDF_DATA_DIR MISE_DATA_DIR PLAYWRIGHT_BROWSERS_PATH"
).split(" ");

/** Directories beside one with programs in which these look for their parts. */
const besidePrograms = ["lib", "lib64", "libexec"];

/** What a tool sees of a home directory: existing paths, without those that would show all of it. */
export function homePlaces(home: string, { projectDir, environment }: SandboxPolicy): string[] {
  const listed = shown.flatMap(([paths]) => paths.split(" ").map((path) => join(home, path)));
  const named = directories.flatMap((name) => (environment[name] ?? "").split(":"));
  const programs = (environment.PATH ?? "").split(":").flatMap((directory) => programPlaces(directory, home));
  const { XDG_CONFIG_HOME: config } = environment;
  const git = config ? [join(config, "git")] : [];
  const project = realPathOf(projectDir);
  // From the parent on: the project itself may have only a placeholder.
  const around = repositoryAround(dirname(project), home);
  const repositories = [project, around].filter((place) => existsSync(join(place, ".git")));
  const places = [...listed, ...named, ...programs, ...git, ...repositories, ...repositories.flatMap(worktreePlaces)];
  return places.filter((path) => isAbsolute(path) && existsSync(path) && isBelow(realPathOf(path), home));
}

/** The repository that a worktree belongs to. @throws Error, a sentence for people, if git may read another path. */
function worktreePlaces(repository: string): string[] {
  const gitDir = gitDirNamedBy(join(repository, ".git"));
  return gitDir === undefined ? [] : [gitDir, commonDirOf(gitDir)];
}

function isBelow(path: string, home: string): boolean {
  return path !== home && isInside(path, home);
}

/** A directory of PATH with what its programs need: the parts beside it, and what links in it lead to. */
function programPlaces(directory: string, home: string): string[] {
  if (!isAbsolute(directory) || !isInside(realPathOf(directory), home)) return [];
  const beside = basename(directory) === "bin" ? besidePrograms.map((name) => join(dirname(directory), name)) : [];
  return [directory, ...beside, ...targetsIn(directory)];
}

/** The directories that links of a directory lead to. */
function targetsIn(directory: string): string[] {
  try {
    const links = readdirSync(directory, { withFileTypes: true }).filter((entry) => entry.isSymbolicLink());
    return links.map(({ name }) => dirname(realPathOf(join(directory, name))));
  } catch {
    return [];
  }
}

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
