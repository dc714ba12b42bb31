import type { CommandName } from "../args/commands.ts";

/** What there is to say of a command beside its summary and its options. */
export const details: Readonly<Partial<Record<CommandName, string>>> = {
  "tool call": `The arguments are a JSON object; {} if there are none. What is printed is what
a model would see, on one line. Exit code 0: the tool did its work, 1: it did
not.

  ikigai tool call bash '{"command": "echo hello"}'
`,
  "tool check": `The tool is run. It is called for real only if its schema says readOnlyHint:
true and openWorldHint: false, or with what --call gives it. The name of a tool
will do for its path.
`,
  "tool new": `A tool in Go needs go, one in bash jq, one in TypeScript npm. For a package that
can be published: npm create @ikigai/tool NAME -- --lang LANGUAGE

  ikigai tool new word-count --lang python
`,
  "tool add": `SOURCE is a package of npm (@acme/weather-tool@1.2.0), a git repository
(https://host/x.git#v1, git@host:x, file:///x), a folder, an archive (./x.tgz)
or a file. Install scripts are not run. It says what came, runs --schema, shows
what the tool says of itself and what it would override, and then asks.
`,
  "tool remove": `A file that was not added by ikigai is removed only after a question.
`,
  "tool log": `SESSION is an id, the beginning of one, or the path of a session's file.
`,
  replay: `CALL is the number in ikigai tool log, or the call's id. The tool of then is
run in the directory of then, with the limits of then, and your environment of
now.
Exit code 0: the same result, 1: another one, or none.
`,
  completion: `  ~/.bashrc                     eval "$(ikigai completion bash)"
  ~/.zshrc                      eval "$(ikigai completion zsh)"
  ~/.config/fish/config.fish    ikigai completion fish | source

Packagers put the output where their shells look for it.
`,
};
