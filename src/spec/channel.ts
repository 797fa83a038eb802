import type { z } from "zod";

/** One stream channel as data (§6.3). `parameter` says what follows `@`, if anything. */
export interface Channel<Payload extends z.ZodType = z.ZodType> {
  readonly name: string;
  readonly section: string;
  readonly summary: string;
  readonly parameter: "marketId" | "address" | "none";
  /** The `result` of a stream message. */
  readonly payload: Payload;
}

/** Gives a channel its types. */
export function defineChannel<Payload extends z.ZodType>(
  channel: Channel<Payload>,
): Channel<Payload> {
  return channel;
}

export type PayloadOf<C extends Channel> = z.output<C["payload"]>;
