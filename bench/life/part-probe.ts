import { Journal } from "../../src/journal/journal.ts";
import { StreamDecoder } from "../../src/gateway/stream-decoder.ts";
import { VenueClient } from "../../src/gateway/venue-client.ts";
import { Kernel } from "../../src/kernel/kernel.ts";
import { CommandSigner } from "../../src/spec/sign-command.ts";

/** Parts of one tick of Touchline in the order in which they end, and what each is. */
export const tickParts = [
  "decode",
  "turn of the event loop",
  "kernel",
  "sign",
  "journal",
  "request",
] as const;
export type TickPart = (typeof tickParts)[number];

/**
 * Takes the times at which the parts of the newest tick ended, in the running bot: wraps the methods that begin and end them. `now` of the
 * frame comes from the caller.
 */
export class PartProbe {
  #ends = new Map<TickPart, number>();

  constructor() {
    this.#after(StreamDecoder.prototype, "decode", "decode");
    this.#before(Kernel.prototype, "step", "turn of the event loop");
    this.#after(Kernel.prototype, "step", "kernel");
    this.#after(CommandSigner.prototype, "sign", "sign");
    this.#after(Journal.prototype, "append", "journal");
    this.#before(VenueClient.prototype, "submit", "request");
  }

  /** A frame has arrived. */
  begin(): void {
    this.#ends = new Map();
  }

  /** Microseconds of each part, from the frame at `startMs` to the request at `endMs`; undefined when a part is missing. */
  take(startMs: number, endMs: number): Readonly<Record<TickPart, number>> | undefined {
    let last = startMs;
    const parts: Partial<Record<TickPart, number>> = {};
    for (const part of tickParts) {
      const end = part === "request" ? endMs : this.#ends.get(part);
      if (end === undefined) return undefined;
      parts[part] = (end - last) * 1000;
      last = end;
    }
    return parts as Readonly<Record<TickPart, number>>;
  }

  #mark(part: TickPart): void {
    this.#ends.set(part, performance.now());
  }

  #before<Name extends string>(
    owner: Record<Name, (...args: never[]) => unknown>,
    name: Name,
    part: TickPart,
  ): void {
    const original = owner[name];
    const mark = (): void => this.#mark(part);
    owner[name] = function (this: unknown, ...args: never[]) {
      mark();
      return original.apply(this, args);
    };
  }

  #after<Name extends string>(
    owner: Record<Name, (...args: never[]) => unknown>,
    name: Name,
    part: TickPart,
  ): void {
    const original = owner[name];
    const mark = (): void => this.#mark(part);
    owner[name] = function (this: unknown, ...args: never[]) {
      const result = original.apply(this, args);
      mark();
      return result;
    };
  }
}
