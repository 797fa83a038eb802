import { Worker } from "node:worker_threads";
import { TouchlineError } from "../base/error.ts";

/** What is read from a bot's journal: the story of an order, or a moment in Unix milliseconds. */
export interface StoryRequest {
  readonly journal: string;
  readonly subject: string | number;
}

export type StoryResponse =
  | { readonly ok: true; readonly story: unknown }
  | { readonly ok: false; readonly code: string; readonly message: string };

const LIMIT_MS = 60_000;
const MAX_HEAP_MB = 512;

/** Reads stories of the journal, one at a time, each on a thread of its own, since a run is re-run from its beginning for it. */
export class StoryReader {
  readonly #thread: string;
  readonly #journal: string;
  #isReading = false;

  /** `thread`: the address of the module that reads (`cli/story-thread.ts`). */
  constructor(thread: string, journal: string) {
    this.#thread = thread;
    this.#journal = journal;
  }

  /** Rejects with TouchlineError: what the journal says, `STORY_BUSY`, `STORY_TOO_LONG`, or `STORY_FAILED`. */
  async read(subject: StoryRequest["subject"]): Promise<unknown> {
    if (this.#isReading) {
      throw new TouchlineError("STORY_BUSY", "Another story is being read: try again soon.");
    }
    this.#isReading = true;
    const request: StoryRequest = { journal: this.#journal, subject };
    const worker = new Worker(new URL(this.#thread), {
      workerData: request,
      resourceLimits: { maxOldGenerationSizeMb: MAX_HEAP_MB },
      env: {},
    });
    try {
      const response = await responseOf(worker);
      if (response.ok) return response.story;
      throw new TouchlineError(response.code, response.message);
    } finally {
      this.#isReading = false;
      await worker.terminate();
    }
  }
}

function responseOf(worker: Worker): Promise<StoryResponse> {
  return new Promise((resolve, reject) => {
    const failed = (reason: string): void =>
      reject(new TouchlineError("STORY_FAILED", `The journal cannot be read: ${reason}.`));
    const limit = setTimeout(() => {
      const message = `The story takes longer than ${LIMIT_MS / 1000} s: use \`touchline journal show\`.`;
      reject(new TouchlineError("STORY_TOO_LONG", message));
    }, LIMIT_MS);
    worker.once("message", resolve);
    worker.once("error", (error: unknown) =>
      failed(error instanceof Error ? error.message : String(error)),
    );
    worker.once("exit", () => {
      clearTimeout(limit);
      failed("its thread ended");
    });
  });
}
