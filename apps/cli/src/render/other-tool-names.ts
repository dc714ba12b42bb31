/** What Claude Code, Codex, Gemini CLI, opencode and pi call tools that ship with ikigai, without case, `-` and `_`. */
const otherToolNames: Readonly<Record<string, readonly string[]>> = {
  file_read: ["read", "readfile", "readmanyfiles"],
  file_write: ["write", "writefile"],
  file_edit: ["edit", "multiedit", "notebookedit", "applypatch", "patch", "replace"],
  bash: ["bash", "shell", "localshell", "execcommand", "runshellcommand"],
  glob: ["glob", "find", "ls", "list", "listdirectory"],
  grep: ["grep", "searchfilecontent"],
  web_fetch: ["webfetch", "fetch"],
  web_search: ["websearch", "googlewebsearch"],
  ask_user: ["askuser", "askuserquestion", "requestuserinput", "question"],
  todo: ["todo", "todowrite", "todoread", "writetodos", "updateplan"],
};

/** The tool of ikigai's that another agent's name for a tool means. */
export function toolMeant(name: string): string | undefined {
  const plain = name.toLowerCase().replace(/[-_]/g, "");
  return Object.keys(otherToolNames).find((tool) => otherToolNames[tool]?.includes(plain));
}
