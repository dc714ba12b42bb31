import { Alphabet } from "./alphabet.ts";
import { BackReferenceMatcher } from "./back-reference-matcher.ts";
import { assembleWithGroups } from "./back-reference-program.ts";
import { findLiterals } from "./find-literals.ts";
import { LazyDfa } from "./lazy-dfa.ts";
import { LineScanner } from "./line-scanner.ts";
import { parse } from "./parser.ts";
import { assemble, type Program } from "./program.ts";
import { requiredLiterals } from "./required-literals.ts";
import { createSearch, type Search, type Test } from "./search.ts";
import { trim, withoutGroups } from "./simplify.ts";

/** How a pattern is read. */
export interface CompileOptions {
  /** Whether case does not matter; it does unless told. */
  readonly ignoreCase?: boolean;
}

/** A pattern, ready to search with. Not for use by two threads at once. */
export interface Regex {
  readonly test: Test;
  readonly search: Search;
}

/**
 * Compiles a pattern as glibc's `regcomp(REG_EXTENDED)` reads it in a UTF-8 locale.
 *
 * @throws PatternError when it is none, with glibc's message.
 */
export function compile(pattern: string, { ignoreCase = false }: CompileOptions = {}): Regex {
  const { tree, referenced } = parse(pattern, ignoreCase);
  const simple = trim(withoutGroups(tree));
  const program = assemble(simple);
  let made: LineScanner | undefined;
  // A pattern that is a text never needs it.
  const scanner = () => {
    made ??= createScanner(program, ignoreCase);
    return made;
  };
  const literals = requiredLiterals(simple, ignoreCase);
  const finds = literals.flatMap(({ texts }) => findLiterals(texts, ignoreCase) ?? []);
  const matcher =
    referenced.size > 0 ? new BackReferenceMatcher(assembleWithGroups(tree, referenced), ignoreCase) : undefined;
  const test: Test = (bytes, from = 0, to = bytes.length) =>
    scanner().test(bytes, from, to) && (matcher?.test(bytes, from, to) ?? true);
  const isExact = matcher === undefined;
  const scan: Search = (bytes, from = 0, to = bytes.length) => scanner().search(bytes, from, to);
  const areFoundWhole = isExact && literals[0]?.areWhole === true;
  return { test, search: createSearch({ scan, finds, areFoundWhole, test, isExact }) };
}

function createScanner(program: Program, ignoreCase: boolean): LineScanner {
  const seesWords = program.assertions.some((assertion) => assertion !== "line-start" && assertion !== "line-end");
  const alphabet = new Alphabet(program.sets, { ignoreCase, seesWords });
  return new LineScanner(new LazyDfa(program, alphabet), alphabet);
}
