import type { CommandOutcome } from "../domain/command.ts";
import type { BookSnapshot, DepthEvent, Trade } from "../domain/depth.ts";
import type { OrderId } from "../domain/ids.ts";
import type { Market } from "../domain/market.ts";
import type { AccountEvent, Balance, Fill, OrderEvent, OrderReport } from "../domain/order.ts";
import type { ReadName } from "../domain/read-order.ts";
import type { UnixMs } from "../domain/time.ts";
import type { RestoredOrder } from "../orders/restored-order.ts";

export type { CommandOutcome, ReadName, RestoredOrder };

/** What happened. Plain data: journaled as it is and fed again to re-run a session. */
export type Input =
  // The venue's streams (§6).
  | { readonly type: "depth"; readonly event: DepthEvent }
  /** `depthSnapshot@`: top 100, for auditing the book. */
  | { readonly type: "depthAudit"; readonly snapshot: BookSnapshot }
  | { readonly type: "trade"; readonly trade: Trade }
  | { readonly type: "orderEvent"; readonly event: OrderEvent }
  | { readonly type: "accountEvent"; readonly event: AccountEvent }
  /** `opened`: connected and every channel confirmed. `closed`: nothing arrives until `opened` comes again.
   *  `alive`: our ping was answered. `stalled`: the socket lives but no data came for a while; ask REST. */
  | {
      readonly type: "stream";
      readonly state: "opened" | "closed" | "alive" | "stalled";
      readonly reason: string;
    }
  // Our own commands.
  /** First inputs of the batch after a step with commands: the bytes are signed, the hash is known. */
  | {
      readonly type: "signed";
      readonly intent: number;
      readonly txHash: OrderId;
    }
  | {
      readonly type: "response";
      readonly intent: number;
      readonly outcome: CommandOutcome;
    }
  // Answers to reads.
  | { readonly type: "book"; readonly snapshot: BookSnapshot }
  | {
      readonly type: "order";
      readonly orderId: OrderId;
      readonly report: OrderReport | "absent";
    }
  | { readonly type: "openOrders"; readonly orders: readonly OrderReport[] }
  | { readonly type: "fills"; readonly fills: readonly Fill[] }
  | {
      readonly type: "balances";
      readonly balances: readonly Balance[];
      readonly blockNumber: number;
    }
  | { readonly type: "markets"; readonly markets: readonly Market[] }
  /** Venue clock minus ours, and the round trip of the question. */
  | {
      readonly type: "venueTime";
      readonly offsetMs: number;
      readonly roundTripMs: number;
    }
  /** A read that got no usable answer. `read` is the effect that asked. */
  | {
      readonly type: "readFailed";
      readonly read: ReadName;
      readonly key: string;
      readonly message: string;
      readonly retryAfterMs: number | undefined;
    }
  /** A request that no effect of ours stands for, or a further page of a read, waits for a rate token: `turns` gives it. */
  | { readonly type: "tokenWanted" }
  /** Our machine's clock was set, or time stood still for it: by so much it is ahead of what our clock now shows. */
  | { readonly type: "clockStepped"; readonly byMs: number }
  // Start and operators.
  | { readonly type: "restored"; readonly restored: Restored }
  | { readonly type: "operator"; readonly command: "stop" | "pause" | "resume" }
  /** The bot has to stop although nobody asked it to: why, and how long it may try to settle its orders. */
  | { readonly type: "mustStop"; readonly reason: string; readonly limitMs: number }
  /** What somebody outside the kernel has to say to people: a session wallet that ends. */
  | { readonly type: "warning"; readonly code: string; readonly message: string }
  /** The driver could not write the journal: from now on only cancels, then stop. */
  | { readonly type: "journalFailed"; readonly message: string };

/** What an earlier run's journal says is not over. */
export interface Restored {
  /** Highest nonce ever signed with this key. */
  readonly nonceHighWater: number;
  readonly orders: readonly RestoredOrder[];
}

/** Everything that was queued when the driver woke. */
export interface Batch {
  /** 1, 2, 3, … within a run. */
  readonly seq: number;
  readonly nowMs: UnixMs;
  readonly inputs: readonly Input[];
}
