import {
  accessParameterKeys,
  hostMethods,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  maxMaxOutputBytes,
  maxTimeoutMs,
  optionalParameterKeys,
  readToolNeeds,
  serviceNamePattern,
} from "@ikigai/protocol";
import { parameterCalled } from "./sample-arguments.ts";

/** What a value must be, in words and as a test. */
interface Kind {
  readonly words: string;
  readonly fits: (value: JsonValue, schema: JsonObject) => boolean;
}

/** The keys that an object may have. */
type Keys = Readonly<Record<string, Kind>>;

const string: Kind = { words: "a string", fits: (value) => typeof value === "string" };
const boolean: Kind = { words: "true or false", fits: (value) => typeof value === "boolean" };
const object: Kind = { words: "an object", fits: isJsonObject };
const anything: Kind = { words: "anything", fits: () => true };

const schemaKeys: Keys = {
  name: string,
  title: string,
  description: string,
  parameters: object,
  inputSchema: object,
  outputSchema: object,
  returns: object,
  annotations: object,
  ikigai: object,
  // From MCP's tool object, which is a valid schema. Hosts ignore these keys.
  icons: anything,
  execution: anything,
  _meta: anything,
};

const annotationKeys: Keys = {
  title: string,
  readOnlyHint: boolean,
  destructiveHint: boolean,
  idempotentHint: boolean,
  openWorldHint: boolean,
};

const ikigaiKeys: Keys = {
  version: string,
  timeoutMs: integerUpTo(maxTimeoutMs),
  timeoutArgument: { words: "the name of a parameter that is a number", fits: isNumericParameter },
  maxOutputBytes: integerUpTo(maxMaxOutputBytes),
  answerBytes: integerUpTo(maxMaxOutputBytes),
  needs: object,
  prestart: boolean,
  serves: boolean,
  service: {
    words: "a name of letters, digits, dots, dashes and underscores, at most 64 long",
    fits: (value) => typeof value === "string" && serviceNamePattern.test(value),
  },
  agent: boolean,
  host: { words: `a list of methods of the host (${hostMethods.join(", ")})`, fits: isMethodList },
  jobs: boolean,
  state: boolean,
  varies: { words: "a list of fields of the answer", fits: isTextList },
  catalog: boolean,
  defer: boolean,
  diagnostics: object,
  access: object,
};

/**
 * Describes each unknown key, invalid value and pair of keys that do not work together outside the parameters, one line each; `undefined`
 * if all are fine.
 */
export function extensionProblems(schema: JsonObject): string | undefined {
  const problems = [
    ...keyProblems(schema, schemaKeys, "", schema),
    ...keyProblems(schema.annotations, annotationKeys, "annotations.", schema),
    ...keyProblems(schema.ikigai, ikigaiKeys, "ikigai.", schema),
    ...needsProblems(schema.ikigai),
    ...accessProblems(schema),
    ...contradictions(schema.ikigai),
  ];
  return problems.length === 0 ? undefined : problems.join("\n");
}

function keyProblems(value: JsonValue | undefined, keys: Keys, path: string, schema: JsonObject): string[] {
  if (!isJsonObject(value)) return [];
  return Object.entries(value).flatMap(([key, entry]) => {
    const kind = Object.hasOwn(keys, key) ? keys[key] : undefined;
    if (kind === undefined) return [`"${path}${key}" is unknown${suggestion(key, keys, path)}.`];
    if (kind.fits(entry, schema)) return [];
    return [`Expected "${path}${key}" to be ${kind.words}, got ${JSON.stringify(entry)}.`];
  });
}

/** A host refuses a schema with such needs. */
function needsProblems(ikigai: JsonValue | undefined): string[] {
  if (!isJsonObject(ikigai) || !isJsonObject(ikigai.needs)) return [];
  const reading = readToolNeeds(ikigai.needs);
  return "problem" in reading ? [`${reading.problem}.`] : [];
}

/** What a process gets only for a call of its own: a grant is that of one call, and so is the descriptor for requests. */
function contradictions(ikigai: JsonValue | undefined): string[] {
  if (!isJsonObject(ikigai)) return [];
  const several = ikigai.service !== undefined ? "service" : ikigai.serves === true ? "serves" : undefined;
  const withAgents = ikigai.agent === true && several !== undefined;
  const withRequests = Array.isArray(ikigai.host) && ikigai.service !== undefined;
  return [
    ...(withAgents
      ? [`"ikigai.agent" never works with "ikigai.${several}": a host lets only a process with one call start agents.`]
      : []),
    ...(withRequests
      ? ['"ikigai.host" never works with "ikigai.service": a host answers only a process with one call.']
      : []),
  ];
}

function suggestion(key: string, keys: Keys, path: string): string {
  const wanted = normalise(key);
  const near = Object.keys(keys).find(
    (candidate) =>
      isNear(normalise(candidate), wanted) || (wanted.length >= 4 && normalise(candidate).startsWith(wanted)),
  );
  if (path === "ikigai." && needLists.includes(key)) return `; it belongs in "ikigai.needs"`;
  if (near !== undefined) return `; perhaps you mean "${near}"`;
  return path === "" && Object.hasOwn(ikigaiKeys, key) ? `; it belongs in "ikigai"` : "";
}

function normalise(key: string): string {
  return key.toLowerCase().replaceAll(/[-_]/g, "");
}

const needLists = ["hosts", "read", "write", "env"];

/** Whether two words differ by at most one added, missing, changed or swapped letter. */
function isNear(a: string, b: string): boolean {
  if (Math.abs(a.length - b.length) > 1) return false;
  let start = 0;
  while (start < a.length && a[start] === b[start]) start++;
  let end = 0;
  while (end < Math.min(a.length, b.length) - start && a.at(-1 - end) === b.at(-1 - end)) end++;
  const [restOfA, restOfB] = [a.slice(start, a.length - end), b.slice(start, b.length - end)];
  const isSwap = restOfA.length === 2 && restOfA === [...restOfB].reverse().join("");
  return isSwap || Math.max(restOfA.length, restOfB.length) <= 1;
}

function integerUpTo(limit: number): Kind {
  return {
    words: `an integer from 1 to ${limit}`,
    fits: (value) => typeof value === "number" && Number.isInteger(value) && value >= 1 && value <= limit,
  };
}

function isTextList(value: JsonValue): boolean {
  return Array.isArray(value) && value.every((entry) => typeof entry === "string");
}

function isMethodList(value: JsonValue): boolean {
  return Array.isArray(value) && value.every((entry) => hostMethods.some((method) => method === entry));
}

function isNumericParameter(name: JsonValue, schema: JsonObject): boolean {
  const property = parameterCalled(name, schema);
  return isJsonObject(property) && (property.type === "integer" || property.type === "number");
}

/** Describes what is wrong with `ikigai.access` of a schema, one sentence each. */
function accessProblems(schema: JsonObject): string[] {
  const { ikigai } = schema;
  if (!isJsonObject(ikigai) || !isJsonObject(ikigai.access)) return [];
  const { kind, ...names } = ikigai.access;
  const known = Object.entries(accessParameterKeys).find(([one]) => one === kind);
  const optional = Object.entries(optionalParameterKeys).find(([one]) => one === kind)?.[1];
  if (known === undefined) {
    const kinds = Object.keys(accessParameterKeys).join(", ");
    return [`Expected "ikigai.access.kind" to be one of ${kinds}, got ${JSON.stringify(kind) ?? "nothing"}.`];
  }
  return known[1].flatMap((key) => {
    const name = names[key];
    if (name === undefined && optional?.includes(key)) return [];
    if (name === undefined)
      return [`"ikigai.access" lacks "${key}": kind "${known[0]}" needs the name of the parameter with the ${key}.`];
    if (isJsonObject(parameterCalled(name, schema))) return [];
    return [`Expected "ikigai.access.${key}" to be the name of a parameter, got ${JSON.stringify(name)}.`];
  });
}
