// What `ikigai COMMAND --help` says after the summary, as it is printed: at most 80 columns.

import type { CommandName } from "../args/commands.ts";

/** What the help says about a command after its summary. */
export const details: Readonly<Partial<Record<CommandName, string>>> = {
  login: `Asks for the key without showing it, or reads it from stdin. Tests it by
listing the provider's models, and stores it in the system's keyring
(secret-tool, security), else in ~/.ikigai/credentials.json, which only you can
read. ikigai sends the key only to the provider, to the base URL in
~/.ikigai/config.json, and to the base URL that is set now.

chatgpt and copilot are accounts: it shows a code to type into a web page, and
stores the tokens in ~/.ikigai/credentials.json.

  ikigai login anthropic < key.txt
  ikigai login chatgpt
`,
  logout: `For chatgpt and copilot it also tells the service to revoke the tokens. The
exit code is 1 if the service does not confirm that.
`,
  import: `AGENT is claude, codex, gemini, opencode or pi. Shows what of your own files
there ikigai lacks, asks, and copies: instructions to ~/.ikigai/AGENTS.md,
commands, agents and skills to their directories, and rules to the
configuration. It overwrites nothing, and a second run finds nothing new. Rules
are taken over only if they mean the same here. For MCP servers it prints the
lines that add them; keys in their files are not printed, but become variables
to set. It names every other setting, with what to do.

Of Claude Code's hooks, each command becomes an executable file in
~/.ikigai/hooks. In a project, the rules of .claude/settings.json are offered
next, for this project only, and its hooks, as files in .ikigai/hooks: --yes
does not cover these. Skills in ~/.claude/skills are used where they are.

  ikigai import claude
`,
  "config set": `KEY is a name with dots. VALUE is JSON; any other text is a string. Keeps the
comments in the file. Prints the remaining problems of the file; the exit code
is 2 until ikigai can start.

  ikigai config set model anthropic/claude-sonnet-5-5
  ikigai config set tools.bash.timeoutMs 120000
`,
  "config unset": `Removes any key of the file, including unknown ones. Prints the remaining
problems of the file; the exit code is 2 until ikigai can start.

  ikigai config unset screen.theme
`,
  "tool call": `KEY=TEXT       a text; or a number, true or false, if the parameter takes that
KEY:=JSON      any value: n:=3 hosts:='["a","b"]'
KEY[]=TEXT     an item of a list, once for each: tags[]=a tags[]=b
KEY[MEMBER]=TEXT
               a member of an object
KEY=@FILE      the content of a file, or of stdin: body=@-
               For a text that begins with @: name='\\@ada'

Or all of them as one JSON object; - reads it from stdin. ikigai tool call NAME
--help lists the parameters of a tool.

Prints the call's envelope, which a model would see, on one line; images and
visuals stay as the tool gave them. Exit code 0: the tool answered, even with
an error, 1: it gave no answer, 2: wrong arguments. The call belongs to no
session: ikigai tool log does not list it.

  ikigai tool call bash command='echo hello'
  ikigai tool call bash '{"command": "echo hello"}'
`,
  "tool path": `In the start-up file of your shell, ~/.bashrc, ~/.zshrc or config.fish:

  eval "$(ikigai tool path)"

Then your tools, and those of the trusted project where the shell starts, are
commands: the name with the words of ikigai tool call, or with options: --name
Ada, --verbose, --no-verbose. They print the result alone. A name that another
program has stays that program's; on a terminal, ikigai tool path lists those.
What you add later is there in the next shell.

  db_query sql='select 1' | jq
  db_query --sql 'select 1' --verbose
  db_query --help
`,
  "tool types": `Writes tools.mjs, its types tools.d.mts, and tools.py: a function for each of
your tools and those that ship, which runs ikigai tool call and returns the
result. A failed call is a ToolError with a code. Shows what it would write,
and asks. Run it again when your tools have changed.

  ikigai tool types --out lib
  import { hello } from "./lib/tools.mjs"; await hello({ name: "Ada" });
  from lib.tools import hello; hello(name="Ada")
`,
  "tool check": `Runs the tool. Makes real calls only if its schema declares readOnlyHint: true
and openWorldHint: false, with --call, or with --examples. PATH may also be the
name of a tool. A PATH is run even if it belongs to a project that you have not
trusted. Where the sandbox works, the calls are also made in it, with nothing
but what the schema says the tool needs.
`,
  "tool new": `Writes a plain tool: comments say what it does, and its output is the answer.
A tool in Go or TypeScript, or with --json, is a program with a schema, written
with a test; Go needs go, bash jq, TypeScript npm. Without NAME, or with --json
and no language, asks for it on a terminal. For a package that can be
published: npm create @ikigai/tool NAME -- --lang LANGUAGE

  ikigai tool new word-count
  ikigai tool new word-count --lang python --json
`,
  "tool eval": `An eval is a JSON file in the folder evals beside the tool:

  {"tool": "words", "task": "How many words has a.txt?",
    "files": {"a.txt": "one two"},
    "expect": {"answer": "2", "calls": ["words"]}}

"allow" has rules for other calls of the task. "expect" has one or more of:

  answer            a text in the model's answer
  files             files with their content; null: there is no such file
  calls, notCalls   names of tools that are called, or not called
  result            values in the tool's last result: {"matches.0.line": 3}
  check             {"command": "sh test.sh", "exitCode": 0}

Each run is a conversation in a new directory, with the tool and the rules of
"allow" permitted. Its commands and checks run as you: read evals of others
first, and use --sandbox. The interval is Wilson's, for 95 %. --record keeps
the passing runs in evals/recorded.json; --replay makes their calls again, so
that CI tests the tool, not the model. Exit code: 1 if a run does not pass.

A file may have several: {"tool": "words", "evals": {"NAME": {"task": …}}}

  ikigai tool eval grep --evals packages/grep-tool/evals --replay
  ikigai tool eval words --runs 20 --description "Count words in a file"
`,
  "tool wrap": `SOURCE is one of these. It is only read, unless the list says more:

  a shell script    with getopts, or options such as --force) in a case
  a Python script   with argparse or click
  a script for argc, by its comments
  package.json      each script becomes a tool: NAME_SCRIPT
  a Makefile        each target with a text after ##: NAME_TARGET
  a justfile        each recipe: NAME_RECIPE; runs just --dump, after a yes
  mise.toml         each task: NAME_TASK; runs mise tasks, after a yes
  usage.kdl         a usage spec, or a script with #USAGE comments
  OpenAPI 3         in JSON or YAML, each operation: NAME_OPERATION. The tool
                    needs Node; keys are variables that its @env names
  a file of SQL     with :name for sqlite3, or :'name' for psql

Another program becomes a tool that takes a list of arguments. The result is a
plain tool that you can edit: docs/plain-tools.md.

  ikigai tool wrap ./deploy.sh
  ikigai tool wrap package.json --name web --yes
  ikigai tool wrap petstore.yaml --only 'get*' --server https://example.com
`,
  "tool export": `AGENT is claude-code, codex, gemini, opencode, pi, amp, goose, zed or vscode;
mcp and openai-json print what other programs read; llm-functions takes scripts
for argc. The agent starts the tool's file itself, without ikigai's sandbox and
questions, so a change of the file counts there, too. --all leaves out the
tools that ship and those of MCP servers.

--check calls the tool once through claude-code, codex, gemini, opencode or pi:
the agent starts in an empty home and talks to a model of ikigai, never to a
server. The tool runs, so it asks first. --remove needs no tool of this name.

  ikigai tool export hello --to claude-code
  ikigai tool export hello --to codex --check --call '{"name": "Ada"}'
  ikigai tool export hello --to claude-code --remove
  ikigai tool export hello --to openai-json
`,
  "tool search": `Asks the registry of npm config get registry for packages with the keyword
ikigai-tool, without your login; without WORDS, for all. Shows at most 20, with
the downloads, if the registry counts them, and whether the author has recorded
that tool check passes. Fetches no package. Also searches the registries of
your configuration that are folders or git repositories. Exit code 1: nothing
found. More: docs/registry.md

  ikigai tool search weather
  npm_config_registry=https://npm.acme.example ikigai tool search weather
`,
  "tool add": `SOURCE is an npm package (@acme/weather-tool@1.2.0), a git repository
(https://host/x.git#v1, git@host:x, file:///x), a folder, a tarball made by npm
pack (./x.tgz), a file, or NAME:PACKAGE. Install scripts are not run. ikigai
shows what it fetched and what it would override, and asks. Only then does it
run --schema. It shows what the tool declares, and asks again if the tool needs
hosts, files or variables in the sandbox.
After ikigai config set registries.team github:acme/tools, or a folder,
team:words is words or packages/words in it; with npm:@acme/ it is @acme/words.
A package may also bring skills, hooks, commands and agents: folders with these
names, as below ~/.ikigai. They are used while no file of the package changes;
your own of the same name come first. With --project, they become links in the
project's .ikigai, and are used as its own: once you trust it.
`,
  "tool allow": `Only about the sandbox: elsewhere a tool has your rights. Your approval covers
the content of the tool's file and these needs; after a change ikigai asks
again.
`,
  "tool remove": `Asks before it removes a file that ikigai did not install, or the data that a
tool has stored in ~/.ikigai/data.
`,
  "tool log": `SESSION is an ID, the start of one, or the path of a session file.
Lists the calls of conversations and of ikigai mcp serve, not those of
ikigai tool call.
`,
  "mcp add": `Starts the server once, with your privileges, and shows each tool before
anything is written. It runs in its own data directory, so use absolute paths.
Values of --env are stored in ~/.ikigai/data/mcp-NAME, which only you can read.

--host, --read, --write and --env K count in the sandbox (ikigai --sandbox), in
which the server has nothing else. A remote server reaches its own host.

--from shows what each server of the file would start, before anything is
started.

  ikigai mcp add notes -- npx -y @me/notes-server ~/notes
  ikigai mcp add --from .mcp.json
`,
  "mcp update": `Starts the server and shows each tool that is new (+), removed (-) or changed
(~), with everything that the model sees of it. Fetches a server from npm
again, in the version that you named. Without NAME, updates all servers.
`,
  "mcp test": `TOOL is its name in ikigai or at the server. Permission rules do not apply to
the call. Exit code 0: the server has the tools that you added, and the call
succeeds, 1: its tools have changed, the call fails, or it cannot be started.

  ikigai mcp test notes --call search '{"query":"milk"}'
`,
  "hook test": `JSON has the arguments of the call, or for other events the fields that a hook
gets, such as {"prompt": "hello"}. No tool is called, and nothing is logged. A
project's hooks are run only if you trust it. Exit code 0: every hook answered,
1: a hook is broken.

  ikigai hook test before-call --tool bash '{"command":"git push --force"}'
`,
  "mcp serve": `Runs until the client closes stdin. stdout has only protocol messages. As with
-p, ikigai asks no questions: a call that needs permission is denied.
More: ikigai help mcp

  ikigai mcp serve --setup claude --allow 'bash(npm test*)'
`,
  replay: `CALL is the number in ikigai tool log, or the call's ID. Re-runs the
recorded tool, directory and limits in your current environment.
Exit code 0: the same result, 1: a different result or none.
`,
  init: `The model gets only the tools that read files inside the project. ikigai shows
what it would write, as a diff if AGENTS.md exists. With --model offline, there
is no language model: ikigai lists the commands of the build files and the top
level of the project.

  ikigai init --yes
`,
  completion: `  ~/.bashrc                     eval "$(ikigai completion bash)"
  ~/.zshrc                      eval "$(ikigai completion zsh)"
  ~/.config/fish/config.fish    ikigai completion fish | source

Packagers: install the output where the shell looks for completions.
`,
};
