import type { Side } from "../domain/side.ts";

/**
 * The tables of a replay: their columns in order, and the rows as code gets them. docs/replay.md says what each column means.
 *
 * Kinds of columns: `time` Unix milliseconds, `decimal` exact decimal text, `integer`, `number` a double, `text` as it is.
 */
export type ColumnKind = "time" | "decimal" | "integer" | "number" | "text";

/** A row of any table, by column. */
export type TableRow = Readonly<Record<string, string | number | null>>;

/** An own fill, in the exchange's time. */
export type ReplayFill = {
  readonly timeMs: number;
  readonly strategy: string;
  readonly market: string;
  /** Level of the quote (`OwnOrder.key`), or of a leg's quote. */
  readonly key: string | null;
  readonly side: Side;
  readonly price: string;
  readonly quantity: string;
  readonly fee: string;
  readonly feeToken: string;
  readonly liquidity: "maker" | "taker";
  readonly orderId: string;
  /** Recorded mid just before the fill; null before the first. */
  readonly mid: string | null;
};

/** An own order at its end, or at the end of the replay. */
export type ReplayOrder = {
  /** When the bot decided on it. */
  readonly timeMs: number;
  readonly strategy: string;
  readonly market: string;
  /** Level of the quote, the last one that it served. */
  readonly key: string | null;
  readonly side: Side;
  readonly role: string;
  readonly origin: string;
  /** Limit price; 0 for a market order. */
  readonly price: string;
  readonly stopPrice: string | null;
  readonly quantity: string;
  readonly executed: string;
  readonly status: string;
  readonly reason: string;
  readonly orderId: string | null;
  /** When the exchange took it, and when the bot knew. */
  readonly enteredMs: number | null;
  readonly acknowledgedMs: number | null;
  readonly firstFillMs: number | null;
  /** When the bot knew that it had ended; null while it is open. */
  readonly endedMs: number | null;
  /** Recorded quantity at its price and recorded mid when the exchange took it. */
  readonly queueAhead: string | null;
  readonly mid: string | null;
};

/** A strategy's state at a moment: on a regular grid of time, and after each of its fills. */
export type ReplayEquity = {
  readonly timeMs: number;
  readonly strategy: string;
  readonly market: string;
  /** The touch of the newest recorded depth. */
  readonly bid: string | null;
  readonly ask: string | null;
  /** The recorded mid as trades have left it, against which everything is measured. */
  readonly mid: string | null;
  /** The best own quotes that rest as far as the bot knows. */
  readonly ownBid: string | null;
  readonly ownAsk: string | null;
  /** Base token that the fills left, net of fees. */
  readonly position: string;
  /** PnL and its parts in quote token; null when base is held and no mid is known. */
  readonly spread: string | null;
  readonly inventory: string | null;
  readonly fees: string | null;
  readonly pnl: string | null;
  /** Deepest fall of the PnL below its peak, from the row before to this one. */
  readonly drawdown: string;
};

/** A fill after one horizon. */
export type ReplayMarkout = {
  readonly timeMs: number;
  readonly strategy: string;
  readonly market: string;
  readonly side: Side;
  readonly price: string;
  readonly quantity: string;
  readonly orderId: string;
  readonly mid: string;
  readonly horizonMs: number;
  /** The mid after the horizon, and its distance from mid and price in the fill's favour; null when the replay ended before or the mid was not known then. */
  readonly laterMid: string | null;
  readonly midToMidBps: number | null;
  readonly fillToMidBps: number | null;
};

export interface TableRows {
  readonly fills: readonly ReplayFill[];
  readonly orders: readonly ReplayOrder[];
  readonly equity: readonly ReplayEquity[];
  readonly markouts: readonly ReplayMarkout[];
}

export type ReplayTable = keyof TableRows;

/** The columns of each table in order. */
export const replayColumns: {
  readonly [Table in ReplayTable]: Readonly<
    Record<keyof TableRows[Table][number] & string, ColumnKind>
  >;
} = {
  fills: {
    timeMs: "time",
    strategy: "text",
    market: "text",
    key: "text",
    side: "text",
    price: "decimal",
    quantity: "decimal",
    fee: "decimal",
    feeToken: "text",
    liquidity: "text",
    orderId: "text",
    mid: "decimal",
  },
  orders: {
    timeMs: "time",
    strategy: "text",
    market: "text",
    key: "text",
    side: "text",
    role: "text",
    origin: "text",
    price: "decimal",
    stopPrice: "decimal",
    quantity: "decimal",
    executed: "decimal",
    status: "text",
    reason: "text",
    orderId: "text",
    enteredMs: "time",
    acknowledgedMs: "time",
    firstFillMs: "time",
    endedMs: "time",
    queueAhead: "decimal",
    mid: "decimal",
  },
  equity: {
    timeMs: "time",
    strategy: "text",
    market: "text",
    bid: "decimal",
    ask: "decimal",
    mid: "decimal",
    ownBid: "decimal",
    ownAsk: "decimal",
    position: "decimal",
    spread: "decimal",
    inventory: "decimal",
    fees: "decimal",
    pnl: "decimal",
    drawdown: "decimal",
  },
  markouts: {
    timeMs: "time",
    strategy: "text",
    market: "text",
    side: "text",
    price: "decimal",
    quantity: "decimal",
    orderId: "text",
    mid: "decimal",
    horizonMs: "integer",
    laterMid: "decimal",
    midToMidBps: "number",
    fillToMidBps: "number",
  },
};

export const replayTables = ["fills", "orders", "equity", "markouts"] as const;
