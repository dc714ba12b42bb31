// The tasks of a project whose program says what they are: recipes of just, tasks of mise. That program is asked, after a yes, since it
// reads the project's files in its own way. A usage spec is only read.

import { isJsonObject, type JsonObject, type JsonValue } from "@ikigai/protocol";
import { shellWord } from "@ikigai/system";
import { Refusal } from "@ikigai/tool-packages";
import { KdlProblem, readUsage, usageComments } from "./read-usage.ts";
import { oneLine, type Parameter, type Source, type WrappedCommand, withoutDoubles } from "./source.ts";

/** A program that lists the tasks of a file. */
export interface TaskLister {
  readonly program: string;
  readonly args: readonly string[];
  /** Reads what it printed. @throws Refusal if it is something else. */
  read(printed: string): Source;
}

/** Who knows the tasks in a file of this name; `undefined` for a file that is only read. */
export function taskListerOf(file: string): TaskLister | undefined {
  if (/^\.?justfile$|\.just$/i.test(file)) {
    return {
      program: "just",
      args: ["--justfile", file, "--dump", "--dump-format", "json"],
      read: (text) => fromJust(text, file),
    };
  }
  if (/^\.?mise(?:\.\w+)?\.toml$/.test(file)) return { program: "mise", args: ["tasks", "--json"], read: fromMise };
  return undefined;
}

function fromJust(printed: string, file: string): Source {
  const dump = parsed(printed);
  if (!isJsonObject(dump)) throw unknownAnswer("just");
  const recipes = recipesIn(dump).map((recipe) => ({
    ...recipe,
    hasOptions: recipe.parameters.some(({ long, short }) => long || short),
  }));
  const commands = recipes.map(({ name, doc, parameters }): WrappedCommand => {
    const described = oneLine(typeof doc === "string" ? doc : `Run the recipe ${name}`);
    return {
      word: name,
      description: described,
      parameters: parameters.map((one, at) => recipeParameter(one, parameters.slice(at + 1))),
    };
  });
  // just takes the first `--` for itself. What then begins with a dash is an option for a recipe that has some.
  const withOptions = recipes.filter(({ hasOptions }) => hasOptions).map(({ name }) => shellWord(name));
  const start = `just --justfile ${shellWord(file)}`;
  const lines = withOptions.length === 0 ? [] : [`case $1 in ${withOptions.join(" | ")}) set -- -- "$@" ;; esac`];
  return { commands: withoutDoubles(commands), program: start, before: lines, notes: [] };
}

/** The recipes that people see, also those of modules. */
function recipesIn(module: JsonObject): { name: string; doc: JsonValue; parameters: JsonObject[] }[] {
  const own = objectsIn(module.recipes).flatMap(({ name, namepath, doc = null, parameters, ...recipe }) =>
    recipe.private === true || typeof name !== "string"
      ? []
      : [{ name: typeof namepath === "string" ? namepath : name, doc, parameters: objectsIn(parameters) }],
  );
  return [...own, ...objectsIn(module.modules).flatMap(recipesIn)];
}

/** just takes its arguments by their place, so what comes before a given one must be given, too. */
function recipeParameter(
  { name, kind, default: preset = null, long, short, help, flag, value }: JsonObject,
  after: readonly JsonObject[],
): Parameter {
  const word = typeof long === "string" ? `--${long}` : typeof short === "string" ? `-${short}` : undefined;
  const called = String(name);
  const description = oneLine(typeof help === "string" ? help : called.replaceAll("_", " "));
  if (word !== undefined) {
    const isFlag = flag === true || typeof value === "string";
    return {
      name: called,
      word,
      type: isFlag ? "flag" : "string",
      ...(preset === null && !isFlag && { isRequired: true }),
      description,
    };
  }
  const isList = kind === "plus" || kind === "star";
  const fallback = typeof preset === "string" && isQuotable(preset) && !isList ? preset : undefined;
  const isLast = !after.some((one) => one.long === null && one.short === null);
  const isOptional = kind === "star" || fallback !== undefined || (preset !== null && isLast);
  return {
    name: called,
    type: "string",
    ...(isList && { isList: true as const }),
    ...(!isOptional && { isRequired: true as const }),
    ...(fallback !== undefined && { fallback }),
    description,
  };
}

/** Whether the comments of a plain tool can hold a default. */
function isQuotable(text: string): boolean {
  return text !== "" && !/["\p{C}]/u.test(text);
}

function fromMise(printed: string): Source {
  const tasks = parsed(printed);
  if (!Array.isArray(tasks)) throw unknownAnswer("mise");
  const notes: string[] = [];
  const commands = objectsIn(tasks).flatMap((task): WrappedCommand[] => {
    const { name, description, usage } = task;
    if (typeof name !== "string" || task.hide === true || task.global === true) return [];
    const about = oneLine(typeof description === "string" && description !== "" ? description : `Run the task ${name}`);
    const given = { word: name, description: about };
    if (typeof usage !== "string" || usage.trim() === "") return [{ ...given, parameters: [anyArguments] }];
    const [spec] = usageCommands(usage, notes, name);
    return [{ ...given, parameters: spec?.parameters ?? [anyArguments] }];
  });
  return { commands: withoutDoubles(commands), program: "mise run --quiet", notes };
}

const anyArguments: Parameter = {
  name: "arguments",
  type: "string",
  isList: true,
  description: "Arguments of the task",
};

function usageCommands(text: string, notes: string[], name: string): readonly WrappedCommand[] {
  try {
    return readUsage(text, name).commands;
  } catch (error) {
    if (!(error instanceof KdlProblem)) throw error;
    notes.push(`The usage of ${name} cannot be read, ${error.message}.`);
    return [];
  }
}

/** A usage spec: a file of its own, which names its program, or the comments of a script. @throws Refusal if it cannot be read. */
export function fromUsage(file: string, text: string): Source | undefined {
  const isSpec = /(?:^|\.)usage\.kdl$/.test(file);
  const spec = isSpec ? text : usageComments(text);
  if (spec === undefined) return undefined;
  try {
    const { bin, commands: found, notes } = readUsage(spec, `Run ${file}`);
    if (isSpec && bin === undefined) throw new Refusal(`${file} does not name its program: add the line bin "NAME".`);
    const commands = withoutDoubles(
      found.map((one) => ({ ...one, ...(one.word !== undefined && { word: one.word.replaceAll(" ", "_") }) })),
    );
    const nested = found.flatMap(({ word }) => (word?.includes(" ") ? [word] : []));
    const cases = nested.map(
      (word) =>
        `${shellWord(word.replaceAll(" ", "_"))}) shift; set -- ${word.split(" ").map(shellWord).join(" ")} "$@" ;;`,
    );
    const before = cases.length === 0 ? [] : ["case $1 in", ...cases, "esac"];
    return {
      commands,
      ...(isSpec && { program: shellWord(bin ?? ""), runsAnywhere: true as const }),
      before,
      notes,
    };
  } catch (error) {
    if (!(error instanceof KdlProblem)) throw error;
    throw new Refusal(`${file} is not KDL: ${error.message}.`);
  }
}

function objectsIn(value: JsonValue | undefined): JsonObject[] {
  return Object.values(value ?? []).filter((one): one is JsonObject => isJsonObject(one));
}

function parsed(text: string): JsonValue | undefined {
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    return undefined;
  }
}

function unknownAnswer(program: string): Refusal {
  return new Refusal(`${program} printed no list of tasks that can be read. A newer version of ${program} may help.`);
}
