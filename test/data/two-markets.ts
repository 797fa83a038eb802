import { amount, defineStrategy, inMarkets, noQuotes, setQuotes, share, z } from "touchline";

export default defineStrategy({
  name: "two-markets",
  summary: "Quotes around the mid of one market, and works what it holds back to 0 in another.",
  markets: ["main", "hedge"],
  params: z.strictObject({ spread: share(), size: amount() }),
  init: () => ({}),
  decide({ view, params: { spread, size } }) {
    const { main, hedge } = view.markets;
    const { mid } = main.book;
    const held = main.position.base.plus(hedge.position.base);
    const side = held.isNegative() ? "bids" : "asks";
    const price = hedge.book.best(side === "bids" ? "BUY" : "SELL")?.price;
    const bids = [{ price: (mid ?? 0) * (1 - spread), size }];
    const asks = [{ price: (mid ?? 0) * (1 + spread), size }];
    const canHedge = mid !== undefined && hedge.isFresh;
    return inMarkets({
      main: canHedge ? setQuotes({ bids, asks, tolerance: spread / 4 }) : noQuotes("no hedge"),
      hedge:
        price === undefined
          ? noQuotes("no price")
          : setQuotes({ [side]: [{ price, size: held.abs() }] }),
    });
  },
});
