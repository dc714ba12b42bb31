// The command of a tool or a hook. In order: the command, its environment, what is left out of it because it would run a file of the project
// first, and the variables that mark what belongs to a call.

import { dirname, isAbsolute } from "node:path";
import { type PlainCall, progressFd, protocolVersion, type ToolEnvironment, type ToolScope } from "@ikigai/protocol";
import type { Command, Failure, Launcher, Place } from "@ikigai/sandbox";
import {
  isInside,
  pathOutsideProject,
  providerKeyNames,
  realPathOf,
  repositoryAround,
  standardShell,
  userHome,
  wordsOutsideProject,
} from "@ikigai/system";

/** One run of a tool, for a call or for its schema. */
interface ToolRun {
  readonly tool: {
    readonly name: string;
    readonly path: string;
    readonly scope: ToolScope;
    readonly launcher?: Launcher | undefined;
    readonly plain?: PlainCall | undefined;
  };
  readonly args: readonly string[];
  /** The variables that the protocol promises for this run. */
  readonly call: CallVariables;
  /** Variables that are part of the call of a plain tool. */
  readonly ofCall?: Readonly<Record<string, string>> | undefined;
  /** The provider keys the tool's schema asks for. */
  readonly wantedKeys?: readonly string[] | undefined;
  readonly cwd: string;
  readonly projectDir: string;
  readonly env: NodeJS.ProcessEnv;
  readonly hasInput: boolean;
  readonly hasProgress: boolean;
}

/** Builds the command for a run of a tool, in its place if it has one; or why that is impossible. */
export function toolCommand(run: ToolRun, place: Place | undefined): Command | Failure {
  const command = run.tool.launcher ? commandThere(run, run.tool.launcher) : commandHere(run);
  return "failure" in command || !place ? command : place.wrap(command);
}

function commandHere(run: ToolRun): Command | Failure {
  const { tool, call, ofCall, wantedKeys, cwd, projectDir, env, hasInput, hasProgress } = run;
  const { name, scope, plain } = tool;
  // The system starts only files that begin with #!; a shell would take the others for its own.
  const shell = plain?.isBare ? standardShell(env.PATH, projectDir) : undefined;
  const path = shell ?? tool.path;
  const args = shell === undefined ? run.args : [tool.path, ...run.args];
  // A user's tool gets a PATH without the project's directories, and a project's chooses its interpreter itself.
  const words = scope === "system" ? wordsOutsideProject({ path, args }, env, projectDir) : { path, args };
  if ("failure" in words) return words;
  const clean = withoutProjectFiles(env, scope, projectDir);
  const own = toolEnvironment(clean, { name, path: tool.path, scope, wantedKeys }, call);
  return { ...words, cwd, env: { ...own, ...ofCall }, ofCall, hasInput, hasPipe: plain !== undefined, hasProgress };
}

/** A tool that runs elsewhere uses the environment there; the host's own is not passed on. */
function commandThere({ tool, args, call, cwd, hasInput, hasProgress }: ToolRun, { path }: Launcher): Command {
  return { path, args, cwd, env: toolEnvironment({}, { ...tool, path }, call), hasInput, hasProgress };
}

/** The tool an environment is for. */
interface EnvironmentOwner {
  readonly name: string;
  readonly path: string;
  readonly scope: ToolScope;
  /** The provider keys its schema asks for. A project's tool does not get them. */
  readonly wantedKeys?: readonly string[] | undefined;
}

/** The variables that differ per call or `--schema` run. */
type CallVariables = Pick<ToolEnvironment, "IKIGAI_CALL_ID"> & Partial<ToolEnvironment>;

/**
 * No call has a terminal or a person at it, so a program that opens an editor ends at once instead of at the timeout, and a pager only
 * copies. A user's own EDITOR would be worse than none.
 */
const withoutTerminal: NodeJS.ProcessEnv = {
  ...Object.fromEntries(
    ["GIT_EDITOR", "GIT_SEQUENCE_EDITOR", "EDITOR", "VISUAL"].map((name) => [
      name,
      // A program that starts it without a shell fails, too.
      "sh -c 'echo no editor here: use -m, --no-edit >&2; exit 1'",
    ]),
  ),
  ...{ GIT_PAGER: "cat", PAGER: "cat", MANPAGER: "cat", TERM: "dumb" },
};

/** The variables that a tool gets because it needs them. A project's tool gets no key of a model provider. */
export function neededVariables(scope: ToolScope, names: readonly string[] = []): readonly string[] {
  return scope === "project" ? names.filter((name) => !providerKeyNames.includes(name)) : names;
}

/** Builds a tool's environment: the host's without provider keys, plus the variables the protocol promises. */
function toolEnvironment(
  env: NodeJS.ProcessEnv,
  { name, path, scope, wantedKeys = [] }: EnvironmentOwner,
  call: CallVariables,
): NodeJS.ProcessEnv {
  const granted = neededVariables(scope, wantedKeys);
  return {
    // No one can type a password or answer a package's questions: they fail at once, or take the default.
    GIT_TERMINAL_PROMPT: "0",
    DEBIAN_FRONTEND: "noninteractive",
    // A look for the program's own next version would ask the user about a host.
    npm_config_update_notifier: "false",
    NO_UPDATE_NOTIFIER: "1",
    PIP_DISABLE_PIP_VERSION_CHECK: "1",
    // A new file beside the tool would end its trust, or make a package look changed.
    ...(scope !== "system" && { PYTHONDONTWRITEBYTECODE: "1" }),
    ...withoutProviderKeys(env, granted),
    ...withoutTerminal,
    IKIGAI_PROTOCOL: protocolVersion,
    IKIGAI_TOOL_NAME: name,
    IKIGAI_TOOL_DIR: dirname(path),
    IKIGAI_TOOL_SCOPE: scope,
    IKIGAI_PROGRESS_FD: String(progressFd),
    AGENT: "ikigai",
    [hostIdVariable]: hostId,
    IKIGAI_DEPTH: String(agentDepth(env) + 1),
    ...call,
  };
}

/** `env` without provider keys (except `granted`) and without the IKIGAI_* variables of an outer call and of this host. */
export function withoutProviderKeys(env: NodeJS.ProcessEnv, granted: readonly string[] = []): NodeJS.ProcessEnv {
  // Set by an outer host if a tool started this one, or meant for this host.
  const {
    IKIGAI_AGENT_GRANT,
    IKIGAI_ANSWER_BYTES,
    IKIGAI_BIN,
    IKIGAI_CALL_ID,
    IKIGAI_CATALOG,
    IKIGAI_DATA_DIR,
    IKIGAI_HOST_METHODS,
    IKIGAI_MAX_OUTPUT_BYTES,
    IKIGAI_NO_SERVE,
    IKIGAI_PRESTART,
    IKIGAI_SERVE,
    IKIGAI_SERVICE_ID,
    IKIGAI_SHADOWED_TOOL,
    IKIGAI_SHELL,
    IKIGAI_STATE_DIR,
    IKIGAI_OUTPUTS_DIR,
    IKIGAI_TIMEOUT_MS,
    ...rest
  } = env;
  for (const name of providerKeyNames) if (!granted.includes(name)) delete rest[name];
  return rest;
}

/** Variables with directories in which a program looks for modules or libraries; an empty part means the working directory. */
const modulePaths = (
  "PYTHONPATH PYTHONHOME PYTHONUSERBASE PYTHONPYCACHEPREFIX PERL5LIB PERLLIB RUBYLIB NODE_PATH CLASSPATH " +
  "LD_LIBRARY_PATH"
).split(" ");

/** Variables with libraries or directories between spaces or colons. A name without a slash is one of the system's. */
const libraryLists = ["LD_PRELOAD", "LD_AUDIT", "TCLLIBPATH"];

/** Variables with options of an interpreter, among them files and modules that it loads first. */
const interpreterOptions = ["PERL5OPT", "RUBYOPT", "NODE_OPTIONS", "JAVA_TOOL_OPTIONS", "JDK_JAVA_OPTIONS"];

/** A file or module that such an option names, unless its path is absolute. */
const relativeModule =
  /(?:^|\s)(?:-[rI]|-[mM]lib=|--(?:require|import|(?:experimental-)?loader)|-(?:javaagent|agentpath):|@|-cp|--?class-?path|--openssl-config)[=\s]*(?!\/)\S/;

/** Variables with a configuration that a program runs or loads something from, or with its directory. */
const configurations = ["ZDOTDIR", "XDG_CONFIG_HOME", "OPENSSL_CONF"];

/** Variables with a file that a shell runs before a script. It expands the value, also commands in it. */
const startupFiles = ["BASH_ENV", "ENV"];

/** It makes perl look for modules in the working directory. */
const perlSwitch = "PERL_USE_UNSAFE_INC";

const unsafeNames = [
  ...[...modulePaths, ...libraryLists, ...interpreterOptions, ...configurations],
  ...[...startupFiles, perlSwitch],
];

/**
 * The environment of a tool or a hook without what would make it first run a file of the project that it runs in. A project's tools are
 * trusted, as are its modules and programs then; so are the variables that the commands of ikigai's own tools get from the user.
 */
export function withoutProjectFiles(env: NodeJS.ProcessEnv, scope: ToolScope, projectDir: string): NodeJS.ProcessEnv {
  const isUsers = scope === "user";
  const path = env.PATH === undefined || !isUsers ? env.PATH : pathOutsideProject(env.PATH, projectDir) || "/";
  if (path === env.PATH && !unsafeNames.some((name) => env[name])) return env;
  const project = projectAround(projectDir);
  const kept: NodeJS.ProcessEnv = { ...env, ...(path !== undefined && { PATH: path }) };
  for (const name of unsafeNames) {
    const value = env[name] && safeValue(name, env[name], { isUsers, project });
    if (value) kept[name] = value;
    else if (env[name]) delete kept[name];
  }
  return kept;
}

interface Owner {
  readonly isUsers: boolean;
  readonly project: string;
}

/** What may stay of a variable. */
function safeValue(name: string, value: string, { isUsers, project }: Owner): string | undefined {
  const isOutside = (file: string) => isAbsolute(file) && !isIn(file, project);
  if (startupFiles.includes(name)) return /[$`\\]/.test(value) || !isOutside(value) ? undefined : value;
  // No one means the working directory by an empty part.
  if (!isUsers) return name === "LD_LIBRARY_PATH" ? value.split(":").filter(Boolean).join(":") : value;
  if (configurations.includes(name)) return isOutside(value) ? value : undefined;
  if (modulePaths.includes(name)) return value.split(":").filter(isOutside).join(":");
  if (libraryLists.includes(name)) {
    const isSafe = (part: string) => isOutside(part) || (name !== "TCLLIBPATH" && /^[^/.][^/]*$/.test(part));
    return value
      .split(/[\s:]+/)
      .filter(isSafe)
      .join(" ");
  }
  if (!interpreterOptions.includes(name)) return undefined;
  return relativeModule.test(value) || absolutePaths(value).some((path) => !isOutside(path)) ? undefined : value;
}

/** The absolute paths in options: after a space, `=`, a quote, or the letter of an option. */
function absolutePaths(options: string): string[] {
  return options.match(/\/[^\s"':]*/g) ?? [];
}

/** The project with the repository around it. Around the user's home there is no clone. */
function projectAround(projectDir: string): string {
  const home = userHome();
  return repositoryAround(realPathOf(projectDir), home === undefined ? undefined : realPathOf(home));
}

function isIn(file: string, project: string): boolean {
  return [file, realPathOf(file)].some((path) => isInside(path, project));
}

/** Identifies this host among all since boot: process ids are reused, the monotonic clock never repeats. */
export const hostId = `${process.pid}-${process.hrtime.bigint()}`;

/** The variable with the host's id. A host sets it for every process it starts. */
export const hostIdVariable = "IKIGAI_HOST_ID";

/**
 * The variable of processes that answer several calls. They must not pass it on, so that a process with it and without a call
 * id is either one of them or a fork of one.
 */
export const serveVariable = "IKIGAI_SERVE";

/** The variable of a service and of what it starts. A process without it is not the service's, and outlives it. */
export const serviceIdVariable = "IKIGAI_SERVICE_ID";

/** The environment entries that identify the processes of a service. @param id unique among the services of this host. */
export function serviceMarks(id: string): readonly string[] {
  return [`${hostIdVariable}=${hostId}`, `${serviceIdVariable}=${id}`];
}

/**
 * Returns the call ID of a process that no model has called, such as a hook. A model chooses the IDs of its calls, and the end of a
 * call kills every process with its ID, so a model must not be able to guess this one. The module for random bytes would cost each start
 * several milliseconds; no one who does not run in this process knows the nanosecond and the number.
 */
export function hostCallId(purpose: string): string {
  return `${purpose}-${process.hrtime.bigint()}-${String(Math.random()).slice(2)}`;
}

/**
 * The environment entries that identify a call's processes. Children inherit them, so that processes that left the process
 * group (`setsid`, a double fork) are still found.
 *
 * A process started without `IKIGAI_CALL_ID` no longer belongs to
 * the call and outlives it. bash uses that for background commands.
 */
export function callMarks(callId: string): readonly string[] {
  return [`${hostIdVariable}=${hostId}`, `IKIGAI_CALL_ID=${callId}`];
}

/** The depth for a value of `IKIGAI_DEPTH` that is not a number: deeper than any agent may be. */
const unknownDepth = 99;

/** Returns how deeply this process is nested in other agents: 0 for one that the user started. A value that cannot be read is deep. */
export function agentDepth({ IKIGAI_DEPTH: text = "" }: NodeJS.ProcessEnv): number {
  if (text === "") return 0;
  return /^\d{1,2}$/.test(text) ? Number(text) : unknownDepth;
}

/** This process's working directory; if it was deleted, its former path, so that the error names it. */
export function workingDirectory(): string {
  try {
    return process.cwd();
  } catch {
    return process.env.PWD ?? ".";
  }
}
