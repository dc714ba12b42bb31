export interface SystemPromptOptions {
  readonly cwd: string;
  /** Today, for the model. */
  readonly date: Date;
}

/** What the model is told before everything else, with the project's AGENTS.md, or CLAUDE.md where there is none. */
export declare function systemPrompt(options: SystemPromptOptions): string;
