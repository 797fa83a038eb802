import {
  type BackgroundFiles,
  type FileDetails,
  PART_ENDING,
} from "../../src/ports/background-files.ts";
import type { MemoryStore } from "../../src/sim/memory-store.ts";

/** Background work on the files of a MemoryStore, which ends after a number of steps as in a killed process. */
export class MemoryFiles implements BackgroundFiles {
  readonly #store: MemoryStore;
  readonly modifiedMs = new Map<string, number>();
  /** Steps until the process is killed. */
  stepsLeft = Number.POSITIVE_INFINITY;
  /** Called before every step. */
  onStep: () => void = () => undefined;
  /** Resolves when the process is killed. */
  readonly killed: Promise<void>;
  #kill: () => void = () => undefined;

  constructor(store: MemoryStore) {
    this.#store = store;
    this.killed = new Promise((resolve) => {
      this.#kill = resolve;
    });
  }

  async details(folder: string): Promise<readonly FileDetails[]> {
    await this.#step();
    return this.#store.list(folder).map((name) => {
      const path = `${folder}/${name}`;
      const modifiedMs = this.modifiedMs.get(path) ?? 0;
      return { name, bytes: this.#store.read(path)?.length ?? 0, modifiedMs };
    });
  }

  async read(path: string): Promise<Uint8Array | undefined> {
    await this.#step();
    return this.#store.read(path);
  }

  async write(path: string, bytes: Uint8Array, modifiedMs: number): Promise<void> {
    const part = `${path}${PART_ENDING}`;
    await this.#step();
    const file = this.#store.openAppend(part, { truncateTo: 0 });
    for (let at = 0; at < bytes.length; at += 4096) {
      await this.#step();
      file.append(bytes.subarray(at, at + 4096));
    }
    await this.#step();
    await file.sync();
    await this.#step();
    const whole = this.#store.openAppend(path, { truncateTo: 0 });
    whole.append(this.#store.read(part) ?? new Uint8Array());
    whole.close();
    this.#store.remove(part);
    this.modifiedMs.set(path, modifiedMs);
  }

  async remove(path: string): Promise<void> {
    await this.#step();
    this.#store.remove(path);
  }

  async #step(): Promise<void> {
    this.onStep();
    if (this.stepsLeft <= 0) {
      this.#kill();
      // Nothing follows in a killed process.
      await new Promise(() => undefined);
    }
    this.stepsLeft -= 1;
  }
}
