/** What a shell offers for a value. What is not one of these is offered nothing. */
export type Completion =
  | "call"
  | "check"
  | "directory"
  | "file"
  | "installed"
  | "model"
  | "rule"
  | "session"
  | "setting"
  | "tool"
  | "tool-file"
  | "topic";

/** An option of a command line; `value` names what it takes, in capitals for people. */
export interface Option {
  readonly short?: string;
  readonly value?: string;
  readonly repeated?: boolean;
  /** The command does not work without it. */
  readonly required?: boolean;
  /** The value may be left out. */
  readonly valueOptional?: boolean;
  /** The only values there are. */
  readonly oneOf?: readonly string[];
  readonly completes?: Completion;
  readonly summary: string;
}

export type Options = Readonly<Record<string, Option>>;

/** What a command takes beside its options. */
export interface Operand {
  /** In capitals for people, for instance `NAME`. */
  readonly name: string;
  readonly isOptional?: boolean;
  /** It may stand there any number of times. */
  readonly isRepeated?: boolean;
  /** What a shell offers; it may be something else. */
  readonly oneOf?: readonly string[];
  readonly completes?: Completion;
}

/** A subcommand: the one description that its reading, its help, its completion and its manual are made of. */
export interface CommandSyntax {
  /** What is typed, without `ikigai`: `tool list`. */
  readonly name: string;
  readonly summary: string;
  readonly operands: readonly Operand[];
  readonly options: Options;
}

/** How a command is called, in one line. */
export function usageOf(syntax: CommandSyntax): string {
  return usageParts(syntax).join(" ");
}

/** The same in parts that belong together. */
export function usageParts({ name, operands, options }: CommandSyntax): string[] {
  const given = operands.map(({ name: operand, isOptional, isRepeated }) => {
    const text = isRepeated ? `${operand}...` : operand;
    return isOptional ? `[${text}]` : text;
  });
  const optional = Object.entries(options).map(([option, { required, ...rest }]) => {
    const text = spelled(option, rest);
    return required ? text : `[${text}]`;
  });
  return [`ikigai ${name}`, ...given, ...optional];
}

/** An option with its value, as it is typed. */
export function spelled(
  name: string,
  { value, oneOf, valueOptional }: Pick<Option, "value" | "oneOf" | "valueOptional">,
) {
  if (value === undefined) return `--${name}`;
  const text = oneOf?.join("|") ?? value;
  return `--${name} ${valueOptional ? `[${text}]` : text}`;
}
