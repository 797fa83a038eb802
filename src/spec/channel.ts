import type { z } from "zod";

export type ChannelParameter = "marketId" | "address" | "none";

/** One stream channel as data (§6.3). `parameter` is what follows `@` in its name. */
export interface Channel<
  Payload extends z.ZodType = z.ZodType,
  Parameter extends ChannelParameter = ChannelParameter,
> {
  readonly name: string;
  readonly section: string;
  readonly summary: string;
  readonly parameter: Parameter;
  /** Schema of the `result` of a stream message. */
  readonly payload: Payload;
}

/** Identity function that infers a channel's types. */
export function defineChannel<Payload extends z.ZodType, const Parameter extends ChannelParameter>(
  channel: Channel<Payload, Parameter>,
): Channel<Payload, Parameter> {
  return channel;
}

export type PayloadOf<C extends Channel> = z.output<C["payload"]>;
