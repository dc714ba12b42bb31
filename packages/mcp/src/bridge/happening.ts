/** Something that happens at most once, and can be waited for. */
export class Happening {
  #settle: () => void = () => {};
  #isDone = false;
  readonly done = new Promise<void>((settle) => {
    this.#settle = settle;
  });

  get isDone(): boolean {
    return this.#isDone;
  }

  happen(): void {
    this.#isDone = true;
    this.#settle();
  }
}
