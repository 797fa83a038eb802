/** For how long a run had a connected guard process. */
export class GuardedTime {
  #wasGuarded = false;
  #isGuarded = false;
  #ms = 0;
  #nowMs = 0;

  advance(nowMs: number): void {
    if (this.#isGuarded) this.#ms += nowMs - this.#nowMs;
    this.#nowMs = nowMs;
  }

  note(isConnected: boolean): void {
    this.#isGuarded = isConnected;
    this.#wasGuarded ||= isConnected;
  }

  /** Milliseconds; undefined when no guard was ever connected. */
  get ms(): number | undefined {
    return this.#wasGuarded ? this.#ms : undefined;
  }
}
