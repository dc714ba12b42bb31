// What a program takes, read from its text: nothing runs. One function for each kind of source; all give the same tags, which become a
// plain tool. What cannot be read becomes a list of arguments, with a note.

import { isJsonObject, plainHeaderBytes, readPlainTools } from "@ikigai/protocol";
import { Refusal } from "@ikigai/tool-packages";
import { fromUsage } from "./read-tasks.ts";
import { oneLine, type Parameter, type Source, type WrappedCommand, withoutDoubles } from "./source.ts";

/** Reads a source by its file name and text. */
export function readSource(file: string, text: string): Source {
  if (file === "package.json") return fromPackage(text);
  if (/^(?:GNUm|M|m)akefile$|\.mk$/.test(file)) return fromMakefile(text, file);
  const readers = [fromSql, fromUsage, fromTags, fromPython, fromShell];
  return readers.map((read) => read(file, text)).find((source) => source !== undefined) ?? anyArguments(file, text);
}

/** A source that none of the others can read. */
export function anyArguments(file: string, text: string): Source {
  const parameter = {
    name: "arguments",
    type: "string",
    isList: true,
    description: "Its arguments, one by one",
  } as const;
  const notes = [
    `The options of ${file} cannot be read. Describe them in the comments of the tool, as docs/plain-tools.md shows.`,
  ];
  return { commands: [{ description: aboutScript(file, text), parameters: [parameter] }], dropsDashes: true, notes };
}

/** A script for argc: its own comments. */
function fromTags(file: string, text: string): Source | undefined {
  const reading = readPlainTools(text.slice(0, plainHeaderBytes), "x");
  if (reading === undefined || "problem" in reading) return undefined;
  const commands = reading.tools.map(({ schema, plain }): WrappedCommand => {
    const parameters = plain.parameters.map((one) => ({ ...one, description: oneLine(one.description ?? one.name) }));
    const description = oneLine(schema.description);
    return { ...(plain.command !== undefined && { word: plain.command }), description, parameters };
  });
  return { commands, notes: [`${file} describes itself: renamed to NAME-tool, it would be a tool without a wrapper.`] };
}

/** The scripts of package.json, without those that npm runs around others. */
function fromPackage(text: string): Source {
  const manifest: unknown = JSON.parse(text);
  const scripts = isJsonObject(manifest) && isJsonObject(manifest.scripts) ? manifest.scripts : {};
  const isAround = (name: string) =>
    /^(?:pre|post)/.test(name) && Object.hasOwn(scripts, name.replace(/^(?:pre|post)/, ""));
  const parameter = {
    name: "arguments",
    type: "string",
    isList: true,
    description: "Arguments of the script",
  } as const;
  const commands = Object.entries(scripts)
    .filter(([name]) => /^[A-Za-z][\w:.-]*$/.test(name) && !isAround(name))
    .map(([word, script]) => ({ word, description: `Run ${oneLine(String(script))}`, parameters: [parameter] }));
  return { commands: withoutDoubles(commands), program: "npm run --silent", notes: [] };
}

/** The targets with a text after `##`. */
function fromMakefile(text: string, file: string): Source {
  const targets = [...text.matchAll(/^([A-Za-z][\w.-]*)[ \t]*::?(?!=)[^\n#]*##[ \t]*(\S[^\n]*)$/gm)];
  const commands = targets.map(([, word = "", about = ""]) => ({ word, description: oneLine(about), parameters: [] }));
  return { commands: withoutDoubles(commands), program: `make --silent -f ${file}`, notes: [] };
}

/** A file of SQL with `:name` for sqlite3, or `:'name'` for psql. Both get the values quoted. */
function fromSql(file: string, text: string): Source | undefined {
  if (!file.endsWith(".sql")) return undefined;
  const code = text.replace(/--[^\n]*|\/\*[\s\S]*?\*\//g, "");
  const quoted = matchesIn(code, /:'([A-Za-z_]\w*)'/g);
  const isPsql = quoted.length > 0;
  const names = isPsql
    ? quoted
    : matchesIn(code.replace(/'(?:[^']|'')*'|"[^"]*"/g, "''"), /(?<![:\w]):([A-Za-z_]\w*)/g);
  if (names.includes("database")) throw new Refusal(`${file} has a parameter called database: give it another name.`);
  const about = (name: string) => new RegExp(`--[ \\t]*:${name}[ \\t]+(\\S[^\\n]*)`).exec(text)?.[1];
  const parameter = (name: string, description: string) =>
    ({ name, word: `--${name}`, type: "string", isRequired: true, description: oneLine(description) }) as const;
  const database = isPsql ? "The database: its name, or a URI" : "The file of the database";
  const parameters = [
    parameter("database", database),
    ...names.map((name) => parameter(name, about(name) ?? `The value of :${name}`)),
  ];
  const description = aboutScript(file, text);
  return { commands: [{ description, parameters }], linesFor: isPsql ? psql(names) : sqlite(names), notes: [] };
}

function matchesIn(text: string, pattern: RegExp): string[] {
  return [...new Set([...text.matchAll(pattern)].map(([, name = ""]) => name))];
}

function psql(names: readonly string[]) {
  const given = names.map((name) => ` -v ${name}="$argc_${name}"`).join("");
  return (place: string) => [`exec psql -X --csv -v ON_ERROR_STOP=1${given} -f ${place} "$argc_database"`];
}

/** Its own command for parameters reads one line; a value in a statement may have several. */
function sqlite(names: readonly string[]) {
  const insert = "INSERT INTO temp.sqlite_parameters VALUES";
  return (place: string) => [
    `quoted() { printf "'"; printf %s "$1" | sed "s/'/''/g"; printf "'"; }`,
    "{",
    "  echo .parameter init",
    ...names.map((name) => `  printf "${insert}(':${name}', "; quoted "$argc_${name}"; echo ");"`),
    `  cat ${place}`,
    '} | sqlite3 -batch -bail -json "$argc_database"',
  ];
}

/** A script in Python with argparse or click. */
function fromPython(file: string, text: string): Source | undefined {
  const isPython = /^#!.*python/.test(text) || file.endsWith(".py");
  // Commands below commands are more than one tool.
  if (!isPython || /add_subparsers|click\.group|\.add_command\(/.test(text)) return undefined;
  const notes: string[] = [];
  const calls = [...callsOf(text, /\.add_argument\(/g), ...callsOf(text, /@click\.(?:option|argument)\(/g).reverse()];
  const parameters = calls.flatMap((call) => {
    const read = pythonParameter(call);
    if (typeof read === "string") notes.push(read);
    return typeof read === "object" ? [read] : [];
  });
  if (parameters.length === 0) return undefined;
  const about = /ArgumentParser\((?:[^()]|\([^()]*\))*?description\s*=\s*(["'])(.*?)\1/s.exec(text)?.[2];
  return { commands: [{ description: oneLine(about ?? aboutScript(file, text)), parameters }], notes };
}

/** The texts between the parentheses of calls. */
function callsOf(text: string, start: RegExp): string[] {
  return [...text.matchAll(start)].map((match) => {
    const from = match.index + match[0].length;
    const part = /(?:[^()"'#]|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|#[^\n]*|\((?:[^()"']|"[^"]*"|'[^']*')*\))*/y;
    part.lastIndex = from;
    return `${match[0].includes("argument(") && match[0].startsWith("@") ? "@" : ""}${part.exec(text)?.[0] ?? ""}`;
  });
}

const pythonText = /(["'])((?:[^\\]|\\.)*?)\1/;

/** A parameter of argparse or click; a sentence if it cannot be passed; nothing for those that only print help. */
function pythonParameter(call: string): Parameter | string | undefined {
  const [head = ""] = /^@?(?:\s*(?:"[^"]*"|'[^']*')\s*,?)*/.exec(call) ?? [];
  const names = [...head.matchAll(/["']([^"']+)["']/g)].map(([, name = ""]) => name);
  const value = (key: string) => new RegExp(`\\b${key}\\s*=\\s*([^,]+)`).exec(call.slice(head.length))?.[1]?.trim();
  const words = names.filter((name) => name.startsWith("-"));
  const word = (words.find((name) => name.startsWith("--")) ?? words[0])?.split("/")[0];
  const [first] = names;
  if (first === undefined) return `An argument without a written name is left out: ${oneLine(call)}`;
  if (value("action")?.match(/["'](?:help|version)["']/)) return undefined;
  const action = value("action") ?? "";
  const nargs = value("nargs")?.replace(/["']/g, "");
  const isFlag = /store_true|store_false|BooleanOptional/.test(action) || value("is_flag") === "True";
  const isAppend = /append|extend/.test(action) || value("multiple") === "True";
  const isMany = nargs === "+" || nargs === "*" || nargs === "-1";
  if (word !== undefined && nargs !== undefined && nargs !== "1" && nargs !== "?")
    return `${word} is left out: it takes several values at once.`;
  const [choices] = /\[[^\]]*\]|\([^)]*\)/.exec(/choices\s*=\s*(.*)|Choice\((.*)/s.exec(call)?.[0] ?? "") ?? [];
  const help = new RegExp(`\\bhelp\\s*=\\s*${pythonText.source}`, "s").exec(call)?.[2];
  const fallback = value("default")?.replace(/^(["'])(.*)\1$/, "$2");
  const type = value("type") ?? "";
  const isCount = action.includes("count") || value("count") === "True";
  const isOptional = nargs === "?" || nargs === "*" || (nargs === "-1" && value("required") !== "True");
  return {
    name: (word ?? first).replace(/^-+/, ""),
    ...(word !== undefined && { word }),
    type: isFlag
      ? "flag"
      : isCount
        ? "count"
        : /int/i.test(type)
          ? "integer"
          : /float/i.test(type)
            ? "number"
            : "string",
    ...((isAppend || isMany) && { isList: true as const }),
    ...((word === undefined ? !isOptional : value("required") === "True") && { isRequired: true as const }),
    ...(choices !== undefined && { choices: [...choices.matchAll(/["']([^"']+)["']/g)].map(([, one = ""]) => one) }),
    ...(fallback !== undefined && fallback !== "None" && !isFlag && !isAppend && !isMany && { fallback }),
    description: oneLine(help ?? first.replace(/^-+/, "")),
  };
}

/** A shell script: the letters of `getopts`, or the patterns of a `case` that are options. */
function fromShell(file: string, text: string): Source | undefined {
  if (!/^#!.*\b(?:ba|da|k|z)?sh\b/.test(text) && !file.endsWith(".sh")) return undefined;
  const notes: string[] = [];
  const letters = /\bgetopts\s+["']?:?([A-Za-z0-9:]+)["']?/.exec(text)?.[1] ?? "";
  const short = [...letters.matchAll(/([A-Za-z0-9])(:?)/g)].map(([, letter = "", takes]) =>
    shellParameter(`-${letter}`, takes === ":", text),
  );
  const patterns = text.matchAll(
    /^[ \t]*\(?((?:"?--?[A-Za-z][\w-]*"?(?:=\*)?[ \t]*\|[ \t]*)*"?--?[A-Za-z][\w-]*"?(?:=\*)?)[ \t]*\)([\s\S]*?);;/gm,
  );
  const long = [...patterns].flatMap(([, pattern = "", body = ""]) => {
    const all = pattern.split("|").map((one) => one.trim().replaceAll('"', ""));
    const words = all.filter((one) => !one.endsWith("=*"));
    const word = words.find((one) => one.startsWith("--")) ?? words[0];
    const [glued] = all;
    if (word === undefined) notes.push(`${glued?.replace("=*", "")} is left out: it takes its value only after =.`);
    return word === undefined ? [] : [shellParameter(word, /\$\{?2|\bshift 2/.test(body), text)];
  });
  const parameters = [...short, ...long].filter(({ word }) => !["--help", "--version", "-h"].includes(word ?? ""));
  if (parameters.length === 0) return undefined;
  if (/OPTIND *- *1|\+=\( *"?\$1/.test(text))
    notes.push(`${file} takes operands, too. Add a comment for each: # @arg NAME what it is`);
  return { commands: [{ description: aboutScript(file, text), parameters }], notes };
}

function shellParameter(word: string, takesValue: boolean, text: string): Parameter {
  const escaped = word.replaceAll("-", "\\-");
  // A line of the usage: the option, perhaps with others and a value, and its text after two spaces.
  const usage = new RegExp(
    `(?:^|[\\s"'#])(?:-\\w[, |]+)?${escaped}(?:[ =][A-Z<\\[][^ ]*)?(?: {2,}|\\t+|: )([^\\n"']+)`,
    "m",
  ).exec(text);
  const name = word.replace(/^-+/, "");
  const description = oneLine(usage?.[1] ?? besideBranch(word, text) ?? `The option ${word}`);
  return { name, word, type: takesValue ? "string" : "flag", description };
}

/** What the branch of a `case` for an option says: its comment, beside or above it, or the variable that it sets. */
function besideBranch(word: string, text: string): string | undefined {
  const keys = [word, word.replace(/^-(?=.$)/, "")];
  const branches = text.matchAll(
    /(?:^|;;|\bin\b)[ \t]*\(?([^()#;\n]+)\)((?:(?!;;)[^\n])*)(?:;;)?([^\n]*)(?=(?:\n([^\n]*))?)/gm,
  );
  const found = [...branches].find(([, pattern = ""]) =>
    pattern.split("|").some((one) => keys.includes(one.trim().replace(/["']/g, ""))),
  );
  if (!found) return undefined;
  const [, , body = "", rest = "", next = ""] = found;
  const above = text.slice(0, found.index).trimEnd().split("\n").at(-1) ?? "";
  const comment = /\s#\s*(\S.*)$/.exec(` ${rest || body}`) ?? /^\s*#+(?!!)\s*(\S.*)$/.exec(above);
  const [, variable] = /\b([A-Za-z_]\w+)=/.exec(body) ?? /^\s*([A-Za-z_]\w+)=/.exec(next) ?? [];
  return comment?.[1] ?? variable?.replaceAll("_", " ").toLowerCase();
}

/** What a script does: its first comment, or the text at its beginning in Python. */
function aboutScript(file: string, text: string): string {
  const comment = text
    .split("\n")
    .slice(0, 15)
    .map((line) => /^\s*(?:#(?!!)+|"""|\/\/|--)\s*([A-Za-z].*?)(?:""")?$/.exec(line)?.[1])
    .find((line) => line !== undefined && !/^(?:shellcheck|copyright|spdx|license|-\*-|vim?:|coding)/i.test(line));
  return oneLine(comment ?? `Run ${file}`);
}
