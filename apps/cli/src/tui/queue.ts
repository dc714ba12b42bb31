/** Something the user said while work goes on. */
export interface Queued {
  readonly text: string;
  /** When it is heard: before the model's next step, or when it has answered. */
  readonly when: "step" | "end";
}

/** Takes what is to be heard at the next step off the queue. */
export function takeSteering(queue: Queued[]): Queued[] {
  const taken = queue.filter(({ when }) => when === "step");
  for (const one of taken) queue.splice(queue.indexOf(one), 1);
  return taken;
}
