import { addFixed, type Fixed, mulFixed, ZERO } from "../domain/fixed.ts";
import type { Address, MarketId } from "../domain/ids.ts";
import type { Market } from "../domain/market.ts";
import type { Exchange } from "../exchange/exchange.ts";
import type { Block } from "../exchange/records.ts";
import type { FeeModel, FeeRates } from "./fee-model.ts";

interface TradedMarket {
  readonly market: Market;
  /** Of the owner's fills so far, in quote token. */
  volume: Fixed;
  rates: FeeRates;
}

/** Keeps the exchange's fees at those of the owner's volume. A fill changes the fees of the trades after its block. */
export class FeeVolume {
  readonly #owner: Address;
  readonly #model: FeeModel;
  readonly #markets: ReadonlyMap<MarketId, TradedMarket>;
  #isStale = false;

  constructor(markets: readonly Market[], owner: Address, model: FeeModel) {
    this.#owner = owner;
    this.#model = model;
    this.#markets = new Map(
      markets.map((market) => {
        const rates = model.ratesOf(market, ZERO);
        return [market.marketId, { market, volume: ZERO, rates }];
      }),
    );
  }

  /** Adds the fills of a block. */
  add({ orderEvents }: Block): void {
    for (const { account, fill } of orderEvents) {
      const traded = fill === undefined ? undefined : this.#markets.get(fill.marketId);
      if (fill === undefined || traded === undefined || account !== this.#owner) continue;
      traded.volume = addFixed(traded.volume, mulFixed(fill.quantity, fill.price));
      this.#isStale = true;
    }
  }

  /** Sets the fees that the volume has reached since the last call. */
  applyTo(exchange: Exchange): void {
    if (!this.#isStale) return;
    this.#isStale = false;
    for (const traded of this.#markets.values()) {
      const { makerFee, takerFee } = traded.rates;
      const rates = this.#model.ratesOf(traded.market, traded.volume);
      if (rates.makerFee === makerFee && rates.takerFee === takerFee) continue;
      traded.rates = rates;
      exchange.setFees(traded.market.marketId, rates);
    }
  }
}
