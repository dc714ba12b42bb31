/** What `ikigai --help` prints. */
export const help = `ikigai: a terminal coding agent whose every tool is an external executable.

Usage:
  ikigai [OPTIONS]                    talk to it
  ikigai -p "PROMPT" [OPTIONS]        do one task and print the answer; what is piped in is added to the prompt
  ikigai tool list [--json]           the tools, and those that could not be loaded
  ikigai tool show NAME               a tool's path and schema
  ikigai tool call NAME [JSON | -]    call a tool as a model would; - reads the arguments from stdin
  ikigai tool check PATH              test whether an executable keeps to the protocol
  ikigai tool new NAME --lang LANG    write a tool with its test: bash, python, node, typescript, go (--project, --dir DIR)
  ikigai tool add SOURCE [--project]  add tools from npm, a git repository, a folder or a file: shown first, then asked
  ikigai tool update [NAME]           fetch them again and show what changes; --project for those of the project
  ikigai tool remove NAME             remove them (--yes answers every question of these three)
  ikigai tool log [--json] [SESSION]  the calls of a session (the last one), each as the shell line that repeats it
  ikigai replay CALL                  make one of them again and compare (--session SESSION, --yes, --json)
  ikigai trust [DIR]                  let the tools of a project run (--show: what they are, --revoke: no more)
  ikigai doctor                       what is set up, and what is wrong

Options:
  -p, --print                         one task, no questions: what is not allowed is refused
  --output-format text|json|stream-json
                                      what -p prints (default: text)
  --model PROVIDER/MODEL              anthropic, openai, google, openai-compatible or offline
  --max-turns N                       how many requests one task may take
  --permission-mode ask|allow|deny    what happens to a call that no rule decides (default: ask)
  --allow RULE                        allow a call without a question: bash, or "bash(npm test*)"; can be repeated
  --replay SESSION                    with -p: give the recorded answers and results again, and run nothing;
                                      with --model, ask that model and give it the recorded results
  -c, --continue                      go on with the last session of this directory
  --resume [ID]                       go on with a session; without an ID: choose one
  --fork                              with one of these: go on with a copy
  --sandbox                           tools can change the project only, and have no network
  --sandbox-network                   the same, with the network
  --plain                             lines instead of the full screen
  -h, --help    -v, --version

Exit codes: 0 done, 1 failed, 2 wrong usage, 130 interrupted.
Configuration: ~/.ikigai/config.json    Tools: ~/.ikigai/tools, .ikigai/tools    Sessions: ~/.ikigai/sessions
`;
