import { shellWord } from "@ikigai/system";

/** What a wrapper starts. */
export interface WrapperPlaces {
  /** The Node that wrote it; if that is gone, the one on the PATH. */
  readonly node: string;
  /** The bridge of the ikigai that wrote it; if that is gone, the one that the host names. */
  readonly bridge: string;
  /** The directory of the package. */
  readonly packageDir: string;
}

/** The variable by which a host names its own bridge. */
export const bridgeVariable = "IKIGAI_MCP_BRIDGE";

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

export interface WrappedTool {
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
