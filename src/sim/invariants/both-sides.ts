import {
  addFixed,
  fixed,
  fixedToNumber,
  mulFixed,
  negFixed,
  subFixed,
  type Fixed,
  ZERO,
} from "../../domain/fixed.ts";
import type { OrderId } from "../../domain/ids.ts";
import type { Note } from "../../kernel/note.ts";
import { type Side, sides } from "../../domain/side.ts";
import type { WantedOrder } from "../decision-log.ts";
import type { Invariant } from "../invariant.ts";
import { NaiveSources } from "../naive-source.ts";
import { sessionLasts } from "../session-lasts.ts";
import { OTHER_MS, quotesRightMs } from "../troubles.ts";

const ABSENT_MS = 5_000;
/** A bot that uses this share of its rate may lack levels, and a side waits for its turn twice as long: a quarter is kept for cancels. */
const BUSY_SHARE = 0.6;

/**
 * What a strategy wants on a side stands again within five seconds of each fill, of a new decision and of the end of a trouble (30 s of a trouble
 * besides the network and of a 429, after which a bot begins with about one request a second). Excused: the position limit or the account's balances forbid it, with everything counted that the bot cannot
 * know to be lost; it would meet an own quote; the venue has rejected one of the side; the operator has paused the bot; a 429 tells it to wait; its session is about to end; a price source is of no use. Not judged with a
 * risk ladder, with limits that the bot derives, or with stop orders and legs, of which the venue decides what they lock.
 */
export const bothSides: Invariant = {
  name: "both-sides",
  isOfMaker: true,
  watch(world) {
    const { scenario, oracle, sent, wanted, elapsedMs, venueNowMs } = world;
    const { isInJournal, isBotAlive, isStopping, pausedSinceMs, limitedUntilMs, blockedMs } = world;
    const isJudged = !scenario.derivesLimits && Object.keys(scenario.triggers).length === 0;
    const limit = fixed(scenario.maxPosition);
    const { marketId, baseToken, quoteToken } = oracle.market;
    const perSecond = Math.min(
      scenario.rate.perSecond,
      scenario.venue.rateLimit.perSecond || Number.POSITIVE_INFINITY,
    );
    const sources = scenario.sources && new NaiveSources(scenario.sources, { elapsedMs });
    const mayWiden = scenario.sources?.whenOld === "widen";
    let requestsMs: number[] = [];
    /** Orders that the journal has and no request: a process died over them, and the next one cannot know that they were never sent. */
    const unsent = new Map<OrderId, Extract<Note, { type: "order" }>["order"]>();
    const requested = new Set<OrderId>();
    /** Since when each quote of a side has been missing; a new order stands for the one that has been missing longest. */
    const missingMs: Record<Side, number[]> = { BUY: [], SELL: [] };
    /** Own trades at the venue so far: an order that was filled as soon as it came has stood. */
    let trades = 0;
    /** The bot waits after a rejection, longer each time; `no-rejections` bounds how many there are. */
    const rejectedMs: Record<Side, number> = { BUY: -OTHER_MS, SELL: -OTHER_MS };
    /** What commands of which the bot knows nothing may still add to a side. */
    const underWay = (side: Side): { readonly base: Fixed; readonly quote: Fixed } => {
      let [base, quote] = [ZERO, ZERO];
      for (const order of unsent.values()) {
        if (order.side !== side || order.marketId !== marketId) continue;
        base = addFixed(base, order.quantity);
        quote = addFixed(quote, mulFixed(order.quantity, fixed(order.price.toFixed(8))));
      }
      for (const { command, hash } of sent.inDoubt(venueNowMs())) {
        if (oracle.exchange.orderStatus(hash) !== undefined) continue;
        if (command.type === "modify") {
          // Original and replacement both count until the replacement's size is read back (D23).
          const original = oracle.exchange.order(command.orderId);
          if (original?.side !== side || original.marketId !== marketId) continue;
          const { origQty, price } = original;
          for (const quantity of [origQty, command.quantity ?? origQty]) {
            base = addFixed(base, quantity);
            quote = addFixed(quote, mulFixed(quantity, command.price ?? price));
          }
        } else if (command.type === "place" && command.side === side) {
          if (command.marketId !== marketId) continue;
          base = addFixed(base, command.quantity);
          quote = addFixed(quote, mulFixed(command.quantity, command.price));
        }
      }
      return { base, quote };
    };
    const free = (token: typeof baseToken): Fixed =>
      oracle.exchange.ledger.find(oracle.owner)?.balances.get(token)?.unlocked ?? ZERO;
    const mayStand = ({ side, size, price }: WantedOrder, resting: Fixed): boolean => {
      const { base, quote } = underWay(side);
      const isBuy = side === "BUY";
      const fitsLimit = oracle.knownPositions().every((position) => {
        const held = isBuy ? position : negFixed(position);
        return addFixed(addFixed(held, resting), addFixed(base, size)) <= limit;
      });
      const need = isBuy
        ? addFixed(quote, mulFixed(size, fixed(price.toFixed(8))))
        : addFixed(base, size);
      const meetsOwn = oracle.openAtVenue().some((order) => {
        const other = fixedToNumber(order.price);
        return (
          order.side !== side && oracle.isQuote(order) && (isBuy ? price >= other : price <= other)
        );
      });
      return fitsLimit && !meetsOwn && need <= free(isBuy ? quoteToken : baseToken);
    };
    return {
      runStarts() {
        sources?.runStarts();
        unsent.clear();
      },
      request(transaction) {
        requestsMs.push(elapsedMs());
        if (transaction !== undefined) {
          requested.add(transaction.hash);
          unsent.delete(transaction.hash);
        }
        return undefined;
      },
      entry({ batch, notes }) {
        sources?.entry(batch);
        for (const note of notes) {
          if (note.type !== "order") continue;
          const { order } = note;
          const { orderId } = order;
          if (order.status === "REJECTED") rejectedMs[order.side] = elapsedMs();
          if (orderId === undefined) continue;
          if (order.phase === "ended") unsent.delete(orderId);
          else if (!requested.has(orderId) && isInJournal(orderId)) unsent.set(orderId, order);
        }
        return undefined;
      },
      tick() {
        const nowMs = elapsedMs();
        const wants = wanted().flatMap(({ quotes }) => quotes);
        const calmMs = Math.max(
          quotesRightMs(world),
          limitedUntilMs() + OTHER_MS,
          blockedMs() + ABSENT_MS,
        );
        const open = oracle.openAtVenue().filter(oracle.isQuote);
        const hasStops = oracle.legs.size > 0 || oracle.reached.has("effect stop");
        const isDue =
          isJudged && !hasStops && isBotAlive() && !isStopping() && pausedSinceMs() === undefined;
        requestsMs = requestsMs.filter((atMs) => nowMs - atMs <= ABSENT_MS);
        const isBusy = requestsMs.length >= BUSY_SHARE * perSecond * (ABSENT_MS / 1000);
        const all = oracle.tradesAtVenue();
        const newTrades = all.slice(0, all.length - trades);
        trades = all.length;
        for (const side of sides) {
          const quotes = wants.filter((quote) => quote.side === side && quote.isPlaced);
          const resting = open.filter((order) => order.side === side);
          const left = resting.reduce(
            (sum, { origQty, executedQty }) => addFixed(sum, subFixed(origQty, executedQty)),
            ZERO,
          );
          const needed = isBusy ? Math.min(1, quotes.length) : quotes.length;
          const isExcused =
            !isDue ||
            (!mayWiden && sources?.old() !== undefined) ||
            nowMs - rejectedMs[side] <= OTHER_MS ||
            !withoutOrder(quotes, resting).some((quote) => mayStand(quote, left)) ||
            !sessionLasts({ scenario, oracle, sent, venueNowMs }, ABSENT_MS);
          const missing = isExcused ? 0 : Math.max(0, needed - resting.length);
          const since = missingMs[side];
          if (newTrades.some((trade) => trade.side === side)) since.fill(nowMs);
          since.splice(0, since.length - missing);
          while (since.length < missing) since.push(nowMs);
          const absentMs = nowMs - (since[0] ?? nowMs);
          if (nowMs < calmMs) continue;
          oracle.lasted("side absent", absentMs);
          if (absentMs > (isBusy ? 2 * ABSENT_MS : ABSENT_MS)) {
            since.fill(nowMs);
            return `only ${resting.length} of ${quotes.length} quotes of ${side} rest, for ${Math.round(absentMs)} ms, although another one is allowed`;
          }
        }
        return undefined;
      },
    };
  },
};

/** The quotes that are left when each order stands for the one with the nearest price. */
function withoutOrder(
  quotes: readonly WantedOrder[],
  orders: readonly { readonly price: Fixed }[],
): WantedOrder[] {
  const left = [...quotes];
  for (const order of orders) {
    const price = fixedToNumber(order.price);
    left.sort((a, b) => Math.abs(a.price - price) - Math.abs(b.price - price)).shift();
  }
  return left;
}
