import type { NewExportFile } from "./export-file.ts";

const FLUSH_CHARS = 1 << 20;
const encoder = new TextEncoder();

/** A text file of an export, written in large pieces. */
export class TextFile {
  readonly #file: NewExportFile;
  #pending: string[] = [];
  #chars = 0;
  #lines = 0;

  constructor(file: NewExportFile) {
    this.#file = file;
  }

  get path(): string {
    return this.#file.path;
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

  /** Writes what is left. */
  end(): void {
    this.#flush();
  }

  #flush(): void {
    this.#file.append(encoder.encode(this.#pending.join("")));
    this.#pending = [];
    this.#chars = 0;
  }
}
