import type { Recording } from "../recording.ts";
import type { TextState } from "./column-file.ts";

/** The state of a recording's event files. */
export class TextStates {
  readonly #recording: Recording;
  readonly #hashes = new Map<string, string>();

  constructor(recording: Recording) {
    this.#recording = recording;
  }

  now(): readonly TextState[] {
    return this.#recording.segments().map((name) => {
      const state = this.#stateOf(name);
      return { name, ...state, sha256: this.#sha256(name) };
    });
  }

  /** Whether the files are those. A file that was only copied or touched has the same hash. */
  areSame(texts: readonly TextState[]): boolean {
    const names = this.#recording.segments();
    return (
      names.length === texts.length &&
      texts.every(({ name, size, changed, sha256 }, at) => {
        if (name !== names[at]) return false;
        const now = this.#stateOf(name);
        if (now.size !== size) return false;
        return (changed !== "" && now.changed === changed) || this.#sha256(name) === sha256;
      })
    );
  }

  #stateOf(name: string): { readonly size: number; readonly changed: string } {
    const { io, folder } = this.#recording;
    return io.store.stateOf(`${folder}/${name}`) ?? { size: 0, changed: "" };
  }

  #sha256(name: string): string {
    const { io, folder } = this.#recording;
    const known = this.#hashes.get(name);
    if (known !== undefined) return known;
    const hash = io.compression.sha256(io.store.read(`${folder}/${name}`) ?? new Uint8Array());
    this.#hashes.set(name, hash);
    return hash;
  }
}
