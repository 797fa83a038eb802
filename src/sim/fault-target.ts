import type { OrderId } from "../domain/ids.ts";
import type { Side } from "../domain/side.ts";
import type { StartMoment } from "./early-ends.ts";
import type { NetworkFaults } from "./network-faults.ts";
import type { PriceServer } from "./price-server.ts";

/** What faults can do to the simulated world. */
export interface FaultTarget {
  readonly network: {
    readonly faults: NetworkFaults;
    cutSockets(): void;
    makeSocketsHalfOpen(): void;
    loseChannels(kind: string | undefined): void;
  };
  /** Sets the offset of the bot's wall clock, in ms. */
  skew(ms: number): void;
  /** Kills the bot as kill -9 does and restarts it after `restartMs`. A process that is starting is left alone unless `whileStarting`. */
  kill(restartMs: number, whileStarting?: boolean): void;
  /**
   * As `kill`, but only the share `keep` (0 to 1) of the data not yet synced is left on disk, with `losesPage` also without one of
   * its pages.
   */
  powerCut(
    restartMs: number,
    left: { readonly keep: number; readonly losesPage: boolean },
    whileStarting?: boolean,
  ): void;
  /** Calls `act` with the bot's next order, this long after it was sent. Returns how to cease. */
  afterOrder(ms: number, act: (orderId: OrderId) => void): () => void;
  /** Another account fills this share of a quote. */
  fillInPart(orderId: OrderId, share: number): void;
  /** The operator stops the bot, which may be starting, and starts it again `restartMs` after its end. */
  stopBot(restartMs: number): void;
  /**
   * Calls `end` in each process of the bot between its start and its first order, at a moment that is drawn for it. A bot that has
   * ordered is killed first, and restarts after `restartMs`. Returns how to cease.
   */
  endStarts(restartMs: number, moment: () => StartMoment, end: () => void): () => void;
  /** Sets whether the disk of the bot's journal is full. */
  fillDisk(isFull: boolean): void;
  /** Sets whether syncs of the bot's journal wait. */
  hangDisk(isHanging: boolean): void;
  /** Kills the venue as kill -9 does. Returns how to restart it, or undefined if it is already down. */
  killVenue(): (() => void) | undefined;
  /** How long the venue takes to carry out what it has accepted, in ms; 0 for at once. */
  readonly venueDelays: VenueDelays;
  /** The service that the price sources are of. */
  readonly prices: Pick<PriceServer, "faults" | "listen" | "refuse">;
  /** Sets the venue's clock back. */
  setVenueBack(byMs: number): void;
  /** The operator pauses the bot, or lets it go on. */
  pause(isPaused: boolean): void;
  /** The operator ends the steps of the risk ladder; with `force` losses are counted anew. Does nothing while it wants a pause. */
  resume(force: boolean): void;
  /** The next decision takes this long, unless 0 is set before it is made. */
  stallStrategy(ms: number): void;
  /** Another account sends tokens to the bot's, once its limits are derived. */
  deposit(): void;
  /** Somebody places an order on the account by hand, of which the operator then disposes. Returns how to cease; undefined when none was placed. */
  placeByHand(order: OrderByHand): (() => void) | undefined;
  /** The owner ends the bot's sessions by another program. Does nothing where the bot has none. */
  revokeSessions(): void;
  /** The next decision of the strategy fails in this way. */
  failStrategy(how: StrategyFailure): void;
}

/** An order by hand in the first market. */
export interface OrderByHand {
  readonly side: Side;
  /** How far behind the best price of its side, as a share of that price. */
  readonly away: number;
  /** Its size as a share of the position limit. */
  readonly sizeShare: number;
  /** What the operator does with it once the bot shows it. */
  readonly fate: "takenOver" | "canceled" | "left";
  /** The operator looks at the bot this much later, and each second from then on. */
  readonly afterMs: number;
  /** Which of the strategies that can take it over does, from 0 to 1. */
  readonly taker: number;
}

/** What the venue accepts it carries out this much later. */
export interface VenueDelays {
  cancelMs: number;
  orderMs: number;
}

/** `throws`: `decide` throws. `nonsense`: it returns what is no decision. */
export type StrategyFailure = "throws" | "nonsense";
