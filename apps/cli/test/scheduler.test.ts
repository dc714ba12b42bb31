import { setImmediate as nextTurn } from "node:timers/promises";
import fc from "fast-check";
import { expect, inject, test } from "vitest";
import { createScheduler, type Scheduler } from "../src/tui/app/scheduler.ts";

/** Number of random interleavings; more in a thorough run. */
const numRuns = inject("isThorough") ? 5_000 : 500;

/** A scheduler whose work ends on demand, with a log of the pushed work. */
class World {
  readonly scheduler: Scheduler;
  readonly ran: string[] = [];
  readonly alone: string[] = [];
  readonly atRest: string[] = [];
  readonly heard: string[] = [];
  readonly takenBack: string[] = [];
  most = 0;
  #running = 0;
  #end: (() => void) | undefined;

  constructor() {
    this.scheduler = createScheduler(
      (text) => this.#run(text, this.ran),
      () => {},
    );
  }

  async #run(text: string, log: string[]): Promise<void> {
    log.push(text);
    this.#running++;
    this.most = Math.max(this.most, this.#running);
    await new Promise<void>((settle) => {
      this.#end = settle;
    });
    this.#running--;
  }

  beginAlone(name: string): void {
    this.scheduler.runAlone(() => this.#run(name, this.alone));
  }

  beginAtRest(name: string): void {
    this.scheduler.runAtRest(async () => {
      expect(this.scheduler.waiting()).toEqual([]);
      await this.#run(name, this.atRest);
    });
  }

  endCurrent(): void {
    this.#end?.();
  }

  get isRunning(): boolean {
    return this.#running > 0;
  }
}

type Action =
  | "say"
  | "say for the end"
  | "run alone"
  | "run at rest"
  | "end"
  | "step"
  | "take back"
  | "interrupt"
  | "wait";

const actions = fc.array(
  fc.constantFrom<Action>(
    "say",
    "say for the end",
    "run alone",
    "run at rest",
    "end",
    "step",
    "take back",
    "interrupt",
    "wait",
  ),
  { maxLength: 40 },
);

async function act(action: Action, index: number, world: World): Promise<void> {
  const { scheduler } = world;
  if (action === "say") scheduler.push({ text: `${index}`, when: "step" });
  if (action === "say for the end") scheduler.push({ text: `${index}`, when: "end" });
  if (action === "run alone") world.beginAlone(`alone ${index}`);
  if (action === "run at rest") world.beginAtRest(`at rest ${index}`);
  if (action === "end") world.endCurrent();
  if (action === "step" && world.isRunning) world.heard.push(...scheduler.takeSteering().map(({ text }) => text));
  if (action === "take back") world.takenBack.push(...[scheduler.takeBack()].flatMap((one) => one?.text ?? []));
  if (action === "interrupt") {
    world.takenBack.push(...scheduler.takeBackAll().map(({ text }) => text));
    world.endCurrent();
  }
  if (action === "wait") await nextTurn();
}

test("with any interleaving, work does not overlap, runs once and keeps its order", async () => {
  await fc.assert(
    fc.asyncProperty(actions, async (steps) => {
      const world = new World();
      for (const [index, action] of steps.entries()) {
        await act(action, index, world);
        expect(world.isRunning && !world.scheduler.isBusy()).toBe(false);
      }
      for (let rest = 0; world.scheduler.isBusy() && rest < 100; rest++) {
        world.endCurrent();
        await nextTurn();
      }
      expect(world.scheduler.isBusy()).toBe(false);
      expect(world.scheduler.waiting()).toEqual([]);
      expect(world.most).toBeLessThanOrEqual(1);
      expect(world.atRest).toHaveLength(steps.filter((step) => step === "run at rest").length);
      const said = [...steps.keys()].filter((index) => steps[index]?.startsWith("say")).map(String);
      expect([...world.ran, ...world.heard, ...world.takenBack].sort()).toEqual(said.sort());
      expect(world.ran.map(Number)).toEqual(world.ran.map(Number).toSorted((a, b) => a - b));
    }),
    { numRuns },
  );
});

test("exclusive work does not start while other work runs", async () => {
  const world = new World();
  world.scheduler.push({ text: "turn", when: "step" });
  expect(world.scheduler.runAlone(async () => {})).toBe(false);
  world.endCurrent();
  await nextTurn();
  expect(world.scheduler.runAlone(async () => {})).toBe(true);
});
