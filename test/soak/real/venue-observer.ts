import { Decimal } from "decimal.js";

const DAY_MS = 86_400_000;
const exact = Decimal.clone({ precision: 60 });

interface OpenOrder {
  readonly orderId: string;
  readonly side: "BUY" | "SELL";
}

interface Trade {
  readonly id: number;
  readonly orderId: string;
  readonly side: "BUY" | "SELL";
  readonly price: string;
  readonly quantity: string;
  readonly fee: string;
  readonly feeTokenId: string;
  readonly createdAt: number;
}

/** What an account is worth in a market of tokens 1 and 2, as exact decimal text. */
export interface Amounts {
  readonly base: string;
  readonly quote: string;
}

/** Asks the venue about one account, read only, by its own requests that go around everything between the bot and the venue. */
export class VenueObserver {
  readonly #rest: string;
  readonly #owner: string;
  /** First and last time that each order was seen open. */
  readonly seen = new Map<string, { readonly firstMs: number; lastMs: number }>();

  constructor(rest: string, owner: string) {
    this.#rest = rest;
    this.#owner = owner;
  }

  async openOrders(): Promise<readonly OpenOrder[]> {
    const orders = await this.#get<OpenOrder[]>("/api/v1/order/open", { limit: 500 });
    const nowMs = Date.now();
    for (const { orderId } of orders) {
      const seen = this.seen.get(orderId);
      if (seen === undefined) this.seen.set(orderId, { firstMs: nowMs, lastMs: nowMs });
      else seen.lastMs = nowMs;
    }
    return orders;
  }

  /** Resolves with the time at which no order was open, or undefined when that does not happen within `limitMs`. */
  async untilNone(limitMs: number): Promise<number | undefined> {
    for (const endMs = Date.now() + limitMs; Date.now() < endMs; ) {
      if ((await this.openOrders()).length === 0) return Date.now();
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    return undefined;
  }

  /** Every execution of the account, each once. */
  async trades(): Promise<readonly Trade[]> {
    const found = new Map<number, Trade>();
    for (let to = Date.now() + 1_000; ; ) {
      const page = await this.#get<Trade[]>("/api/v1/order/trade", {
        limit: 500,
        from: to - DAY_MS,
        to,
      });
      for (const trade of page) found.set(trade.id, trade);
      const oldest = page.at(-1);
      if (page.length < 500 || oldest === undefined) return [...found.values()];
      // Executions of one millisecond may be on two pages.
      to = oldest.createdAt === to ? to - 1 : oldest.createdAt;
    }
  }

  async balances(): Promise<Amounts> {
    const { balances } = await this.#get<{
      balances: { tokenId: string; locked: string; unlocked: string }[];
    }>("/api/v1/wallet/balance", {});
    const total = (token: string): string => {
      const held = balances.find(({ tokenId }) => tokenId === token);
      return held === undefined ? "0" : new exact(held.locked).plus(held.unlocked).toFixed();
    };
    return { base: total("1"), quote: total("2") };
  }

  async #get<Result>(path: string, query: Readonly<Record<string, number>>): Promise<Result> {
    const words = new URLSearchParams({ address: this.#owner });
    for (const [name, value] of Object.entries(query)) words.set(name, String(value));
    const response = await fetch(`${this.#rest}${path}?${words.toString()}`);
    const body = (await response.json()) as { result?: Result };
    if (!response.ok || body.result === undefined) {
      throw new Error(`${path}: ${response.status} ${JSON.stringify(body)}`);
    }
    return body.result;
  }
}

/** Net change of an account by its executions, fees taken off. */
export function changeBy(trades: readonly Trade[]): Amounts {
  let base = new exact(0);
  let quote = new exact(0);
  for (const { side, price, quantity, fee, feeTokenId } of trades) {
    const sign = side === "BUY" ? 1 : -1;
    base = base.plus(new exact(quantity).times(sign));
    quote = quote.minus(new exact(quantity).times(price).times(sign));
    if (feeTokenId === "1") base = base.minus(fee);
    else quote = quote.minus(fee);
  }
  return { base: base.toFixed(), quote: quote.toFixed() };
}

export function sum(left: Amounts, right: Amounts): Amounts {
  return {
    base: new exact(left.base).plus(right.base).toFixed(),
    quote: new exact(left.quote).plus(right.quote).toFixed(),
  };
}
