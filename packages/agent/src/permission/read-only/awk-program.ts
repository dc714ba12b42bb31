/**
 * Matches what an `awk` program needs to run programs, write or read other files, or read the environment. Also matches
 * inside strings and patterns, since telling those from code is where an attack would start.
 */
const doesMore = /system|extension|getline|close|fflush|ENVIRON|ARG|SYMTAB|FUNCTAB|PROCINFO|[@`]/;

/** Whether an `awk` program only reads its input. */
export function isReadingAwkProgram(program: string): boolean {
  const withoutOr = program.replaceAll("||", " ");
  if (doesMore.test(program) || withoutOr.includes("|")) return false;
  // `print > file`; without a `print`, and in `>=`, it is a comparison.
  return !/>(?!=)/.test(program) || !program.includes("print");
}

/** Matches what a `jq` program needs to read the environment or modules. */
const jqDoesMore = /env|ENV|import|include|modulemeta|library|input_filename|\bdebug\b/;

/** Whether a `jq` program only reads its input. */
export function isReadingJqProgram(program: string): boolean {
  return !jqDoesMore.test(program);
}
