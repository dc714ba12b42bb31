import { UsageError } from "../usage-error.ts";

/**
 * The operands of a command, when they are as many as it takes.
 *
 * @throws UsageError when they are more or fewer.
 */
export function readOperands(
  operands: readonly string[],
  { usage, min = 0, max = min }: { usage: string; min?: number; max?: number },
): readonly string[] {
  if (operands.length >= min && operands.length <= max) return operands;
  const got = operands.length === 0 ? "nothing" : operands.map((operand) => JSON.stringify(operand)).join(" ");
  throw new UsageError(`Expected ikigai ${usage}, got ${got} at the end.`);
}
