/**
 * What in a program of `awk` may run programs, write or read other files, or tell the environment. It is looked for everywhere, also in
 * strings and patterns, since telling those apart from code is what an attack would begin with.
 */
const doesMore = /system|getline|close|fflush|ENVIRON|ARG|SYMTAB|FUNCTAB|PROCINFO|[@`]/;

/** Whether a program of `awk` only reads what it is given. */
export function isReadingAwkProgram(program: string): boolean {
  const withoutOr = program.replaceAll("||", " ");
  if (doesMore.test(program) || withoutOr.includes("|")) return false;
  // `print > file`; without a `print`, and in `>=`, it compares.
  return !/>(?!=)/.test(program) || !program.includes("print");
}

/** What in a program of `jq` tells the environment or reads modules. */
const jqDoesMore = /env|ENV|import|include|modulemeta|library|input_filename|\bdebug\b/;

/** Whether a program of `jq` only reads what it is given. */
export function isReadingJqProgram(program: string): boolean {
  return !jqDoesMore.test(program);
}
