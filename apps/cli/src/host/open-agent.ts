import {
  type AgentContext,
  findInstructions,
  loadConfig,
  openContext,
  type PermissionRule,
  type Places,
  renderConfigProblem,
  ruleProblem,
  secretsOf,
  toolRules,
} from "@ikigai/agent/internal";
import { beforeExit } from "@ikigai/system";
import type { SessionFlags } from "../args/parse-argv.ts";
import { UsageError } from "../args/usage-error.ts";
import { openConversation } from "./open-conversation.ts";
import { findPlaces } from "./places.ts";
import { privacyNotices } from "./privacy-notices.ts";
import { sandboxNotices } from "./tool-rules.ts";

/** Everything that one conversation needs, put together from the command line, the configuration and the environment. */
export interface Agent extends AgentContext {
  readonly places: Places;
  /** What the user should know before the first message, a line each. */
  readonly notices: readonly string[];
  /** Which files of instructions the model was told when ikigai started. */
  readonly instructions: readonly string[];
}

/**
 * Puts an agent together. Its tools are being looked for when this returns; its model is a matter of `chooseModel`.
 *
 * @throws UsageError when a rule on the command line is invalid, or the session does not exist.
 */
export function openAgent(flags: SessionFlags, given: NodeJS.ProcessEnv): Agent {
  // Every call copies it, and of the process's own each variable is asked of the system again.
  const env = { ...given };
  const places = findPlaces(env);
  const { home, projectDir } = places;
  const { config, problems } = loadConfig(home);
  const rules = toolRules(config, places, flags);
  const secrets = secretsOf(config, env);
  const notices: string[] = [];
  const context = openContext({
    places,
    env,
    config,
    rules,
    permission: { mode: flags.permissionMode, rules: allowRules(flags) },
    secrets,
    maxSteps: flags.maxTurns,
    openConversation() {
      const opened = openConversation(flags, { home, cwd: projectDir, secrets });
      notices.push(...opened.notices);
      return opened.conversation;
    },
  });
  beforeExit(() => context.toolbox.close());
  const { problem } = context.conversation.log;
  const { files, refused } = findInstructions(projectDir, home);
  const agent: Agent = {
    ...context,
    places,
    instructions: files.map(({ path }) => path),
    notices: [
      ...problems.map(renderConfigProblem),
      ...privacyNotices(home),
      ...refused,
      ...notices,
      ...sandboxNotices(rules),
      ...(problem === undefined ? [] : [problem]),
    ],
  };
  beforeExit(() => agent.conversation.log.close(), { isLast: true });
  return agent;
}

/** What `--allow` allows. */
function allowRules({ allow }: SessionFlags): PermissionRule[] {
  return allow.map((rule) => {
    const problem = ruleProblem(rule);
    if (problem) throw new UsageError(`--allow ${JSON.stringify(rule)} is not a rule: ${problem.message}`);
    return { verdict: "allow", rule };
  });
}
