// What a tool in a sandbox gets of the user's home directory and environment, by allow list: of everything else no one knows which programs
// keep keys there. What is listed is shown, except for the places of keys, tokens and passwords in it. A listed variable that looks like a
// secret, or whose value is a URL with a password, stays outside; the secret files that variables point to are hidden anywhere on the disk.

// biome-ignore lint/style/noRestrictedImports: a name that is not UTF-8 is no command
import { existsSync, readdirSync } from "node:fs";
import { basename, dirname, isAbsolute, join, resolve } from "node:path";
import { grantOf, isInside, isLinux, isSecretVariable, realPathOf, repositoryAround } from "@ikigai/system";
import { commonDirOf, gitDirNamedBy } from "./git-config.ts";
import type { SandboxPolicy } from "./place.ts";

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
  const programs = (environment.PATH ?? "").split(":").flatMap((directory) => homePlacesOfPrograms(directory, home));
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
function homePlacesOfPrograms(directory: string, home: string): string[] {
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

/** Variables that tools get, `*` at the end for all with this beginning, and why. */
const passed: readonly (readonly [names: string, why: string])[] = [
  ["PATH HOME USER LOGNAME SHELL PWD OLDPWD SHLVL HOSTNAME TMPDIR", "what every program may expect"],
  ["LANG LANGUAGE LC_* TZ TZDIR LOCPATH LOCALE_ARCHIVE", "language and time zone"],
  ["TERM TERMINFO TERMINFO_DIRS COLORTERM COLUMNS LINES LS_COLORS GREP_COLORS COLORFGBG", "what the output looks like"],
  ["NO_COLOR FORCE_COLOR CLICOLOR CLICOLOR_FORCE DEBUG VERBOSE RUST_LOG", "how much is printed, and in which colours"],
  ["EDITOR VISUAL PAGER MANPAGER GIT_EDITOR GIT_SEQUENCE_EDITOR GIT_PAGER", "ikigai's own: nothing waits for a person"],
  ["GIT_TERMINAL_PROMPT DEBIAN_FRONTEND NO_UPDATE_NOTIFIER", "the same"],
  ["IKIGAI_* AGENT CLAUDE_PROJECT_DIR", "the protocol's, and the settings of ikigai's own tools"],
  ["CI CONTINUOUS_INTEGRATION GITHUB_ACTIONS GITLAB_CI BUILDKITE", "how tests behave on a build server"],
  ["XDG_CONFIG_HOME XDG_CONFIG_DIRS XDG_DATA_HOME XDG_DATA_DIRS XDG_STATE_HOME", "where programs look for their files"],
  ["HTTP_PROXY HTTPS_PROXY ALL_PROXY FTP_PROXY NO_PROXY", "a granted network may be unreachable without them"],
  ["http_proxy https_proxy all_proxy ftp_proxy no_proxy", "the same, even with a password"],
  [
    "SSL_CERT_FILE SSL_CERT_DIR CURL_CA_BUNDLE REQUESTS_CA_BUNDLE GIT_SSL_CAINFO NIX_SSL_CERT_FILE",
    "public certificates",
  ],
  [
    "GIT_AUTHOR_* GIT_COMMITTER_* GIT_DIR GIT_WORK_TREE GIT_INDEX_FILE GIT_CEILING_DIRECTORIES",
    "whose commit, in which repository",
  ],
  ["GIT_CONFIG_NOSYSTEM GIT_CONFIG_GLOBAL GIT_CONFIG_SYSTEM GIT_OPTIONAL_LOCKS", "which of git's files count"],
  [
    "NODE_* npm_config_* NPM_CONFIG_* NVM_* FNM_* VOLTA_* N_PREFIX PNPM_HOME COREPACK_* YARN_* BUN_* DENO_*",
    "Node, Bun, Deno",
  ],
  [
    "VITEST JEST_* PLAYWRIGHT_* PUPPETEER_* CYPRESS_CACHE_FOLDER CHROME_BIN TS_NODE_* TURBO_* NX_*",
    "their test runners",
  ],
  ["PYTHON* PIP_* UV_* PYENV_* VIRTUAL_ENV CONDA_* MAMBA_* POETRY_* PIPX_* PYTEST_* HF_HOME", "Python"],
  ["CARGO_* RUSTUP_* RUSTFLAGS RUSTDOCFLAGS RUSTC* RUST_*", "Rust"],
  ["GO* CGO_*", "Go"],
  ["JAVA_* JDK_* JRE_HOME CLASSPATH MAVEN_* M2_HOME MVN* GRADLE_* SDKMAN_* SBT_* KOTLIN_* ANDROID_*", "the JVM"],
  ["GEM_* RBENV_* RUBY* BUNDLE_* RAILS_ENV RACK_ENV RVM_*", "Ruby"],
  [
    "COMPOSER_HOME COMPOSER_CACHE_DIR PHP_INI_SCAN_DIR PERL5LIB PERL5OPT PERLLIB PERL_* LUA_PATH LUA_CPATH",
    "PHP, Perl, Lua",
  ],
  [
    "DOTNET_* NUGET_PACKAGES GHCUP_* CABAL_* STACK_ROOT OPAM* MIX_* HEX_HOME ERL_* JULIA_* R_HOME R_LIBS*",
    "other languages",
  ],
  [
    "ASDF_* MISE_* NIX_PATH NIX_PROFILES IN_NIX_SHELL HOMEBREW_PREFIX HOMEBREW_CELLAR HOMEBREW_REPOSITORY",
    "managers of versions",
  ],
  ["CC CXX CPP AR LD NM RANLIB CFLAGS CXXFLAGS CPPFLAGS LDFLAGS CPATH C_INCLUDE_PATH CPLUS_INCLUDE_PATH", "compilers"],
  [
    "LIBRARY_PATH LD_LIBRARY_PATH LD_PRELOAD PKG_CONFIG* MAKEFLAGS CMAKE_* CCACHE_* SCCACHE_DIR",
    "compilers and linkers",
  ],
];

const isPassed = grantOf(passed.flatMap(([names]) => names.split(" ")));

/** The environment of a tool in a sandbox. @param granted names that it gets besides; a name may end in `*`. */
export function variablesInside(
  env: NodeJS.ProcessEnv,
  granted: readonly string[],
  temporaryDir: string,
): NodeJS.ProcessEnv {
  const isGranted = grantOf(granted);
  const kept = Object.entries(env).filter(
    ([name, value]) => isGranted(name) || (isPassed(name) && !isPointer(name) && !isSecretVariable(name, value)),
  );
  return {
    ...Object.fromEntries(kept),
    IKIGAI_SANDBOX: isLinux ? "bubblewrap" : "sandbox-exec",
    TMPDIR: isLinux ? "/tmp" : temporaryDir,
  };
}

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
interface PointedPlaces {
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
