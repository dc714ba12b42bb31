import type { ToolRoot } from "@ikigai/tool-packages";
import type { CommandContext } from "../command.ts";

/** What is to be installed, for whom. */
export interface InstallRequest extends CommandContext {
  /** As the user wrote it. */
  readonly source: string;
  /** What the only tool is to be called. */
  readonly as?: string | undefined;
  readonly root: ToolRoot;
  /** The user has said yes already. */
  readonly isAllowed: boolean;
  /** Only to be shown. */
  readonly isDryRun: boolean;
  /** Under which name it was added, when it is to be brought up to date. */
  readonly updates?: string;
  /** What is fetched instead of the source, which is still what is written down: what is there has been changed or lost. */
  readonly repairs?: string;
}
