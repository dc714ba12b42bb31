import { isAbsolute, join, resolve } from "node:path";
import { grantOf, isInside, isLinux, isSecretVariable, realPathOf } from "@ikigai/system";
import type { SandboxPolicy } from "./policy.ts";

/*
 * The variables of a tool in a sandbox, by allow list: of everything else in the user's environment no one knows which programs keep
 * keys there. A listed name that looks like a secret, or a value that is a URL with a password, still stays outside. And the secret files,
 * anywhere on the disk, that variables point to: those in the home directory are hidden anyway.
 */

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
