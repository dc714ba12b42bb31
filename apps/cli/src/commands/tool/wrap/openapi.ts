// Reads an OpenAPI 3 document: each operation becomes a command of a tool that needs only Node. In reading order: the document, its
// operations, their parameters and bodies, who the caller is, and the script. What the script does when it is called is in
// `openapi-call.ts`.

import { isJsonObject, type JsonObject, type JsonValue } from "@ikigai/protocol";
import { parseObject, withoutEnd } from "@ikigai/system";
import { Refusal } from "@ikigai/tool-packages";
import { callScript } from "./openapi-call.ts";
import { oneLine, type Parameter, type Source, type WrappedCommand } from "./source.ts";

/** What the user chose. */
export interface ApiOptions {
  /** The name of the tool: its commands are NAME_OPERATION. */
  readonly name: string;
  /** Used instead of the servers of the document. */
  readonly server: string | undefined;
}

/** Reads a document of OpenAPI 3, in JSON or YAML; `undefined` for another file. @throws Refusal if it cannot be used. */
export async function fromOpenApi(file: string, text: string, options: ApiOptions): Promise<Source | undefined> {
  if (!/\.(?:json|ya?ml)$/.test(file) || !/["']?openapi["']?\s*:\s*["']?3\./.test(text)) return undefined;
  const document = file.endsWith(".json") ? parseObject(text) : await readYaml(file, text);
  if (!isJsonObject(document) || !isJsonObject(document.paths)) throw new Refusal(`${file} has no "paths".`);
  const api = new Api(document, options);
  const operations = api.operations();
  const table = Object.fromEntries(operations.map(({ word, call }) => [word, call]));
  return {
    leader: "//",
    interpreter: "#!/usr/bin/env node",
    commands: operations.map(({ command }) => command),
    linesFor: (_, words) => callScript(Object.fromEntries(words.map((word) => [word, table[word]]))),
    notes: api.notes,
  };
}

async function readYaml(file: string, text: string): Promise<JsonValue> {
  const { parse } = await import("yaml");
  try {
    return parse(text, { maxAliasCount: 1_000 });
  } catch (error) {
    throw new Refusal(`${file} is not YAML: ${(error as Error).message.split("\n")[0]}`);
  }
}

const methods = ["get", "put", "post", "delete", "options", "head", "patch", "trace"];

/** How a request is made from the arguments of a call: what `openapi-call.ts` reads. */
interface CallOfOperation {
  readonly method: string;
  /** With `{name}` for the parameters in it. */
  readonly url: string;
  /** By the word of the option, without dashes. */
  readonly options: Readonly<Record<string, OptionOfCall>>;
  /** The media type of the body. */
  readonly body?: string;
  /** Where each credential goes, and the variable that has it. */
  readonly credentials?: readonly Credential[];
}

/** Where the value of an option goes. */
interface OptionOfCall {
  readonly in: "path" | "query" | "header" | "cookie" | "body" | "whole-body";
  /** As the server calls it, unless the option is called the same. */
  readonly name?: string;
  /** `json`: the text is JSON; `file`: it is a path; `list`: it may come several times. */
  readonly as?: "number" | "boolean" | "json" | "file";
  readonly isList?: true;
  /** What is between the values of a list; absent: each is a parameter of its own. */
  readonly separator?: string;
  /** An object whose members are `name[member]`. */
  readonly isDeep?: true;
}

interface Credential {
  readonly env: string;
  readonly in: "header" | "query" | "cookie";
  readonly name: string;
  readonly prefix?: string;
  /** The variable has `user:password`. */
  readonly isBasic?: true;
}

interface Operation {
  readonly word: string;
  readonly command: WrappedCommand;
  readonly call: CallOfOperation;
}

/** An option of the tool and where it goes. */
type Option = readonly [Parameter, OptionOfCall];

class Api {
  readonly #document: JsonObject;
  readonly #options: ApiOptions;
  readonly notes: string[] = [];

  constructor(document: JsonObject, options: ApiOptions) {
    this.#document = document;
    this.#options = options;
  }

  operations(): readonly Operation[] {
    const taken = new Set<string>();
    return Object.entries(objectOf(this.#document.paths)).flatMap(([path, item]) => {
      const shared = this.#resolve(item);
      return methods.flatMap((method) => {
        const declared = shared[method];
        if (!isJsonObject(declared)) return [];
        const word = this.#wordFor(method, path, declared, taken);
        return [this.#operation(word, { method, path, shared, declared })];
      });
    });
  }

  /** Its `operationId`, or its method and path, as a name that is free. */
  #wordFor(method: string, path: string, { operationId }: JsonObject, taken: Set<string>): string {
    const text = typeof operationId === "string" && operationId !== "" ? operationId : `${method} ${path}`;
    const most = 63 - this.#options.name.length;
    const plain = text
      .replace(/[^A-Za-z0-9]+/g, "_")
      .replace(/^_+|_+$/g, "")
      .slice(0, most);
    let word = plain;
    for (let number = 2; taken.has(word.toLowerCase()); number++) word = `${plain.slice(0, most - 4)}_${number}`;
    taken.add(word.toLowerCase());
    return word;
  }

  #operation(
    word: string,
    { method, path, shared, declared }: { method: string; path: string; shared: JsonObject; declared: JsonObject },
  ): Operation {
    const parameters = [...listOf(shared.parameters), ...listOf(declared.parameters)].map((one) => this.#resolve(one));
    // What an operation says takes the place of what its path says.
    const own = new Map(parameters.map((one) => [`${one.in} ${one.name}`, one]));
    const body = this.#body(declared.requestBody);
    const options = withFreeNames([...[...own.values()].map((one) => this.#parameter(one)), ...body.options]);
    const url = this.#server(declared, shared) + path;
    const { credentials, tags } = this.#credentials(declared);
    const about = [declared.summary, declared.description, `${method.toUpperCase()} ${path}`].find(
      (text) => typeof text === "string" && text !== "",
    );
    const isReading = method === "get" || method === "head" || method === "options";
    const { hostname: host } = new URL(url.replace(/\{[^}]*\}/g, "x"));
    // What a tool needs names hosts, no addresses.
    const isNamed = /[a-z]/i.test(host) && !host.includes(":") && !/(?:^|\.)localhost$/.test(host);
    if (!isNamed) this.note(`In the sandbox, ${host} needs a rule of yours: host(${host}).`);
    return {
      word,
      command: {
        word,
        description: oneLine(String(about)),
        parameters: options.map(([parameter]) => parameter),
        more: [...(isReading ? ["@meta readonly"] : []), ...(isNamed ? [`@meta host ${host}`] : []), ...tags],
      },
      call: {
        method: method.toUpperCase(),
        url,
        options: Object.fromEntries(options.map(([{ word: option = "" }, call]) => [option.slice(2), call])),
        ...(body.type !== undefined && { body: body.type }),
        ...(credentials.length > 0 && { credentials }),
      },
    };
  }

  /** The first server, with the defaults of its variables. @throws Refusal if it has no host. */
  #server(...places: readonly JsonObject[]): string {
    const [server] = [...places, this.#document]
      .map(({ servers }) => listOf(servers)[0])
      .filter((one) => one !== undefined);
    const { url = "", variables } = objectOf(server);
    const filled = String(url).replace(/\{([^}]*)\}/g, (_, name) =>
      String(objectOf(objectOf(variables)[name]).default ?? ""),
    );
    const chosen = withoutEnd(this.#options.server ?? filled, "/");
    if (!/^https?:\/\/[^/]/i.test(chosen))
      throw new Refusal(
        `The document names no server${filled === "" ? "" : ` but ${filled}`}. Say which: --server https://HOST`,
      );
    return chosen;
  }

  #parameter(parameter: JsonObject): Option {
    const place = parameter.in as "path" | "query" | "header" | "cookie";
    const content = Object.values(objectOf(parameter.content))[0];
    const schema = this.#schema(content === undefined ? parameter.schema : objectOf(content).schema);
    const isRequired = parameter.required === true || place === "path";
    const [option, call] = this.#option(String(parameter.name), place, {
      schema,
      isRequired,
      about: parameter.description,
    });
    const { style = place === "query" || place === "cookie" ? "form" : "simple", explode = style === "form" } =
      parameter;
    const separators: Record<string, string> = { spaceDelimited: " ", pipeDelimited: "|" };
    const isJoined = call.isList && !(style === "form" && explode);
    return [
      option,
      {
        ...call,
        ...(content !== undefined && { as: "json" as const }),
        ...(isJoined && { separator: separators[String(style)] ?? "," }),
        ...(style === "deepObject" && call.as === "json" && { isDeep: true as const }),
      },
    ];
  }

  /** The options for the body: its members, or one for all of it. */
  #body(declared: JsonValue | undefined): { readonly type?: string; readonly options: readonly Option[] } {
    const { content, required, description } = this.#resolve(declared ?? {});
    const types = Object.keys(objectOf(content));
    const rank = [
      /^application\/(?:.*\+)?json/,
      /^application\/x-www-form-urlencoded/,
      /^multipart\/form-data/,
      /^text\//,
      /./,
    ];
    const type = rank.map((pattern) => types.find((one) => pattern.test(one))).find((one) => one !== undefined);
    if (type === undefined) return { options: [] };
    const schema = this.#schema(objectOf(objectOf(content)[type]).schema);
    const members = Object.entries(objectOf(schema.properties)).filter(([, one]) => objectOf(one).readOnly !== true);
    const isJson = rank[0]?.test(type) === true;
    const isForm = rank[1]?.test(type) === true || rank[2]?.test(type) === true;
    if (members.length > 0 && (isJson || isForm)) {
      const names = new Set(listOf(schema.required));
      const isNeeded = required === true || names.size > 0;
      return {
        type,
        options: members.map(([name, one]) => {
          const own = this.#schema(one);
          return this.#option(name, "body", {
            schema: own,
            isRequired: isNeeded && names.has(name),
            about: own.description,
          });
        }),
      };
    }
    const [whole] = this.#option("body", "whole-body", {
      schema: {},
      isRequired: required === true,
      about: description ?? `The body, ${type}`,
    });
    return { type, options: [[whole, { in: "whole-body", ...(isJson && { as: "json" as const }) }]] };
  }

  #option(
    name: string,
    place: OptionOfCall["in"],
    { schema, isRequired, about }: { schema: JsonObject; isRequired: boolean; about: JsonValue | undefined },
  ): Option {
    const items = schema.type === "array" ? this.#schema(schema.items) : undefined;
    const isList = items !== undefined && kindOf(items) !== "json";
    const kind = isList ? kindOf(items) : kindOf(schema);
    const { enum: listed } = isList ? items : schema;
    const texts =
      kind === "boolean"
        ? ["true", "false"]
        : listOf(listed)
            .filter((one) => typeof one !== "object")
            .map(String);
    const text =
      typeof about === "string" && about !== ""
        ? about
        : typeof schema.description === "string"
          ? schema.description
          : name;
    const described = oneLine(kind === "json" ? `${text} (JSON)` : kind === "file" ? `${text} (a path)` : text);
    const word = `--${name.replace(/[^A-Za-z0-9_.-]+/g, "-").replace(/^[^A-Za-z0-9]+|-+$/g, "") || "value"}`;
    const integer = (isList ? items : schema).type === "integer";
    return [
      {
        name: word.slice(2),
        word,
        type: kind === "number" ? (integer ? "integer" : "number") : "string",
        ...(isList && { isList: true as const }),
        ...(isRequired && { isRequired: true as const }),
        ...(texts.length > 0 && { choices: texts }),
        description: described,
      },
      {
        in: place,
        ...(word !== `--${name}` && { name }),
        ...(kind !== "string" && { as: kind }),
        ...(isList && { isList: true as const }),
      },
    ];
  }

  /** The credentials of the first way to say who the caller is, unless none is needed. */
  #credentials(declared: JsonObject): {
    readonly credentials: readonly Credential[];
    readonly tags: readonly string[];
  } {
    const ways = listOf(declared.security ?? this.#document.security).map(objectOf);
    const isOptional = ways.some((way) => Object.keys(way).length === 0);
    const [way = {}] = ways.filter((one) => Object.keys(one).length > 0);
    const schemes = objectOf(objectOf(this.#document.components).securitySchemes);
    const found = Object.keys(way).flatMap((key) => {
      const credential = credentialOf(
        this.#resolve(schemes[key] ?? {}),
        `${this.#options.name}_${key}`.toUpperCase().replace(/[^A-Z0-9]+/g, "_"),
      );
      if (credential === undefined) this.note(`The security scheme ${key} is left out: no variable can hold it.`);
      return credential ?? [];
    });
    const tags = found.map(
      ({ env, isBasic }) => `@env ${env}${isOptional ? "" : "!"} ${isBasic ? "USER:PASSWORD" : "The key or token"}`,
    );
    return { credentials: found, tags };
  }

  note(text: string): void {
    if (!this.notes.includes(text)) this.notes.push(text);
  }

  /** A schema without references, with the members of its `allOf`. */
  #schema(value: JsonValue | undefined, depth = 0): JsonObject {
    const schema = this.#resolve(value ?? {});
    const { allOf, type } = schema;
    const merged = depth > 8 ? [] : listOf(allOf).map((part) => this.#schema(part, depth + 1));
    const parts = [...merged, schema];
    const properties = Object.assign({}, ...parts.map((part) => objectOf(part.properties)));
    const required = parts.flatMap((part) => listOf(part.required));
    // 3.1 has lists of types; `null` is one of them.
    const kinds = listOf(type).filter((one) => one !== "null");
    return {
      ...Object.assign({}, ...parts),
      ...(Array.isArray(type) && { type: kinds.length === 1 ? (kinds[0] ?? null) : null }),
      ...(Object.keys(properties).length > 0 && { properties }),
      ...(required.length > 0 && { required }),
    };
  }

  /** Follows references inside the document. @throws Refusal for one that leads nowhere, or in a circle. */
  #resolve(value: JsonValue): JsonObject {
    let found = objectOf(value);
    for (let steps = 0; typeof found.$ref === "string"; steps++) {
      const reference = found.$ref;
      if (!reference.startsWith("#/") || steps > 20)
        throw new Refusal(`Cannot follow "$ref": "${reference}". Bundle the document into one file first.`);
      const keys = reference
        .slice(2)
        .split("/")
        .map((key) => decodeURIComponent(key).replaceAll("~1", "/").replaceAll("~0", "~"));
      const target = keys.reduce<JsonValue | undefined>(
        (part, key) => (Array.isArray(part) ? part[Number(key)] : objectOf(part)[key]),
        this.#document,
      );
      if (!isJsonObject(target)) throw new Refusal(`"$ref": "${reference}" leads nowhere in the document.`);
      const { $ref: _, ...beside } = found;
      found = { ...target, ...beside };
    }
    return found;
  }
}

type Kind = "string" | "number" | "boolean" | "json" | "file";

function kindOf({ type, format, properties, contentMediaType }: JsonObject): Kind {
  if (type === "integer" || type === "number") return "number";
  if (type === "boolean") return "boolean";
  if (type === "string")
    return format === "binary" || contentMediaType === "application/octet-stream" ? "file" : "string";
  return type === undefined && properties === undefined ? "string" : "json";
}

/** Two that differ only in their place, or in signs: the later one gets its place before its name. */
function withFreeNames(options: readonly Option[]): readonly Option[] {
  const taken = new Set<string>();
  const keyOf = (word: string) => word.replace(/[^A-Za-z0-9]+/g, "_");
  return options.map(([parameter, call]) => {
    const { word = "", name } = parameter;
    let free = word;
    for (let number = 1; taken.has(keyOf(free)); number++)
      free = `--${call.in}-${word.slice(2)}${number === 1 ? "" : `-${number}`}`;
    taken.add(keyOf(free));
    return free === word
      ? [parameter, call]
      : [
          { ...parameter, word: free, name: free.slice(2) },
          { ...call, name: call.name ?? name },
        ];
  });
}

function credentialOf({ type, scheme, in: place, name }: JsonObject, env: string): Credential | undefined {
  if (type === "apiKey" && typeof name === "string") return { env, in: place as Credential["in"], name };
  const isBasic = type === "http" && String(scheme).toLowerCase() === "basic";
  if (isBasic) return { env, in: "header", name: "authorization", prefix: "Basic ", isBasic };
  const isBearer =
    type === "oauth2" || type === "openIdConnect" || (type === "http" && String(scheme).toLowerCase() === "bearer");
  return isBearer ? { env, in: "header", name: "authorization", prefix: "Bearer " } : undefined;
}

function objectOf(value: JsonValue | undefined): JsonObject {
  return isJsonObject(value) ? value : {};
}

function listOf(value: JsonValue | undefined): readonly JsonValue[] {
  return Array.isArray(value) ? value : [];
}
