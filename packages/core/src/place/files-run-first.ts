import { isAbsolute } from "node:path";
import type { ToolScope } from "@ikigai/protocol";
import { isInside, pathOutsideProject, realPathOf, repositoryAround, userHome } from "@ikigai/system";

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
