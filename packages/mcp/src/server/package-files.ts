// The files of a server's package: its description, and for each tool a wrapper, a shell script that starts the bridge.

import { shellWord } from "@ikigai/system";
import type { DefinedTool, Definitions } from "../definitions/define-tools.ts";
import { type ServerFile, serverFileName, type ToolsFile, toolsFileName } from "./server-file.ts";

/** A file of a server's package. */
interface PackageFile {
  readonly name: string;
  readonly text: string;
  readonly isExecutable: boolean;
}

interface PackagePlaces extends WrapperPlaces {
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
function bytesOf(tools: readonly DefinedTool[]): number {
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

/** What a wrapper starts. */
interface WrapperPlaces {
  /** The Node that wrote it; if that is gone, the one on the PATH. */
  readonly node: string;
  /** The bridge of the ikigai that wrote it; if that is gone, the one that the host names. */
  readonly bridge: string;
  /** The directory of the package. */
  readonly packageDir: string;
}

/** The variable by which a host names its own bridge. */
const bridgeVariable = "IKIGAI_MCP_BRIDGE";

/**
 * Returns the script that is a tool: prints its schema, or calls the server through the bridge.
 *
 * @param line its schema on one line, so that no line of it can be the end of the text.
 */
export function wrapperText(
  { line, name, server, version, isTemporary = false }: WrappedTool,
  { node, bridge, packageDir }: WrapperPlaces,
): string {
  const call = [packageDir, name].map(shellWord).join(" ");
  const what = `Made by ikigai ${version}`;
  const origin = isTemporary
    ? `${what} for one conversation`
    : `${what}: ikigai mcp add ${server}. Do not edit; ikigai mcp update ${server}`;
  return `#!/bin/sh
# ${origin}
if [ "$1" = --schema ]; then cat <<'EOT'
${line}
EOT
exit; fi
bridge=${shellWord(bridge)}
[ -f "$bridge" ] || bridge=$${bridgeVariable}
[ -f "$bridge" ] || { printf '%s\\n' ${shellWord(withoutBridge(bridge, server, isTemporary))}; exit; }
${startNode(node)} "$bridge" ${call} "$@"
`;
}

/** The answer to a call that no bridge can make. */
function withoutBridge(bridge: string, server: string, isTemporary: boolean): string {
  const what = `The program that calls the MCP server ${server} is missing: ${bridge}.`;
  const step = isTemporary ? "start ikigai again" : `ikigai mcp update ${server} --yes`;
  return JSON.stringify({
    error: `${what} ikigai has been moved, upgraded or removed.`,
    error_code: "TOOL_UNAVAILABLE",
    help: { steps: [step] },
  });
}

/** Returns the script that lists a server's tools: it takes a request for `bridge.mjs inspect` on stdin. */
export function inspectText({
  node,
  bridge,
  version,
}: Omit<WrapperPlaces, "packageDir"> & { version: string }): string {
  return `#!/bin/sh
# Made by ikigai ${version} for one conversation
${startNode(node)} ${shellWord(bridge)} inspect
`;
}

function startNode(node: string): string {
  return `node=${shellWord(node)}
[ -x "$node" ] || node=node
exec "$node"`;
}

/** The schema in the text of a wrapper; `undefined` if it is not one. */
export function wrappedLine(text: string): string | undefined {
  return /^if .*<<'EOT'\n(.*)\nEOT$/m.exec(text)?.[1];
}

/** The bridge that the text of a wrapper names; `undefined` if it names none. */
export function wrappedBridge(text: string): string | undefined {
  const [, quoted, plain] = /^bridge=(?:'((?:[^']|'\\'')*)'|(\/\S+))/m.exec(afterSchema(text)) ?? [];
  return quoted?.replaceAll("'\\''", "'") ?? plain;
}

/** What follows the schema, which may contain any text. */
function afterSchema(text: string): string {
  return text.slice(text.indexOf("\nEOT\n"));
}

interface WrappedTool {
  readonly line: string;
  /** As the model calls it: the bridge knows which of the server's tools it is. */
  readonly name: string;
  readonly server: string;
  /** The version of ikigai. */
  readonly version: string;
  /** Whether it is there for one conversation only. */
  readonly isTemporary?: boolean;
}

/** The file name of a tool's wrapper. */
export function wrapperFileName(toolName: string): string {
  return `${toolName}-tool`;
}
