import type { OrderId } from "../../domain/ids.ts";
import { opposite, type Side } from "../../domain/side.ts";
import { fixedToNumber } from "../../domain/fixed.ts";
import type { Invariant } from "../invariant.ts";

/**
 * A quote takes liquidity only if the market moved: never when it crossed both the book from which it was decided and the venue's
 * book when it was sent.
 */
export const takerFills: Invariant = {
  name: "taker-fills",
  watch({ oracle }) {
    /** By nonce: crossed the book that the bot had been fed. Entries are published after the commands were sent. */
    const decided = new Set<number>();
    /** By nonce: crossed the venue's book when it was sent. */
    const sent = new Map<number, OrderId>();
    const crosses = (side: Side, price: number, touch: number | undefined): boolean =>
      touch !== undefined && (side === "BUY" ? price >= touch : price <= touch);
    const touchAtVenue = (side: Side): number | undefined => {
      const { bids, asks } = oracle.exchange.book(oracle.market.marketId, 1);
      return (side === "BUY" ? asks : bids)[0]?.price;
    };
    const crossesFed = (side: Side, price: number): boolean => {
      const { live } = oracle.books;
      const crossed = live.filter((book) => crosses(side, price, book.bestPrice(opposite(side))));
      return live.length > 0 && crossed.length === live.length;
    };
    return {
      entry({ effects }) {
        for (const effect of effects) {
          if (effect.type !== "place" && effect.type !== "modify") continue;
          if (effect.type === "place" && effect.orderType !== "LIMIT") continue;
          if (effect.type === "place" && effect.take !== undefined) continue;
          const price = effect.type === "place" ? effect.price : effect.newPrice;
          if (crossesFed(effect.side, price)) decided.add(effect.nonce);
        }
        return undefined;
      },
      request(transaction) {
        if (transaction === undefined) return undefined;
        const { command, nonce, hash } = transaction;
        if (command.type === "place" && command.orderType === "LIMIT") {
          const price = fixedToNumber(command.price);
          if (crosses(command.side, price, touchAtVenue(command.side))) sent.set(nonce, hash);
        } else if (command.type === "modify" && command.price !== undefined) {
          const side = oracle.exchange.order(command.orderId)?.side;
          const price = fixedToNumber(command.price);
          if (side !== undefined && crosses(side, price, touchAtVenue(side))) sent.set(nonce, hash);
        }
        return undefined;
      },
      ended() {
        const crossed = new Set<OrderId>();
        for (const [nonce, hash] of sent) if (decided.has(nonce)) crossed.add(hash);
        const taken = oracle
          .tradesAtVenue()
          .find(({ orderId, isMaker }) => !isMaker && crossed.has(orderId));
        return taken === undefined
          ? undefined
          : `${taken.orderId} took liquidity, and crossed the book when it was decided and when it was sent`;
      },
    };
  },
};
