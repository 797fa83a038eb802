import type { FileState } from "../../ports/store.ts";
import type { Recording } from "../recording.ts";
import type { TextState } from "./column-file.ts";

/** The state of a recording's event files. */
export class TextStates {
  readonly #recording: Recording;

  constructor(recording: Recording) {
    this.#recording = recording;
  }

  now(): readonly TextState[] {
    return this.#recording.segments().map((name) => {
      const state = this.#stateOf(name);
      return { name, ...state, sha256: this.#sha256(name, state) };
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
        return (changed !== "" && now.changed === changed) || this.#sha256(name, now) === sha256;
      })
    );
  }

  #stateOf(name: string): FileState {
    const { io, folder } = this.#recording;
    return io.store.stateOf(`${folder}/${name}`) ?? { size: 0, changed: "" };
  }

  /** Once for each state of a file, since every replay of a sweep asks for that of a copy. */
  #sha256(name: string, { size, changed }: FileState): string {
    const { io, folder, textHashes } = this.#recording;
    const key = `${name} ${size} ${changed}`;
    const known = textHashes.get(key);
    if (known !== undefined) return known;
    const hash = io.compression.sha256(io.store.read(`${folder}/${name}`) ?? new Uint8Array());
    textHashes.set(key, hash);
    return hash;
  }
}
