import type { Fixed } from "../domain/fixed.ts";
import type { MarketId, OrderId } from "../domain/ids.ts";
import type { OrderStatus } from "../domain/order.ts";
import type { Side } from "../domain/side.ts";
import type { UnixMs } from "../domain/time.ts";

/**
 * Where our knowledge of an order stands:
 *
 *   in-flight ──answer or event──▶ working ──event or report──▶ ended
 *       │                             ▲                           ▲
 *       └──no readable answer──▶ unknown ──asked by id────────────┘
 *
 * `in-flight`: its request is open. `unknown`: the request ended without a readable answer, so it counts as live
 * exposure until the venue, asked by id, says otherwise. `working`: the venue said it rests. `ended`: terminal.
 */
export type OrderPhase = "in-flight" | "unknown" | "working" | "ended";

/** How a cancel of this order stands. `refused` means the venue said no (already terminal, or not known yet). */
export type CancelPhase =
	| "none"
	| "in-flight"
	| "unknown"
	| "accepted"
	| "refused";

/** One order of ours. The tracker owns and mutates it; everyone else reads. */
export interface TrackedOrder {
	/** The kernel's number of the command that placed it; negative for orders restored from a journal. */
	readonly intent: number;
	/** Known from the moment of signing, undefined only within the step that made the intent. */
	orderId: OrderId | undefined;
	/** Nonce of the placing transaction, 0 when not known. */
	readonly nonce: number;
	readonly strategy: string;
	readonly marketId: MarketId;
	readonly side: Side;
	readonly price: number;
	/** Original quantity in base token. */
	readonly quantity: Fixed;
	/** Cumulative, never falls. */
	executed: Fixed;
	phase: OrderPhase;
	/** The venue's last word, undefined before it said any. */
	status: OrderStatus | undefined;
	cancel: CancelPhase;
	/** Intent of the newest cancel command, 0 when none was made. */
	cancelIntent: number;
	readonly madeAtMs: UnixMs;
	/** First sign of the venue that it exists; undefined until then. */
	ackedAtMs: UnixMs | undefined;
	endedAtMs: UnixMs | undefined;
	/** When it may be asked about by id next, and how often it was. */
	askAtMs: UnixMs | undefined;
	asks: number;
}

/** What may still fill. */
export function remainingOf(order: TrackedOrder): Fixed {
	return (order.quantity - order.executed) as Fixed;
}
