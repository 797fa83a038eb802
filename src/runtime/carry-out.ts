import { type Command, makesOrder } from "../domain/command.ts";
import type { OrderId } from "../domain/ids.ts";
import type { StreamChannel } from "../domain/stream-channel.ts";
import type { Effect, Read, StandbyCancel } from "../kernel/effect.ts";
import type { SignedCommand } from "../spec/sign-command.ts";

/** Carries out the kernel's effects. Each command and each read results in exactly one input. */
export interface Outlet {
  /** Calls `handedOver` synchronously when the HTTP client has taken the request. */
  send(command: Command, signed: SignedCommand, handedOver: () => void): void;
  read(read: Read): void;
  /** Releases `count` requests that wait for a rate token; left out where requests never wait. */
  grant?(count: number): void;
}

/** Keeps signed cancels for a guard process. */
export interface StandbyOutlet {
  /**
   * Signs the cancel and hands it to the guards: at once when its order has just been sent, so that a bot that is killed leaves no order
   * without a cancel, else later.
   */
  made(cancel: StandbyCancel, orderId: OrderId, isJustSent: boolean): void;
  /** These orders have ended, so their cancels are not needed any more. */
  ended(orderIds: readonly OrderId[]): void;
}

/** What carries out the effects that are no commands. */
export interface PlainEffectPorts {
  readonly outlet: Outlet;
  /** Cuts the stream connection: to shed market data when the queue is full, or because the kernel asks for a new one. */
  reconnect(reason: string): void;
  /** Subscribes to one channel anew; left out where the feed has no channels. */
  resubscribe?(channel: StreamChannel): void;
  /** Left out in modes without a guard. */
  readonly standby?: StandbyOutlet | undefined;
}

/** An order whose step began longer ago than this is not sent: a pause or a new price may have come meanwhile (docs/decisions/032). */
export const ORDER_AGE_MAX_MS = 1_000;

/** How long the commands of a step were held back, in milliseconds. */
export interface SendDelay {
  /** Strategies, signatures and the journal's append. */
  readonly stepMs: number;
  /** 0 for a step that did not wait for the disk. */
  readonly diskMs: number;
}

/**
 * Why a signed command is not sent; undefined when it is. `isLost`: the journal failed over its step, or the disk did not take it. A cancel
 * of that step is made again with a nonce that no later run gives.
 */
export function unsentReason(
  command: Command,
  {
    hasJournal,
    delay: { stepMs, diskMs },
  }: {
    readonly hasJournal: boolean;
    readonly delay: SendDelay;
  },
): string | undefined {
  if (!makesOrder(command)) return undefined;
  // After a restart the bot could not find an order that is not in the journal.
  if (!hasJournal) return "the journal cannot be written";
  if (stepMs + diskMs <= ORDER_AGE_MAX_MS) return undefined;
  const disk = diskMs === 0 ? "" : ` and the disk ${diskMs} ms`;
  return `the step took ${stepMs} ms${disk}, so its price may be old`;
}

/** Carries out an effect that is not a command. The end of the run and standby cancels are the driver's own. */
export function carryOutPlain(
  effect: Exclude<Effect, Command | StandbyCancel>,
  ports: PlainEffectPorts,
): void {
  switch (effect.type) {
    case "finished":
    case "adopt":
      return;
    case "tokens":
      ports.outlet.grant?.(effect.count);
      return;
    case "resubscribe":
      ports.resubscribe?.(effect.channel);
      return;
    case "reconnect":
      ports.reconnect(effect.reason);
      return;
    default:
      ports.outlet.read(effect);
  }
}
