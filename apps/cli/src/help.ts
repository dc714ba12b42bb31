/** What `ikigai --help` prints. */
export const help = `ikigai: a terminal coding agent whose every tool is an external executable

  ikigai                          open the REPL
  ikigai -p "prompt"              do one task without a terminal; stdin, if piped, is added to the prompt
    --output-format FORMAT          text (the answer), json (one object), stream-json (an event a line)
    --max-turns N                   how many requests to the model the task may take
  ikigai tool list [--json]       the tools, where they come from, and which failed
  ikigai tool show NAME           a tool's path and schema
  ikigai tool call NAME [JSON|-]  call a tool as a model would; "-" reads the arguments from stdin
  ikigai tool check PATH          whether an executable keeps the protocol
  ikigai trust [DIR]              let a project's tools run; --show says what is there, --revoke takes it back
  ikigai doctor                   what works, what does not, and what to do about it

  --model PROVIDER/MODEL          for the REPL and -p: anthropic, openai, google, openai-compatible, offline
  --permission-mode MODE          ask (the default), allow or deny what no rule decides
  --allow RULE                    allow without asking, e.g. bash or "bash(git status*)"; may be repeated
  --plain                         the line-oriented REPL, as for dumb terminals
  --help, --version

A tool is an executable ending in "-tool" in ~/.ikigai/tools or, trusted, .ikigai/tools.
Exit codes: 0 done, 1 failed, 2 usage, 130 interrupted.
`;
