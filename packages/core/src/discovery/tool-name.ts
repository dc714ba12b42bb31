import { toolNamePattern, toolSuffix } from "@ikigai/protocol";

/** What a model calls the tool in a file of this name; `undefined` when it could not. */
export function toolNameOf(fileName: string): string | undefined {
  const name = rawName(fileName);
  return toolNamePattern.test(name) ? name : undefined;
}

/** The name of a file that cannot be a tool's, with everything but printable ASCII escaped: it is shown to people. */
export function escapedName(fileName: string): string {
  return rawName(fileName).replaceAll(
    /[^\x20-\x7e]/gu,
    (character) => `\\u{${character.codePointAt(0)?.toString(16)}}`,
  );
}

function rawName(fileName: string): string {
  return fileName.slice(0, -toolSuffix.length).replaceAll("-", "_");
}
