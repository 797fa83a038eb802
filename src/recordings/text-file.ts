import type { AppendFile } from "../ports/store.ts";
import type { RecordingIo } from "./recording-io.ts";

const FLUSH_CHARS = 1 << 20;
const encoder = new TextEncoder();

/** A new text file, written in large pieces. */
export class TextFile {
  readonly path: string;
  readonly #file: AppendFile;
  #pending: string[] = [];
  #chars = 0;
  #lines = 0;

  constructor(io: RecordingIo, path: string) {
    this.path = path;
    this.#file = io.store.openAppend(path, { truncateTo: 0 });
  }

  get lines(): number {
    return this.#lines;
  }

  line(text: string): void {
    this.#pending.push(text, "\n");
    this.#chars += text.length + 1;
    this.#lines += 1;
    if (this.#chars >= FLUSH_CHARS) this.#flush();
  }

  close(): void {
    this.#flush();
    this.#file.close();
  }

  #flush(): void {
    this.#file.append(encoder.encode(this.#pending.join("")));
    this.#pending = [];
    this.#chars = 0;
  }
}
