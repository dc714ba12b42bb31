import { type CatalogEntry, isJsonObject } from "@ikigai/protocol";
import { readRegularFile } from "@ikigai/system";

/** Far above 5,000 tools, in bytes. */
const maxBytes = 16_777_216;

/** Reads the list of tools and skills; `undefined` if it cannot be read. Ignores damaged lines. */
export function readCatalog(path: string | undefined): CatalogEntry[] | undefined {
  if (!path) return undefined;
  try {
    return readRegularFile(path, maxBytes)
      .toString("utf8")
      .split("\n")
      .flatMap((line) => readEntry(line));
  } catch {
    return undefined;
  }
}

function readEntry(line: string): CatalogEntry[] {
  if (line === "") return [];
  try {
    const entry: unknown = JSON.parse(line);
    return isEntry(entry) ? [entry] : [];
  } catch {
    return [];
  }
}

function isEntry(value: unknown): value is CatalogEntry {
  if (!isJsonObject(value)) return false;
  const { kind, name, description, path, sha256, parameters = [], introduces = [] } = value;
  const isText = (text: unknown) => typeof text === "string";
  const isTextList = (list: unknown) => Array.isArray(list) && list.every(isText);
  if (![name, description].every(isText) || ![parameters, introduces].every(isTextList)) return false;
  return kind === "tool" || (kind === "skill" && isText(path) && (sha256 === undefined || isText(sha256)));
}
