// `ikigai tool types`: writes a module in JavaScript with its types, and one in Python, whose functions are the tools. In reading order: the
// command, what the modules have in common, JavaScript and TypeScript, Python.

import { existsSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import type { RegisteredTool } from "@ikigai/core";
import { isJsonObject, type JsonObject, type JsonValue } from "@ikigai/protocol";
import { sanitiseLine } from "@ikigai/screen";
import { lockFile, makeDirectories, writeAtomically } from "@ikigai/system";
import { Refusal } from "@ikigai/tool-packages";
import { commands } from "../../args/commands.ts";
import { readOperands, readOptions } from "../../args/read-options.ts";
import { openCommandTools } from "../../host/conversation/command-tools.ts";
import { canAsk, confirm, nobodyToAsk } from "../../host/terminal/ask-person.ts";
import { exitCodes } from "../../host/terminal/exit.ts";
import { printError, printOut } from "../../host/terminal/stdout.ts";
import { shortPath } from "../../render/short-forms.ts";
import { type Command, withRefusals } from "../command.ts";

const syntax = commands["tool types"];

export const toolTypes: Command = {
  run(args, { places, env }) {
    const { flags, values, operands } = readOptions(args, syntax.options);
    readOperands(operands, syntax);
    const directory = resolve(places.projectDir, values.out?.[0] ?? ".");
    return withRefusals(async () => {
      const { tools } = await openCommandTools(places, env).last();
      // What asks the host works only in a conversation.
      const usable = tools.filter(({ name, schema }) => schema.ikigai?.host === undefined && name !== "agent");
      const texts = { "tools.mjs": javaScript(usable), "tools.d.mts": typeScript(usable), "tools.py": python(usable) };
      const files = Object.entries(texts).map(([name, text]) => writtenFile(join(directory, name), text));
      const others = files.find(({ before }) => before !== undefined && !before.includes(mark));
      if (others !== undefined)
        throw new Refusal(
          `${shortPath(others.path, places)} exists and is not from ikigai. Choose another place: --out DIR`,
        );
      printOut(`Functions for ${usable.length} tools: ${usable.map(({ name }) => name).join(", ")}\n`);
      for (const { path, text, state } of files)
        printOut(`  ${sanitiseLine(shortPath(path, places))}  ${state}, ${text.split("\n").length - 1} lines\n`);
      if (files.every(({ state }) => state === "unchanged")) return exitCodes.done;
      if (!flags.has("yes") && !canAsk()) throw nobodyToAsk();
      if (!flags.has("yes") && !(await confirm("Write them?"))) {
        printError("Nothing was written.\n");
        return exitCodes.failed;
      }
      makeDirectories(directory);
      for (const { path, text } of files) {
        using lock = await lockFile(path);
        await writeAtomically(lock, Buffer.from(text));
      }
      printOut("Wrote them.\n");
      return exitCodes.done;
    });
  },
};

/** A file to write, and its present text. */
function writtenFile(path: string, text: string) {
  const before = existsSync(path) ? readFileSync(path, "utf8") : undefined;
  const state = before === undefined ? "new" : before === text ? "unchanged" : "replaced";
  return { path, text, before, state };
}

const mark = "Written by ikigai tool types.";

/** Words that are no name of a function in JavaScript or Python. */
const reserved = new Set(
  (
    "and as assert async await break case catch class const continue debugger default def del delete do elif else enum except export " +
    "extends false finally for from function global if import in instanceof is lambda let new nonlocal not null or pass raise return " +
    "static super switch this throw true try type typeof var void while with yield call json subprocess None True False"
  ).split(" "),
);

function identifier(name: string): string {
  const plain = name.replaceAll("-", "_");
  return reserved.has(plain) ? `${plain}_` : plain;
}

function typeName(name: string): string {
  return name
    .split(/[^A-Za-z0-9]+/)
    .map((part) => part.slice(0, 1).toUpperCase() + part.slice(1))
    .join("");
}

function propertiesOf({ properties }: JsonObject): [string, JsonObject][] {
  const all = isJsonObject(properties) ? Object.entries(properties) : [];
  return all.map(([name, property]) => [name, isJsonObject(property) ? property : {}]);
}

function requiredIn({ required }: JsonObject): ReadonlySet<JsonValue> {
  return new Set(Array.isArray(required) ? required : []);
}

/** The schemas that a value may fit. */
function alternativesOf({ type, anyOf, oneOf }: JsonObject): JsonObject[] | undefined {
  if (Array.isArray(type)) return type.map((one) => ({ type: one }));
  const list = anyOf ?? oneOf;
  return Array.isArray(list) ? list.filter(isJsonObject) : undefined;
}

/** A plain tool's answer, where the schema says nothing. */
const plainResult: JsonObject = {
  type: "object",
  properties: {
    output: { type: "string", description: "What its program has printed" },
    exit_code: { type: "integer", description: "The program's exit code, if it is not 0" },
    error: { type: "string", description: "The last line of its stderr then" },
  },
};

function resultOf({ schema, plain }: RegisteredTool): JsonObject {
  return schema.outputSchema ?? (plain ? plainResult : { type: "object" });
}

function javaScript(tools: readonly RegisteredTool[]): string {
  const functions = tools.map(
    ({ name }) => `export const ${identifier(name)} = (args = {}) => call(${JSON.stringify(name)}, args);\n`,
  );
  return `// ${mark} Each function calls a tool and resolves to its result.
import { spawn } from 'node:child_process';

export class ToolError extends Error {
  constructor(message, code) {
    super(message);
    this.name = "ToolError";
    this.code = code;
  }
}

export function call(name, args = {}) {
  return new Promise((resolve, reject) => {
    const child = spawn("ikigai", ["tool", "call", name, "-"], { stdio: ["pipe", "pipe", "inherit"] });
    let text = "";
    child.stdout.setEncoding("utf8").on("data", (chunk) => { text += chunk; });
    child.on("error", reject).on("close", (exit) => {
      if (text === "") return reject(new ToolError(\`ikigai ended with exit code \${exit}\`, "TOOL_CRASHED"));
      const { tool_success: success, result, ...failure } = JSON.parse(text);
      const { error, error_code: code } = success ? result : failure;
      if (success && typeof code !== "string") resolve(result);
      else reject(new ToolError(error, code));
    });
    child.stdin.on("error", () => {}).end(JSON.stringify(args));
  });
}

${functions.join("")}`;
}

function typeScript(tools: readonly RegisteredTool[]): string {
  const parts = tools.map((tool) => {
    const { name, schema } = tool;
    const { parameters, description } = schema;
    const isOptional = requiredIn(parameters).size === 0;
    const [args, result] = [`${typeName(name)}Arguments`, `${typeName(name)}Result`];
    return `
export type ${args} = ${typeOf({ ...parameters, type: "object" }, "")};
export type ${result} = ${typeOf(resultOf(tool), "")};
${comment(description, "")}export declare const ${identifier(name)}: (args${isOptional ? "?" : ""}: ${args}) => Promise<${result}>;
`;
  });
  return `// ${mark}

/** A call that has failed: the tool could not be run, or answered with an error and its code. */
export declare class ToolError extends Error {
  readonly code: string;
  constructor(message: string, code: string);
}

/** Calls a tool by its name. */
export declare function call(name: string, args?: object): Promise<Record<string, unknown>>;
${parts.join("")}`;
}

function comment(text: JsonValue | undefined, indent: string): string {
  if (typeof text !== "string" || text.trim() === "") return "";
  return `${indent}/** ${text.trim().replace(/\s+/g, " ").replaceAll("*/", "* /")} */\n`;
}

/** The type of a value in TypeScript. */
function typeOf(schema: JsonObject, indent: string): string {
  const { type, items, enum: choices, const: only } = schema;
  if (only !== undefined) return JSON.stringify(only);
  if (Array.isArray(choices)) return choices.map((choice) => JSON.stringify(choice)).join(" | ");
  const alternatives = alternativesOf(schema);
  if (alternatives) return alternatives.map((one) => typeOf(one, indent)).join(" | ") || "unknown";
  if (type === "string" || type === "boolean" || type === "null") return type;
  if (type === "integer" || type === "number") return "number";
  if (type === "array") return `Array<${typeOf(isJsonObject(items) ? items : {}, indent)}>`;
  if (type !== "object") return "unknown";
  const required = requiredIn(schema);
  const members = propertiesOf(schema).map(
    ([name, property]) =>
      `${comment(property.description, `${indent}  `)}${indent}  ${JSON.stringify(name)}${required.has(name) ? "" : "?"}: ${typeOf(property, `${indent}  `)};\n`,
  );
  return members.length === 0 ? "Record<string, unknown>" : `{\n${members.join("")}${indent}}`;
}

function python(tools: readonly RegisteredTool[]): string {
  return `# ${mark} Each function calls a tool and returns its result.
from __future__ import annotations

import json
import subprocess
from typing import Any, Literal, Optional, Union


class ToolError(Exception):
    """A call that has failed: the tool could not be run, or answered with an error and its code."""

    def __init__(self, message: str, code: str) -> None:
        super().__init__(message)
        self.code = code


def call(name: str, arguments: dict[str, Any]) -> dict[str, Any]:
    """Calls a tool by its name."""
    end = subprocess.run(
        ["ikigai", "tool", "call", name, "-"], input=json.dumps(arguments), stdout=subprocess.PIPE, text=True
    )
    if end.stdout == "":
        raise ToolError(f"ikigai ended with exit code {end.returncode}", "TOOL_CRASHED")
    envelope = json.loads(end.stdout)
    result = envelope["result"] if envelope["tool_success"] else envelope
    if isinstance(result.get("error_code"), str):
        raise ToolError(result["error"], result["error_code"])
    return result


def _given(**arguments: Any) -> dict[str, Any]:
    return {name: value for name, value in arguments.items() if value is not None}
${tools.map(pythonFunction).join("")}`;
}

function pythonFunction({ name, schema: { description, parameters } }: RegisteredTool): string {
  const required = requiredIn(parameters);
  const all = propertiesOf(parameters);
  const text = JSON.stringify(description.trim()).slice(1, -1).replaceAll('\\"', '"').replaceAll('"""', "'''");
  const head = `\n\ndef ${identifier(name)}`;
  const about = `    """${text.endsWith('"') ? `${text} ` : text}"""\n`;
  // Such names are no names of parameters.
  if (all.some(([key]) => !/^[A-Za-z]\w*$/.test(key) || reserved.has(key)))
    return `${head}(arguments: dict[str, Any]) -> dict[str, Any]:\n${about}    return call(${JSON.stringify(name)}, arguments)\n`;
  const words = all.map(([key, property]) =>
    required.has(key) ? `${key}: ${pythonType(property)}` : `${key}: Optional[${pythonType(property)}] = None`,
  );
  const given = all.map(([key]) => `${key}=${key}`).join(", ");
  return `${head}(${words.length === 0 ? "" : `*, ${words.join(", ")}`}) -> dict[str, Any]:
${about}    return call(${JSON.stringify(name)}, _given(${given}))
`;
}

/** The type of a value in Python. */
function pythonType(schema: JsonObject): string {
  const { type, items, enum: choices } = schema;
  const isLiteral = (one: JsonValue) => typeof one === "string" || (typeof one === "number" && Number.isInteger(one));
  if (Array.isArray(choices) && choices.length > 0 && choices.every(isLiteral))
    return `Literal[${choices.map((choice) => JSON.stringify(choice)).join(", ")}]`;
  const alternatives = alternativesOf(schema);
  if (alternatives) return alternatives.length === 0 ? "Any" : `Union[${alternatives.map(pythonType).join(", ")}]`;
  switch (type) {
    case "string":
      return "str";
    case "boolean":
      return "bool";
    case "integer":
      return "int";
    case "number":
      return "float";
    case "null":
      return "None";
    case "array":
      return `list[${pythonType(isJsonObject(items) ? items : {})}]`;
    case "object":
      return "dict[str, Any]";
    default:
      return "Any";
  }
}
