import { findInstructions } from "../project/find-instructions.ts";
import { existingDirectory } from "./check-options.ts";
import { assembleAgent } from "./create-agent.ts";
import { installedTools } from "./installed-tools.ts";
import { checkQueryOptions } from "./option-types.ts";
import type { QueryEvent } from "./query-event.ts";
import type { QueryOptions } from "./query-options.ts";
import { eventLine, type Report, record, resultLine, sessionLine } from "./stream-json.ts";

/**
 * Does one task; yields exactly the objects that `ikigai -p --output-format stream-json` prints, `session` first and `result`
 * last. Failures of models, tools and networks are in `result`. Leaving the loop stops the task and waits until none of it
 * runs.
 *
 * @throws AgentError, ModelError `configuration` or ConfigError before the first event; `invalid_option` also if there is
 * neither an installed command nor `toolPath`.
 */
export async function* query(options: QueryOptions): AsyncGenerator<QueryEvent, void, undefined> {
  checkQueryOptions(options);
  const { prompt, signal, cwd, model, outputSchema, resume: session, maxTurns: maxSteps } = options;
  const { agent, context } = await assembleAgent(
    {
      toolsDir: toolsOf(options),
      permission: permissionOf(options),
      ...(cwd !== undefined && { cwd }),
      ...(model !== undefined && { model }),
      ...(outputSchema !== undefined && { outputSchema }),
      ...(session !== undefined && { session }),
      ...(maxSteps !== undefined && { maxSteps }),
    },
    (rule) => `${JSON.stringify(rule)} in allow`,
  );
  try {
    const { conversation, permission } = context;
    const { files } = findInstructions(permission.projectDir, permission.home);
    const instructions = files.map(({ path }) => path);
    yield parse(sessionLine({ sessionId: agent.sessionId, model: agent.modelId, cwd: conversation.cwd, instructions }));
    const report: Report = { sessionId: agent.sessionId, calls: new Map() };
    for await (const event of agent.run(prompt, signal && { signal })) {
      record(report, event);
      yield parse(event.type === "turn_end" ? resultLine(report, event) : eventLine(event));
    }
  } finally {
    await agent.close();
  }
}

function toolsOf({ toolPath }: QueryOptions): string {
  return toolPath === undefined ? installedTools(process.env) : existingDirectory("toolPath", toolPath);
}

function permissionOf({ allow = [], permissionMode: mode, ask }: QueryOptions) {
  const rules = allow.map((rule) => ({ verdict: "allow" as const, rule }));
  return { rules, ...(mode && { mode }), ...(ask && { ask }) };
}

/** The lines are the only source of the objects, so both cannot differ. */
function parse(line: string): QueryEvent {
  return JSON.parse(line);
}
