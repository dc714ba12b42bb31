import { findTool, nearestName, renderFailure, trustStatus } from "@ikigai/core";
import { chooseModel } from "../open-agent.ts";
import { renderTool, renderToolList } from "../screen/render-tool.ts";
import { sanitise, sanitiseLine } from "../screen/sanitise.ts";
import { offerTrust } from "./offer-trust.ts";
import type { SlashCommand } from "./slash-command.ts";

const tool: SlashCommand = {
  name: "tool",
  parameters: "[NAME]",
  summary: "list the tools, or show one",
  async run([wanted], { agent, screen, env }) {
    const registry = await agent.toolbox.current();
    if (wanted === undefined) return screen.print(renderToolList(registry, env));
    const found = findTool(registry, wanted);
    if (found) return screen.print(renderTool(found, env));
    const meant = nearestName(registry, wanted);
    screen.print(`Tool not found: ${sanitiseLine(wanted)}${meant ? `. Did you mean ${meant}?` : ""}\n`);
  },
};

const refresh: SlashCommand = {
  name: "refresh",
  summary: "look for tools again",
  async run(_args, { agent, screen, seenFailures }) {
    const { tools, failed } = await agent.toolbox.refresh();
    screen.print(`Tool registry refreshed: ${tools.length} tools loaded\n`);
    for (const failure of failed) {
      seenFailures.add(`${failure.path}\n${failure.reason}`);
      screen.print(screen.style.dim(`${sanitiseLine(renderFailure(failure))}: ${sanitiseLine(failure.detail)}\n`));
    }
  },
};

const model: SlashCommand = {
  name: "model",
  parameters: "[PROVIDER/MODEL]",
  summary: "show the model, or go on with another one",
  async run([wanted], { agent, screen, env }) {
    if (wanted !== undefined) {
      const chosen = await chooseModel(agent.config, wanted, env, agent.places.projectDir);
      if (chosen === undefined) return;
      agent.model = chosen;
    }
    const { id, notice } = agent.model;
    screen.print(`Model: ${sanitiseLine(id)}\n${notice ? `${sanitise(notice)}\n` : ""}`);
  },
};

const trust: SlashCommand = {
  name: "trust",
  summary: "look at what the project brings, and let it run or not",
  async run(_args, session) {
    const { agent, screen, isTerminal } = session;
    const { status } = await trustStatus(agent.places);
    if (status === "nothing") return screen.print("There is nothing to trust: the project has no .ikigai directory.\n");
    if (status === "trusted") return screen.print("The project is trusted. To take that back: ikigai trust --revoke\n");
    if (!isTerminal) return screen.print("There is nobody to ask here. Run: ikigai trust\n");
    await offerTrust(session);
  },
};

const help: SlashCommand = {
  name: "help",
  summary: "this list",
  run(_args, { screen }) {
    const rows = slashCommands.map(({ name, parameters = "", summary }) => [`/${name} ${parameters}`, summary]);
    const keys = [
      ["!command", "run a command yourself; the model sees what came with your next message"],
      ["\\ at a line's end", "go on in the next line"],
      ["Ctrl-C", "stop what is going on; twice at an empty prompt: quit"],
      ["Ctrl-D", "quit"],
    ];
    for (const [what = "", meaning = ""] of [...rows, ...keys]) screen.print(`  ${what.padEnd(26)} ${meaning}\n`);
  },
};

const quit: SlashCommand = {
  name: "quit",
  summary: "leave; the session is kept",
  async run() {
    return "quit" as const;
  },
};

/** All of them, in the order of the help. */
export const slashCommands: readonly SlashCommand[] = [tool, refresh, model, trust, help, quit];
