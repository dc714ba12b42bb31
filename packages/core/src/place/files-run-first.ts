import { isAbsolute } from "node:path";
import type { ToolScope } from "@ikigai/protocol";
import { isInside, realPathOf } from "@ikigai/system";

/** Variables with directories in which an interpreter looks for modules; an empty part means the working directory. */
const modulePaths = ["PYTHONPATH", "PERL5LIB", "PERLLIB", "RUBYLIB", "NODE_PATH", "CLASSPATH"];

/** Variables with options of an interpreter, among them files and modules that it loads first. */
const interpreterOptions = ["PERL5OPT", "RUBYOPT", "NODE_OPTIONS"];

/** A file or module that such an option names, unless its path is absolute. */
const relativeModule = /(?:^|\s)(?:-[rI]|-[mM]lib=|--(?:require|import|(?:experimental-)?loader))[=\s]*(?!\/)\S/;

/**
 * The environment of a tool or a hook without what would make its interpreter first run a file of the project that it runs in. A
 * project's tools are trusted, as are its modules then.
 */
export function withoutProjectFiles(env: NodeJS.ProcessEnv, scope: ToolScope, projectDir: string): NodeJS.ProcessEnv {
  return withoutProjectStartup(scope === "user" ? withoutProjectModules(env, projectDir) : env, projectDir);
}

/** Without the parts of search paths that are empty, relative or in the project, and without options that may load a module of it. */
export function withoutProjectModules(env: NodeJS.ProcessEnv, projectDir: string): NodeJS.ProcessEnv {
  if (![...modulePaths, ...interpreterOptions].some((name) => env[name])) return env;
  const changed = { ...env };
  const isOutside = (path: string) => isAbsolute(path) && !isOfProject(path, projectDir);
  for (const name of modulePaths) {
    const parts = env[name]?.split(":");
    if (parts?.every(isOutside) !== false) continue;
    const kept = parts.filter(isOutside).join(":");
    if (kept === "") delete changed[name];
    else changed[name] = kept;
  }
  for (const name of interpreterOptions) {
    const options = env[name] ?? "";
    if (relativeModule.test(options) || absolutePaths(options).some((path) => !isOutside(path))) delete changed[name];
  }
  return changed;
}

/** Variables with a file that a shell runs before a script. The shell expands the value, also commands in it. */
const startupVariables = ["BASH_ENV", "ENV"];

/** Without the variables of startup files that have a relative path, one in the project, or one that the shell would expand. */
function withoutProjectStartup(env: NodeJS.ProcessEnv, projectDir: string): NodeJS.ProcessEnv {
  const isUnsafe = (file: string) => !isAbsolute(file) || /[$`\\]/.test(file) || isOfProject(file, projectDir);
  const unsafe = startupVariables.filter((name) => isUnsafe(env[name] ?? "/"));
  return unsafe.length === 0 ? env : Object.fromEntries(Object.entries(env).filter(([name]) => !unsafe.includes(name)));
}

/** The absolute paths in options: after a space, `=`, a quote, or the letter of an option. */
function absolutePaths(options: string): string[] {
  return options.match(/\/[^\s"']*/g) ?? [];
}

function isOfProject(file: string, projectDir: string): boolean {
  return [file, realPathOf(file)].some((path) => isInside(path, realPathOf(projectDir)));
}
