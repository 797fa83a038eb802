import type { ChildProcess } from "node:child_process";

/** The messages between the processes of this benchmark. */

/** To the venue's process: report its processor time, measure recoveries first, or end. */
export type VenueQuestion =
  | { readonly ask: "used" }
  | { readonly ask: "recover"; readonly transactions: readonly string[] }
  | { readonly ask: "end" };

export interface VenueStarted {
  readonly port: number;
  /** Which library recovers. */
  readonly crypto: string;
}

export interface VenueUsed {
  /** Processor time of the whole process so far, all its threads, in microseconds. */
  readonly usedUs: number;
}

export interface Recovered {
  /** Recoveries a second by the clock, one after the other on the main thread. */
  readonly perSecond: number;
  /** Processor time of one. */
  readonly processorUs: number;
}

/** To the load's process. `prepare` signs orders until so many are ready on each connection, and gives some of the new ones. */
export type LoadQuestion =
  | { readonly ask: "prepare"; readonly perConnection: number }
  | { readonly ask: "closed"; readonly perConnection: number }
  | { readonly ask: "open"; readonly orders: number; readonly perSecond: number };

export interface Prepared {
  readonly transactions: readonly string[];
}

export interface Loaded {
  readonly orders: number;
  /** Orders answered a second, first one written to last one answered. */
  readonly perSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly maxMs: number;
  /** Processor time of the load's process for one order. */
  readonly clientUs: number;
}

/** The next message of a child; rejects when it ends without one. */
export function nextMessage<Message>(child: ChildProcess): Promise<Message> {
  return new Promise((resolve, reject) => {
    const ended = (code: number | null): void =>
      reject(new Error(`a process of the benchmark ended with ${String(code)}`));
    child.once("exit", ended);
    child.once("message", (message) => {
      child.off("exit", ended);
      resolve(message as Message);
    });
  });
}

export function ask<Reply>(
  child: ChildProcess,
  question: VenueQuestion | LoadQuestion,
): Promise<Reply> {
  const response = nextMessage<Reply>(child);
  child.send(question);
  return response;
}
