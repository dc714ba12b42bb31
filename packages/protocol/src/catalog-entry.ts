/** One line of the catalog, the file that `IKIGAI_CATALOG` names: a tool or a skill that a model can load. */
export interface CatalogEntry {
  /** What it is. */
  readonly kind: "tool" | "skill";
  /** Its name. A tool and a skill may have the same one. */
  readonly name: string;
  /** What it does. */
  readonly description: string;
  /** The names of a tool's parameters. */
  readonly parameters?: readonly string[];
  /** A skill's `SKILL.md`. */
  readonly path?: string;
  /** SHA-256 of that file as the user approved it, in hexadecimal; for a project's skill. */
  readonly sha256?: string;
  /** The tools that come with a skill. */
  readonly introduces?: readonly string[];
}
