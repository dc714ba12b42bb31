import { describe, expect, test } from "vitest";
import { loadableParts, sentTools } from "../src/turn/sent-tools.ts";
import { promptText } from "../src/turn/system-prompt.ts";
import { loader, registryOf, skillNamed, toolWith, userTools } from "./many-tools.ts";

const core = ["bash", "file_read"].map((name) => toolWith(name, { scope: "system" }));
const nothing = { introduced: [] };
const loadableText = (...args: Parameters<typeof loadableParts>) => promptText(loadableParts(...args));
const unknown = () => undefined;

const namesOf = (tools: readonly { readonly name: string }[]) => tools.map(({ name }) => name);

describe("which tools are sent", () => {
  test.each([40, 41])("all of 40 and not of 41 (%i)", (count) => {
    const tools = [...core, loader, ...userTools(count - 3)];
    const sent = namesOf(sentTools(registryOf(tools), nothing, unknown));
    expect(sent).toEqual(
      count === 40
        ? namesOf(tools)
            .filter((name) => name !== "load")
            .sort()
        : ["bash", "file_read", "load"],
    );
  });

  test("all while they take at most 8 % of the window", () => {
    // As many characters as 8 % of a window of 10,000 tokens.
    const room = 10_000 * 0.08 * 3.6;
    const others = [...core, loader, toolWith("t", { length: 0 })];
    const used = others.reduce(
      (sum, { name, schema }) =>
        sum + name.length + schema.description.length + JSON.stringify(schema.parameters).length,
      0,
    );
    const sent = (length: number) =>
      namesOf(sentTools(registryOf([...core, loader, toolWith("t", { length })]), nothing, () => 10_000));
    expect(sent(room - used)).toEqual(["bash", "file_read", "t"]);
    expect(sent(room - used + 1)).toEqual(["bash", "file_read", "load"]);
  });

  test("does not look up the window for the system's tools alone, or for more than 40", () => {
    const never = () => {
      throw new Error("The window was looked up.");
    };
    expect(sentTools(registryOf([...core, loader]), nothing, never)).toHaveLength(2);
    expect(sentTools(registryOf([...core, loader, ...userTools(500)]), nothing, never)).toHaveLength(3);
  });

  test("load only if there is something to load", () => {
    const few = [...core, loader];
    expect(namesOf(sentTools(registryOf(few), nothing, unknown))).not.toContain("load");
    expect(namesOf(sentTools(registryOf(few, [skillNamed("db")]), nothing, unknown))).toContain("load");
    const script = toolWith("script", { skill: "db" });
    expect(namesOf(sentTools(registryOf([...few, script]), nothing, unknown))).toEqual(["bash", "file_read", "load"]);
  });

  test("tools that ask for it, and introduced ones at the end in their order", () => {
    const tools = [...core, loader, ...userTools(100), toolWith("always", { ikigai: { defer: false } })];
    const introduced = ["t0042", "gone", "t0007", "always"];
    expect(namesOf(sentTools(registryOf(tools), { introduced }, unknown))).toEqual([
      ...["always", "bash", "file_read", "load"],
      ...["t0042", "t0007"],
    ]);
  });

  test("a project's tool does not count as one that loads", () => {
    const own = toolWith("load", { scope: "project", ikigai: { catalog: true } });
    expect(sentTools(registryOf([...core, own, ...userTools(60)]), nothing, unknown)).toHaveLength(63);
  });

  test.each([128, 129, 5_000])("at most 128 of %i that cannot be loaded, the system's first", (count) => {
    const sent = namesOf(sentTools(registryOf([...userTools(count - 2), ...core]), nothing, unknown));
    expect(sent).toHaveLength(128);
    expect(sent).toEqual(expect.arrayContaining(["bash", "file_read"]));
  });

  test("at most 128 with those that were introduced: the newest", () => {
    const tools = userTools(500);
    const introduced = namesOf(tools.slice(0, 200));
    const sent = namesOf(sentTools(registryOf([...core, loader, ...tools]), { introduced }, unknown));
    expect(sent).toEqual(["bash", "file_read", "load", ...introduced.slice(-125)]);
  });

  test("at most 128 if all ask for it; introduced ones go before them", () => {
    const asking = userTools(300, { ikigai: { defer: false } });
    const registry = registryOf([...core, loader, ...asking]);
    expect(sentTools(registry, nothing, unknown)).toHaveLength(128);
    const sent = namesOf(sentTools(registry, { introduced: ["t0299"] }, unknown));
    expect([sent.length, sent.at(-1), sent[0]]).toEqual([128, "t0299", "bash"]);
  });

  test("the system's tools, if 200 of the user's load others; and what these introduce", () => {
    const loaders = userTools(200, { ikigai: { catalog: true } });
    const registry = registryOf([...core, loader, ...loaders, toolWith("x")]);
    expect(namesOf(sentTools(registry, nothing, unknown))).toEqual(
      expect.arrayContaining(["bash", "file_read", "load"]),
    );
    expect(namesOf(sentTools(registry, { introduced: ["x"] }, unknown)).at(-1)).toBe("x");
  });

  test.each([{ catalog: true }, { defer: false }])("no script of a skill with %j before it is introduced", (ikigai) => {
    const script = toolWith("script", { skill: "db", ikigai });
    const sent = (tools: Parameters<typeof registryOf>[0], introduced: string[] = []) =>
      namesOf(sentTools(registryOf(tools, [skillNamed("db")]), { introduced }, unknown));
    const many = [...core, loader, ...userTools(60), script];
    expect(sent(many)).toEqual(["bash", "file_read", "load"]);
    expect(sent(many, ["script"]).at(-1)).toBe("script");
    // Nothing could introduce it here.
    expect(sent([...core, script])).toEqual(["bash", "file_read", "script"]);
  });

  test("few of a program that comes with hundreds of its own", () => {
    const access = { kind: "run-command", command: "command" } as const;
    const own = [...userTools(300, { scope: "system" }), toolWith("sh", { scope: "system", ikigai: { access } })];
    expect(namesOf(sentTools(registryOf([loader, ...own]), nothing, unknown))).toEqual(["load", "sh"]);
  });
});

describe("what the system prompt says about it", () => {
  test("nothing if all tools are sent and there are no skills, or nothing can load", () => {
    expect(loadableText(registryOf([...core, loader]), unknown)).toBe("");
    expect(loadableText(registryOf([...core, ...userTools(60)], [skillNamed("db")]), unknown)).toBe("");
  });

  test("the names of up to 1,000 tools, then their number", () => {
    const text = (count: number) => loadableText(registryOf([...core, loader, ...userTools(count)]), unknown);
    expect(text(1_000)).toMatch(/Not loaded: t0000, t0001, .*, t0999\. Call load/);
    expect(text(1_001)).toMatch(/Not loaded: 1001 more tools\. Call load with a query/);
    expect(text(500).length).toBeLessThan(4_000);
  });

  test("the name of the tool that loads: the system's, else the user's, never a skill's", () => {
    const [own, script] = ["finder", "script"].map((name) => toolWith(name, { ikigai: { catalog: true } }));
    const text = (tools: Parameters<typeof registryOf>[0]) =>
      loadableText(registryOf(tools, [skillNamed("db")]), unknown);
    expect(text([...core, loader, own as typeof loader])).toContain("call load with its name");
    expect(text([...core, own as typeof loader])).toContain("call finder with its name");
    expect(text([...core, { ...(script as typeof loader), skill: "db" }])).toBe("");
  });

  test("leaves out the scripts of skills, which come with them", () => {
    const script = toolWith("script", { skill: "db" });
    const text = loadableText(registryOf([...core, loader, script], [skillNamed("db")]), unknown);
    expect(text).toContain("- db: Does db");
    expect(text).not.toContain("script");
  });

  test("up to 200 skills, then their number", () => {
    const text = (count: number) => {
      const skills = Array.from({ length: count }, (_, index) => skillNamed(`s${index}`, "x"));
      return loadableText(registryOf([loader], skills), unknown);
    };
    expect(text(200)).toContain("\n- s199: x");
    expect(text(201)).toContain("There are 201: call load with a query");
    expect(text(201)).not.toContain("- s0");
  });

  test("skills that take up to 2 % of the window", () => {
    const room = 10_000 * 0.02 * 3.6;
    const text = (length: number) =>
      loadableText(registryOf([loader], [skillNamed("s", "x".repeat(length - "- s: ".length))]), () => 10_000);
    expect(text(room)).toContain("- s: x");
    expect(text(room + 1)).toContain("There are 1: call load");
  });
});
