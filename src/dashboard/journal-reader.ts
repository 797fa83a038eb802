import { Worker } from "node:worker_threads";
import { TouchlineError } from "../base/error.ts";
import { errorText } from "../base/error-text.ts";
import { threadEnvironment } from "../platform/child-environment.ts";
import type { StrategyParameters } from "./strategy-parameters.ts";

/** A change of a strategy's parameters whose effect is replayed first. */
export interface ProposedChange {
  readonly strategy: string;
  /** `key=value`, as `touchline tune` takes them. */
  readonly settings: readonly string[];
  /** How much of the end of the newest run is replayed. */
  readonly spanMs: number;
  /** The strategies' present parameters. */
  readonly present: readonly StrategyParameters[];
  /** Changes of limits are refused. */
  readonly isAgent: boolean;
}

/**
 * What is read from a bot's journal: the story of an order, a moment in Unix milliseconds, a replay of a change, or whether a trade with an
 * id was booked by hand, which rejects with `TRADE_BOOKED`.
 */
export type JournalSubject = string | number | ProposedChange | { readonly tradeId: string };

export interface JournalRequest {
  readonly journal: string;
  readonly subject: JournalSubject;
}

export type JournalResponse =
  | { readonly ok: true; readonly found: unknown }
  | { readonly ok: false; readonly code: string; readonly message: string };

const STORY_MS = 60_000;
const REPLAY_MS = 600_000;
const MAX_HEAP_MB = 1_024;

/** Reads the journal, one subject at a time, each on a thread of its own, since that reads and re-runs much of it. */
export class JournalReader {
  readonly #thread: string;
  readonly #journal: string;
  #isReading = false;

  /** `thread`: the address of the module that reads (`cli/journal-thread.ts`). */
  constructor(thread: string, journal: string) {
    this.#thread = thread;
    this.#journal = journal;
  }

  /** Rejects with TouchlineError: what the journal says, `JOURNAL_BUSY`, `JOURNAL_TOO_LONG`, or `JOURNAL_UNREADABLE`. */
  async read(subject: JournalSubject): Promise<unknown> {
    if (this.#isReading) {
      throw new TouchlineError(
        "JOURNAL_BUSY",
        "The journal is being read for somebody else: try again soon.",
      );
    }
    this.#isReading = true;
    const request: JournalRequest = { journal: this.#journal, subject };
    const worker = new Worker(new URL(this.#thread), {
      workerData: request,
      resourceLimits: { maxOldGenerationSizeMb: MAX_HEAP_MB },
      env: threadEnvironment(process.env),
    });
    try {
      const response = await responseOf(worker, typeof subject === "object" ? REPLAY_MS : STORY_MS);
      if (response.ok) return response.found;
      throw new TouchlineError(response.code, response.message);
    } finally {
      this.#isReading = false;
      await worker.terminate();
    }
  }
}

function responseOf(worker: Worker, limitMs: number): Promise<JournalResponse> {
  return new Promise((resolve, reject) => {
    const failed = (reason: string): void =>
      reject(new TouchlineError("JOURNAL_UNREADABLE", `The journal cannot be read: ${reason}.`));
    const limit = setTimeout(() => {
      const message = `Reading the journal takes longer than ${limitMs / 1000} s: use \`touchline journal show\`, or ask for fewer hours.`;
      reject(new TouchlineError("JOURNAL_TOO_LONG", message));
    }, limitMs);
    worker.once("message", resolve);
    worker.once("error", (error: unknown) => failed(errorText(error)));
    worker.once("exit", () => {
      clearTimeout(limit);
      failed("its thread ended");
    });
  });
}
