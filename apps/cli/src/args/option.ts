/** What a shell completes a value with; without one of these, nothing. */
export type Completion =
  | "call"
  | "check"
  | "directory"
  | "file"
  | "installed"
  | "mcp-server"
  | "mcp-tool"
  | "model"
  | "model-provider"
  | "provider"
  | "rule"
  | "session"
  | "setting"
  | "tool"
  | "tool-file"
  | "topic";

/** An option of a command line; `value` names its value, in capitals. */
export interface Option {
  readonly short?: string;
  readonly value?: string;
  readonly repeated?: boolean;
  /** The value may be omitted. */
  readonly valueOptional?: boolean;
  /** The only valid values. */
  readonly oneOf?: readonly string[];
  readonly completes?: Completion;
  readonly summary: string;
}

export type Options = Readonly<Record<string, Option>>;

/** A positional argument of a command. */
export interface Operand {
  /** In capitals, for example `NAME`. */
  readonly name: string;
  readonly isOptional?: boolean;
  /** It may be repeated. */
  readonly isRepeated?: boolean;
  /** Values that a shell offers; others are valid too. */
  readonly oneOf?: readonly string[];
  readonly completes?: Completion;
}

/** A subcommand: the single source of its parser, help, completion and manual. */
export interface CommandSyntax {
  /** The words after `ikigai`: `tool list`. */
  readonly name: string;
  readonly summary: string;
  readonly operands: readonly Operand[];
  readonly options: Options;
}

/** The usage of a command, on one line. */
export function usageOf(syntax: CommandSyntax): string {
  return usageParts(syntax).join(" ");
}

/** The usage, split into parts that stay on one line. */
export function usageParts({ name, operands, options }: CommandSyntax): string[] {
  const given = operands.map(({ name: operand, isOptional, isRepeated }) => {
    const text = isRepeated ? `${operand}...` : operand;
    return isOptional ? `[${text}]` : text;
  });
  const optional = Object.entries(options).map(([option, syntax]) => `[${spelled(option, syntax)}]`);
  return [`ikigai ${name}`, ...given, ...optional];
}

/** An option with its value, as the user types it. */
export function spelled(
  name: string,
  { value, oneOf, valueOptional }: Pick<Option, "value" | "oneOf" | "valueOptional">,
) {
  if (value === undefined) return `--${name}`;
  const text = oneOf?.join("|") ?? value;
  return `--${name} ${valueOptional ? `[${text}]` : text}`;
}
