// Compiles a pattern: parser, syntax tree, program, automaton (lazy-dfa), and a search for literals in front of it (literals, search).
// Back-references are matched on their own, in lines that the automaton accepts without them.
import { assembleWithGroups, BackReferenceMatcher } from "./back-references.ts";
import { LazyDfa, LineScanner } from "./lazy-dfa.ts";
import { type FindLiterals, findLiterals, requiredLiterals } from "./literals.ts";
import { parse } from "./parser.ts";
import { Alphabet, assemble, type Program } from "./program.ts";
import { createLocate, createSearch, type Locate, type Search, type Test } from "./search.ts";
import { trim, withoutGroups } from "./syntax-tree.ts";

export type { FindLiteral, FindLiterals } from "./literals.ts";
export { PatternError, type PatternErrorCode } from "./pattern-error.ts";

/** Options of `compile`. */
export interface CompileOptions {
  /** Ignores case. Default: false. */
  readonly ignoreCase?: boolean;
  /** Creates the searches for literals, where it returns one. For callers with a faster one for the buffers they search. */
  readonly findLiterals?: FindLiterals;
}

/** A compiled pattern. It keeps state, so it must not be shared between threads. */
export interface Regex {
  /** Tests a single line. */
  readonly test: Test;
  /** Searches a buffer of many lines. */
  readonly search: Search;
  /** Finds a match in a line. */
  readonly locate: Locate;
}

/**
 * Compiles an extended regular expression as glibc's `regcomp(REG_EXTENDED)` reads it in a UTF-8 locale.
 *
 * @throws PatternError if it is invalid, with glibc's message and POSIX's code.
 */
export function compile(pattern: string, { ignoreCase = false, ...options }: CompileOptions = {}): Regex {
  const { tree, referenced } = parse(pattern, ignoreCase);
  const simple = trim(withoutGroups(tree));
  const program = assemble(simple);
  let made: LineScanner | undefined;
  // Created on demand: a literal pattern does not need it.
  const scanner = () => {
    made ??= createScanner(program, ignoreCase);
    return made;
  };
  const literals = requiredLiterals(simple, ignoreCase);
  const finds = literals.flatMap(
    ({ texts }) => options.findLiterals?.(texts, ignoreCase) ?? findLiterals(texts, ignoreCase) ?? [],
  );
  const matcher =
    referenced.size > 0 ? new BackReferenceMatcher(assembleWithGroups(tree, referenced), ignoreCase) : undefined;
  const test: Test = (bytes, from = 0, to = bytes.length) =>
    scanner().test(bytes, from, to) && (matcher?.test(bytes, from, to) ?? true);
  const isExact = matcher === undefined;
  const scan: Search = (bytes, from = 0, to = bytes.length) => scanner().search(bytes, from, to);
  const areFoundWhole = isExact && literals[0]?.areWhole === true;
  const search = createSearch({ scan, finds, areFoundWhole, test, isExact });
  return { test, search, locate: createLocate(scan, test, isExact) };
}

function createScanner(program: Program, ignoreCase: boolean): LineScanner {
  const seesWords = program.assertions.some((assertion) => assertion !== "line-start" && assertion !== "line-end");
  const alphabet = new Alphabet(program.sets, { ignoreCase, seesWords });
  return new LineScanner(new LazyDfa(program, alphabet), alphabet);
}
