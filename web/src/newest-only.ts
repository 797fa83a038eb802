const TOGETHER_MS = 200;
const AGAIN_MS = 1_000;

/**
 * Asks for one thing at a time, after it for the newest that was wanted meanwhile, and passes on what fits the newest alone. Where the
 * answer is "busy", it asks again soon.
 */
export class NewestOnly<Wanted, Found> {
  readonly #ask: (wanted: Wanted) => Promise<Found | "busy">;
  readonly #found: (wanted: Wanted, found: Found) => void;
  #next: { readonly wanted: Wanted } | undefined;
  #isAsking = false;

  /** `ask` never rejects. */
  constructor(
    ask: (wanted: Wanted) => Promise<Found | "busy">,
    found: (wanted: Wanted, found: Found) => void,
  ) {
    this.#ask = ask;
    this.#found = found;
  }

  want(wanted: Wanted): void {
    this.#next = { wanted };
    if (!this.#isAsking) void this.#run();
  }

  async #run(): Promise<void> {
    this.#isAsking = true;
    let waitMs = TOGETHER_MS;
    for (;;) {
      await new Promise((resolve) => setTimeout(resolve, waitMs));
      const next = this.#next;
      if (next === undefined) break;
      const found = await this.#ask(next.wanted);
      waitMs = found === "busy" ? AGAIN_MS : TOGETHER_MS;
      // Another is wanted now, or none.
      if (this.#next !== next || found === "busy") continue;
      this.#found(next.wanted, found);
      break;
    }
    this.#next = undefined;
    this.#isAsking = false;
  }

  end(): void {
    this.#next = undefined;
  }
}
