import type { PayloadOf } from "../spec/channel.ts";
import type { Channels } from "../spec/channels.ts";

/** One message of `userEvent@`: an ORDER event of five types or an ACCOUNT event of three (§6.4). */
export type UserEvent = PayloadOf<Channels["userEvent"]>;
export type UserEventType = UserEvent["eventType"];

/** The event of one type: `UserEventOf<"TRADE">` has `lastPrice`, `UserEventOf<"TRANSFER">` has `toAddress`. */
export type UserEventOf<Type extends UserEventType> = UserEvent extends infer Each
  ? Each extends { readonly eventType: infer Types }
    ? Type extends Types
      ? Each & { readonly eventType: Type }
      : never
    : never
  : never;

/** A function for each event type of interest; `other` gets the remaining events. */
export type UserEventHandlers = {
  readonly [Type in UserEventType]?: (event: UserEventOf<Type>) => void;
} & { readonly other?: (event: UserEvent) => void };

/** A `message` function that passes each event to the handler of its type: `{ message: byEventType({ TRADE(fill) { … } }) }`. */
export function byEventType(handlers: UserEventHandlers): (event: UserEvent) => void {
  return (event) => {
    const handler = handlers[event.eventType] as ((event: UserEvent) => void) | undefined;
    (handler ?? handlers.other)?.(event);
  };
}
