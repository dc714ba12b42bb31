import { Writable } from "node:stream";
import { printOut } from "../host/stdout.ts";

/** Where readline draws. While nobody edits a line it draws nothing, whatever happens to the window. */
export class EditorOutput {
  isOn = false;
  readonly stream: Writable;
  readonly #onResize = () => {
    if (this.isOn) this.stream.emit("resize");
  };

  constructor() {
    this.stream = new Writable({
      decodeStrings: false,
      write: (text: string, _encoding, done) => {
        if (this.isOn) printOut(text);
        done();
      },
    });
    Object.defineProperty(this.stream, "columns", { get: () => process.stdout.columns || columnsWithoutSize });
    process.stdout.on("resize", this.#onResize);
  }

  close(): void {
    process.stdout.off("resize", this.#onResize);
  }
}

/** What terminals have that do not say. */
const columnsWithoutSize = 80;
