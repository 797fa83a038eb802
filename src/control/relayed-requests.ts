import type { CommandOrigin } from "../domain/command-origin.ts";

/** A request of `protocol.ts` that a thread passes to the bot's thread. */
export interface RelayedRequest {
  readonly type: "command";
  readonly id: number;
  readonly line: string;
  readonly by: CommandOrigin;
}

export interface RelayedResponse {
  readonly type: "response";
  /** Of its request. */
  readonly id: number;
  readonly response: string;
}

const MAX_WAITING = 20;
const BUSY = JSON.stringify({ ok: false, message: "too many actions wait", ordersLeft: [] });

/** The requests of a thread that the bot's thread has not responded to. */
export class RelayedRequests {
  readonly #send: (request: RelayedRequest) => void;
  readonly #waiting = new Map<number, (response: string) => void>();
  #last = 0;

  constructor(send: (request: RelayedRequest) => void) {
    this.#send = send;
  }

  command(line: string, by: CommandOrigin): Promise<string> {
    if (this.#waiting.size >= MAX_WAITING) return Promise.resolve(BUSY);
    this.#last += 1;
    const id = this.#last;
    this.#send({ type: "command", id, line, by });
    return new Promise((resolve) => this.#waiting.set(id, resolve));
  }

  responded({ id, response }: RelayedResponse): void {
    this.#waiting.get(id)?.(response);
    this.#waiting.delete(id);
  }
}
