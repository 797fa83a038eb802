import type { PayloadOf } from "../spec/channel.ts";
import { channels, type ChannelKind, type Channels } from "../spec/channels.ts";
import { messagesOf, type MessagesOptions } from "./messages.ts";
import { methodsOf, namesOf } from "./table-methods.ts";
import type { Listener, Subscription, VenueStream } from "./venue-stream.ts";

type ForChannel<
  Kind extends ChannelKind,
  Last extends readonly unknown[],
  Result,
> = Channels[Kind]["parameter"] extends "none"
  ? (...rest: Last) => Result
  : (parameter: string, ...rest: Last) => Result;

export interface SubscribeOptions {
  /** Ends the subscription, as its `close` does. */
  readonly signal?: AbortSignal | undefined;
}

/** Every channel as a method (§6.3): `subscribe.trade("1_2", listener)`. */
export type SubscribeMethods = {
  readonly [Kind in ChannelKind]: ForChannel<
    Kind,
    [listener: Listener<PayloadOf<Channels[Kind]>>, options?: SubscribeOptions],
    Subscription
  >;
};

/** Every channel as a method that returns an async iterator: `messages.trade("1_2", { signal })`. */
export type MessagesMethods = {
  readonly [Kind in ChannelKind]: ForChannel<
    Kind,
    [options?: MessagesOptions],
    AsyncGenerator<PayloadOf<Channels[Kind]>, void, undefined>
  >;
};

export function subscribeMethods(stream: VenueStream): SubscribeMethods {
  return channelMethods<SubscribeMethods, Listener<unknown>, SubscribeOptions | undefined>(
    (kind, parameter, listener, options) => {
      const subscription = stream.subscribe(kind, parameter, listener);
      closeOn(subscription, options?.signal);
      return subscription;
    },
  );
}

export function messagesMethods(stream: VenueStream): MessagesMethods {
  return channelMethods<MessagesMethods, MessagesOptions | undefined, undefined>(
    (kind, parameter, options) => messagesOf(stream, kind, parameter, options),
  );
}

/** A method for each channel. Methods of channels without a parameter omit it. */
function channelMethods<Methods extends object, First, Second>(
  make: (kind: ChannelKind, parameter: string, first: First, second: Second) => unknown,
): Methods {
  return methodsOf<Methods, ChannelKind, [unknown?, unknown?, unknown?]>(
    namesOf(channels),
    (kind) => kind,
    (kind) =>
      (...args) => {
        const hasNone = channels[kind].parameter === "none";
        const parameter = hasNone ? "" : String(args[0]);
        const [first, second] = hasNone ? args : args.slice(1);
        return make(kind, parameter, first as First, second as Second);
      },
  );
}

function closeOn(subscription: Subscription, signal: AbortSignal | undefined): void {
  if (signal?.aborted === true) subscription.close();
  else signal?.addEventListener("abort", () => subscription.close(), { once: true });
}
