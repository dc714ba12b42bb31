import type { DefinedTool, Definitions } from "../definitions/define-tools.ts";
import { type WrapperPlaces, wrapperFileName, wrapperText } from "../definitions/wrapper.ts";
import { type ServerFile, serverFileName, type ToolsFile, toolsFileName } from "./server-file.ts";

/** A file of a server's package. */
export interface PackageFile {
  readonly name: string;
  readonly text: string;
  readonly isExecutable: boolean;
}

export interface PackagePlaces extends WrapperPlaces {
  /** The version of ikigai. */
  readonly version: string;
}

/** What `tools.json` of a package says about the server's tools. */
export function toolsFileOf({ tools, leftOut }: Definitions): ToolsFile {
  return {
    tools: tools.map(({ name: tool, isResource, listed: definition }) => ({ tool, isResource, definition })),
    bytes: bytesOf(tools),
    leftOut: Object.fromEntries(leftOut.map((one) => [one.name, one.reason])),
  };
}

/** The size of the definitions, in bytes. */
export function bytesOf(tools: readonly DefinedTool[]): number {
  return tools.reduce((sum, { line }) => sum + Buffer.byteLength(line), 0);
}

/** Returns the files of a server's package: the server, its tools, and a wrapper for each tool. */
export function packageFiles(
  server: ServerFile,
  definitions: Definitions,
  { version, ...places }: PackagePlaces,
): readonly PackageFile[] {
  const { name, isTemporary = false } = server;
  const wrappers = definitions.tools.map(({ name: tool, line }) => ({
    name: wrapperFileName(tool),
    text: wrapperText({ line, name: tool, server: name, version, isTemporary }, places),
    isExecutable: true,
  }));
  return [
    { name: serverFileName, text: toText(server), isExecutable: false },
    { name: toolsFileName, text: toText(toolsFileOf(definitions)), isExecutable: false },
    ...wrappers,
  ];
}

function toText(value: unknown): string {
  return `${JSON.stringify(value, undefined, 2)}\n`;
}
