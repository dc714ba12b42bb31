import { type CommandSyntax, usageOf } from "../args/option.ts";
import { UsageError } from "../args/usage-error.ts";

/**
 * The operands of a command, when they are as many as it takes.
 *
 * @throws UsageError when they are more or fewer.
 */
export function readOperands(operands: readonly string[], syntax: CommandSyntax): readonly string[] {
  const min = syntax.operands.filter(({ isOptional }) => !isOptional).length;
  const max = syntax.operands.some(({ isRepeated }) => isRepeated) ? Number.POSITIVE_INFINITY : syntax.operands.length;
  if (operands.length >= min && operands.length <= max) return operands;
  const got = operands.length === 0 ? "nothing" : operands.map((operand) => JSON.stringify(operand)).join(" ");
  throw new UsageError(`Expected ${usageOf(syntax)}, got ${got} at the end.`);
}
