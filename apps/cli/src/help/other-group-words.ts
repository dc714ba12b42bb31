const server =
  "A URL is a remote server, a command after -- a local one: ikigai mcp add NAME URL, or ikigai mcp add NAME -- COMMAND";
const scope =
  "A server is added for all directories (--scope user), or with --here for this one (--scope local). For a project, write it in .mcp.json; others add it with: ikigai mcp add --from .mcp.json";
const env = "To set a variable of the server: --env KEY=VALUE";
const header = "To send a header to a remote server: --header KEY:VALUE";
const list = "To list the servers: ikigai mcp list. To start one and see its tools: ikigai mcp test NAME";
const remove = "To remove a server: ikigai mcp remove NAME";
const add = "To add a server: ikigai mcp add NAME URL, or ikigai mcp add NAME -- COMMAND";
const use = "Added servers are always in use. To remove one: ikigai mcp remove NAME";
const settings = "To print the settings: ikigai config get";
const unset = "To remove a setting: ikigai config unset KEY";

/**
 * Commands and options of Claude Code, Codex, Gemini CLI and opencode that a group of ikigai's commands lacks, after the name of
 * the group, and what to type instead.
 */
export const otherGroupWords: Readonly<Record<string, string>> = {
  "mcp --transport": server,
  "mcp -t": server,
  "mcp --type": server,
  "mcp --url": server,
  "mcp --command": server,
  "mcp --args": server,
  "mcp --scope": scope,
  "mcp -s": scope,
  "mcp --project": scope,
  "mcp --global": scope,
  "mcp -e": env,
  "mcp -H": header,
  "mcp --bearer-token-env-var": `To send a token that is in your environment: --header 'Authorization: Bearer \${VAR}'`,
  "mcp --include-tools": "To add only some tools: --include GLOB",
  "mcp --exclude-tools": "To leave out tools: --exclude GLOB",
  "mcp --trust": "To run a server's calls without asking, add a rule: ikigai help permissions",
  "mcp get": list,
  "mcp show": list,
  "mcp info": list,
  "mcp ls": list,
  "mcp status": list,
  "mcp debug": "To start a server and call a tool: ikigai mcp test NAME --call TOOL",
  "mcp rm": remove,
  "mcp delete": remove,
  "mcp uninstall": remove,
  "mcp install": add,
  "mcp new": add,
  "mcp add-json": "Write the JSON to a file, then: ikigai mcp add --from FILE",
  "mcp add-from-claude-desktop": "To add the servers of another program: ikigai mcp add --from FILE",
  "mcp auth": "To log in to a remote server: ikigai mcp login NAME",
  "mcp enable": use,
  "mcp disable": use,
  "config list": settings,
  "config ls": settings,
  "config show": settings,
  "config remove": unset,
  "config rm": unset,
  "config delete": unset,
  "config add": "To change a setting: ikigai config set KEY VALUE",
  "tool ls": "To list the tools: ikigai tool list",
  "tool install": "To add tools: ikigai tool add SOURCE",
  "tool rm": "To remove a tool: ikigai tool remove NAME",
  "tool delete": "To remove a tool: ikigai tool remove NAME",
  "tool uninstall": "To remove a tool: ikigai tool remove NAME",
  "tool create": "To create a tool: ikigai tool new NAME",
  "tool run": "To call a tool: ikigai tool call NAME JSON",
  "tool test": "To test an executable: ikigai tool check PATH",
};
