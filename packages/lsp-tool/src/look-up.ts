// What a server knows about a symbol: where it is defined and used, its type and documentation, and the symbols of a file or a project.

import { ToolFailure } from "@ikigai/tool-sdk";
import type {
  DocumentSymbol,
  Hover,
  Location,
  LocationLink,
  MarkupContent,
  Position,
  SymbolInformation,
} from "vscode-languageserver-protocol";
import type { LanguageServer } from "./language-server.ts";
import { maxLine, shortPath } from "./problems.ts";
import { linesOf, pathOf, uriOf } from "./server-messages.ts";

/** Where a question is about. */
export interface Spot {
  readonly path: string;
  readonly line?: number | undefined;
  readonly symbol?: string | undefined;
}

export interface Found {
  readonly output: string;
  readonly count: number;
  readonly files?: number;
  readonly hint?: string;
}

/** How many lines around a definition are shown. */
const around = { before: 1, after: 6 };

/** How many lines are named if a symbol is not where it was expected. */
const maxNamed = 8;

/** The position of a symbol: on the line, or without one where the file has it first. @throws ToolFailure if it is not there. */
export function positionOf({ path, line, symbol }: Spot): Position {
  const lines = linesOf(path);
  if (symbol === undefined || symbol === "") {
    if (line === undefined) throw new ToolFailure("INVALID_ARG", "Expected line and symbol, got neither");
    return { line: line - 1, character: (lines[line - 1] ?? "").search(/\S|$/) };
  }
  const whole = new RegExp(`(?<![\\w$])${symbol.replaceAll(/[\\^$.*+?()[\]{}|]/g, "\\$&")}(?![\\w$])`);
  const at = (index: number) => {
    const text = lines[index] ?? "";
    const word = text.search(whole);
    return word >= 0 ? word : text.indexOf(symbol);
  };
  if (line !== undefined && at(line - 1) >= 0) return { line: line - 1, character: at(line - 1) };
  const having = lines.flatMap((_, index) => (at(index) >= 0 ? [index] : []));
  const [first] = having;
  if (line === undefined && first !== undefined) return { line: first, character: at(first) };
  const named = having.slice(0, maxNamed).map((index) => index + 1);
  const hint = named.length > 0 ? `It is on ${named.length === 1 ? "line" : "lines"} ${named.join(", ")}.` : undefined;
  const where = line === undefined ? "in this file" : `on line ${line}`;
  throw new ToolFailure("NOT_FOUND", `There is no "${symbol}" ${where}`, hint === undefined ? {} : { hint });
}

export async function definition(server: LanguageServer, spot: Spot, projectDir: string): Promise<Found> {
  const answer = await server.request<Location | readonly (Location | LocationLink)[] | null>(
    "textDocument/definition",
    asked(spot),
  );
  const places = [answer ?? []].flat().flatMap(placeOf);
  const blocks = places.map(({ path, line }) => {
    const lines = linesOf(path).slice(Math.max(0, line - around.before), line + around.after + 1);
    const first = Math.max(0, line - around.before);
    const text = lines.map((one, index) => `${String(first + index + 1).padStart(5)}  ${one.slice(0, maxLine)}`);
    return [`${shortPath(path, projectDir)}:${line + 1}`, ...text].join("\n");
  });
  return { output: blocks.join("\n\n"), count: places.length, ...(places.length === 0 && { hint: nothing(spot) }) };
}

export async function references(server: LanguageServer, spot: Spot, projectDir: string): Promise<Found> {
  const params = { ...asked(spot), context: { includeDeclaration: true } };
  const answer = await server.request<readonly Location[] | null>("textDocument/references", params);
  const places = (answer ?? []).flatMap(placeOf);
  const texts = new Map<string, readonly string[]>();
  const lines = places.map(({ path, line }) => {
    const known = texts.get(path) ?? linesOf(path);
    texts.set(path, known);
    return `${shortPath(path, projectDir)}:${line + 1}: ${(known[line] ?? "").trim().slice(0, maxLine)}`;
  });
  const found = { output: [...new Set(lines)].join("\n"), count: places.length, files: texts.size };
  return { ...found, ...(places.length === 0 && { hint: nothing(spot) }) };
}

export async function hover(server: LanguageServer, spot: Spot): Promise<Found> {
  const answer = await server.request<Hover | null>("textDocument/hover", asked(spot));
  const output = answer ? hoverText(answer.contents).trim() : "";
  return { output, count: output === "" ? 0 : 1, ...(output === "" && { hint: nothing(spot) }) };
}

function hoverText(contents: Hover["contents"]): string {
  if (typeof contents === "string") return contents;
  if (Array.isArray(contents)) return contents.map(hoverText).join("\n\n");
  return (contents as MarkupContent).value;
}

/** The symbols of a file; with a text, those of the project that have it in their names. */
export async function symbols(server: LanguageServer, spot: Spot, projectDir: string): Promise<Found> {
  const { path, symbol } = spot;
  if (symbol !== undefined && symbol !== "") {
    const all =
      (await server.request<readonly SymbolInformation[] | null>("workspace/symbol", { query: symbol })) ?? [];
    const lines = all.flatMap(({ name, kind, location, containerName }) => {
      const [place] = placeOf(location);
      const inside = containerName ? ` in ${containerName}` : "";
      return place
        ? [`${shortPath(place.path, projectDir)}:${place.line + 1}: ${kindName(kind)} ${name}${inside}`]
        : [];
    });
    return { output: lines.join("\n"), count: lines.length };
  }
  const textDocument = { uri: uriOf(path) };
  const all = await server.request<readonly (DocumentSymbol | SymbolInformation)[] | null>(
    "textDocument/documentSymbol",
    {
      textDocument,
    },
  );
  const inOrder = [...(all ?? [])].sort((one, other) => lineOf(one) - lineOf(other));
  const lines = inOrder.flatMap((one) => symbolLines(one, 0));
  return { output: lines.join("\n"), count: lines.length };
}

function symbolLines(symbol: DocumentSymbol | SymbolInformation, depth: number): string[] {
  const own = `${String(lineOf(symbol) + 1).padStart(5)}  ${"  ".repeat(depth)}${kindName(symbol.kind)} ${symbol.name}`;
  const inner = "children" in symbol ? (symbol.children ?? []) : [];
  return [own, ...inner.flatMap((one) => symbolLines(one, depth + 1))];
}

function lineOf(symbol: DocumentSymbol | SymbolInformation): number {
  return ("location" in symbol ? symbol.location.range : symbol.selectionRange).start.line;
}

const kindNames = (
  "file module namespace package class method property field constructor enum interface function variable constant string number " +
  "boolean array object key null member struct event operator type"
).split(" ");

function kindName(kind: number): string {
  return kindNames[kind - 1] ?? "symbol";
}

/** The parameters of a request about a symbol. */
export function asked(spot: Spot) {
  return { textDocument: { uri: uriOf(spot.path) }, position: positionOf(spot) };
}

function placeOf(place: Location | LocationLink): readonly { readonly path: string; readonly line: number }[] {
  const [uri, range] = "targetUri" in place ? [place.targetUri, place.targetSelectionRange] : [place.uri, place.range];
  const path = pathOf(uri);
  return path === undefined ? [] : [{ path, line: range.start.line }];
}

function nothing({ line, symbol }: Spot): string {
  return `The server knows nothing about ${symbol ? `"${symbol}"` : "what is"}${line === undefined ? "" : ` on line ${line}`}. Name a symbol, and the line that it is on.`;
}
