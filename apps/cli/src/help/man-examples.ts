/** Command lines for the manual, each with what it does. */
export const manExamples = [
  ["ikigai", "Start a conversation about the working directory"],
  ['ikigai "why does the build fail?"', "Start one with a first message"],
  [
    "ikigai -p \"run the tests and fix what fails\" --allow 'bash(npm *)' --allow file_edit",
    "Do one task without questions; calls that no rule allows are denied",
  ],
  ['git diff | ikigai -p "review this"', "Add piped input to the prompt"],
  ["ikigai --continue", "Continue this directory's last session"],
  ["ikigai init", "Write AGENTS.md for the project"],
  ["ikigai tool new word-count --lang python", "Write a tool, to start from"],
  ['ikigai tool call bash \'{"command": "date"}\'', "Call a tool as a model would"],
  ["ikigai tool log", "List the calls of this directory's last session as shell lines"],
] as const;
