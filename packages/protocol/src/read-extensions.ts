import { isJsonObject, type JsonObject, type JsonValue } from "./json.ts";
import { serviceNamePattern } from "./serve-frames.ts";
import { readToolAccess } from "./tool-access.ts";
import type { ToolAnnotations, ToolExtensions } from "./tool-schema.ts";

type Test = (value: JsonValue) => boolean;

const isText: Test = (value) => typeof value === "string";
const isFlag: Test = (value) => typeof value === "boolean";
const isCount: Test = (value) => Number.isInteger(value) && (value as number) > 0;
const isTextList: Test = (value) => Array.isArray(value) && value.every(isText);

const annotationTests: Record<keyof ToolAnnotations, Test> = {
  title: isText,
  readOnlyHint: isFlag,
  destructiveHint: isFlag,
  idempotentHint: isFlag,
  openWorldHint: isFlag,
};

const extensionTests: Record<keyof ToolExtensions, Test> = {
  version: isText,
  timeoutMs: isCount,
  timeoutArgument: isText,
  maxOutputBytes: isCount,
  env: isTextList,
  prestart: isFlag,
  serves: isFlag,
  service: (value) => typeof value === "string" && serviceNamePattern.test(value),
  varies: isTextList,
  agent: isFlag,
  catalog: isFlag,
  defer: isFlag,
  host: isTextList,
  state: isFlag,
  access: (value) => readToolAccess(value) !== undefined,
};

/** Reads the annotations a host knows. Drops unknown and mistyped ones: an annotation must never disable a tool. */
export function readAnnotations(declared: JsonValue | undefined): ToolAnnotations | undefined {
  return keep(declared, annotationTests);
}

/** Reads the extensions a host knows, with the same tolerance. */
export function readExtensions(declared: JsonValue | undefined): ToolExtensions | undefined {
  return keep(declared, extensionTests);
}

function keep(declared: JsonValue | undefined, tests: Record<string, Test>): JsonObject | undefined {
  if (!isJsonObject(declared)) return undefined;
  return Object.fromEntries(
    Object.entries(declared).filter(([key, value]) => Object.hasOwn(tests, key) && tests[key]?.(value)),
  );
}
