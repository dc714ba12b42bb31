// What a tool that `tool wrap` makes of an OpenAPI document does when it is called: it reads its arguments, makes the request with Node's
// own fetch, and prints the answer. The program is text here, since it becomes part of the tool's file.

/** The lines of the program. @param operations what it needs to know of each command. */
export function callScript(operations: Readonly<Record<string, unknown>>): readonly string[] {
  const entries = Object.entries(operations).map(
    ([word, call]) => `  ${JSON.stringify(word)}: ${JSON.stringify(call)},`,
  );
  return ["", "const operations = {", ...entries, "};", ...program.trim().split("\n")];
}

// No backticks and no `${`: it is a template itself. No line begins with `NAME()`, which would name the last command of a plain tool.
const program = String.raw`
const { readFileSync } = require("node:fs");
const { basename } = require("node:path");

const [command = "", ...words] = process.argv.slice(2);
const operation = operations[command] ?? fail("Expected a command: " + Object.keys(operations).join(", "), 2);
const request = { url: operation.url, query: [], headers: { accept: "application/json, */*;q=0.5" }, cookies: [], body: {} };

for (const [option, values] of given(words)) {
  const spec = operation.options[option] ?? fail("No option --" + option + " in " + command, 2);
  const name = spec.name ?? option;
  const read = values.map((value) => valueOf(spec, value));
  place(spec, name, spec.isList ? read : read[0]);
}
for (const { env, in: where, name, prefix = "", isBasic } of operation.credentials ?? []) {
  const secret = process.env[env];
  if (secret) place({ in: where }, name, prefix + (isBasic ? Buffer.from(secret).toString("base64") : secret));
}
void send();

/** The values of each option: --name VALUE or --name=VALUE. */
function given(rest) {
  const options = new Map();
  for (let at = 0; at < rest.length; at++) {
    const [, name, value] = /^--([^=]+)(?:=([\s\S]*))?$/.exec(rest[at]) ?? fail("Expected an option, got " + rest[at], 2);
    options.set(name, [...(options.get(name) ?? []), value ?? rest[++at] ?? fail("Expected a value after --" + name, 2)]);
  }
  return options;
}

function valueOf({ as }, text) {
  if (as === "number") return Number(text);
  if (as === "boolean") return text === "true";
  if (as === "file") return new File([readFileSync(text)], basename(text));
  if (as !== "json") return text;
  try {
    return JSON.parse(text);
  } catch {
    return fail("Expected JSON, got " + text, 2);
  }
}

function place(spec, name, value) {
  const plain = (one) => (typeof one === "object" && one !== null && !Array.isArray(one) ? JSON.stringify(one) : String(one));
  const text = Array.isArray(value) ? value.map(plain).join(spec.separator ?? ",") : plain(value);
  if (spec.in === "path") request.url = request.url.replaceAll("{" + name + "}", () => encodeURIComponent(text).replaceAll("%2C", ","));
  else if (spec.in === "header") request.headers[name] = text;
  else if (spec.in === "cookie") request.cookies.push(name + "=" + encodeURIComponent(text));
  else if (spec.in === "body") request.body[name] = value;
  else if (spec.in === "whole-body") request.whole = value;
  else if (spec.isDeep) for (const [key, one] of Object.entries(value)) request.query.push([name + "[" + key + "]", plain(one)]);
  else if (Array.isArray(value) && spec.separator === undefined) for (const one of value) request.query.push([name, plain(one)]);
  else request.query.push([name, text]);
}

function bodyOf(type) {
  const fields = Object.entries(request.body).flatMap(([name, value]) => (Array.isArray(value) ? value : [value]).map((one) => [name, one]));
  const asField = (one) => (one instanceof File || typeof one !== "object" ? one : JSON.stringify(one));
  if (request.whole !== undefined) return typeof request.whole === "string" && !/json/.test(type) ? request.whole : JSON.stringify(request.whole);
  if (fields.length === 0) return undefined;
  if (type === "multipart/form-data") {
    const form = new FormData();
    for (const [name, one] of fields) form.append(name, asField(one));
    return form;
  }
  return /urlencoded/.test(type) ? new URLSearchParams(fields.map(([name, one]) => [name, String(asField(one))])).toString() : JSON.stringify(request.body);
}

async function send() {
  const { method, body: type = "" } = operation;
  const url = new URL(request.url);
  for (const [name, value] of request.query) url.searchParams.append(name, value);
  if (request.cookies.length > 0) request.headers.cookie = request.cookies.join("; ");
  const body = bodyOf(type);
  if (body !== undefined && !(body instanceof FormData)) request.headers["content-type"] = type;
  const { headers } = request;
  // A redirect could take the credentials to another host.
  const response = await fetch(url, { method, headers, body, redirect: "manual" }).catch((error) => fail(String(error.cause?.message ?? error.message), 1));
  process.stdout.write(Buffer.from(await response.arrayBuffer()));
  const to = response.headers.get("location");
  if (!response.ok) fail("HTTP " + response.status + " " + response.statusText + (to ? ", it is at " + to : ""), 1);
}

function fail(message, exitCode) {
  process.stderr.write(message.trim() + "\n");
  process.exit(exitCode);
}
`;
