import { isCommand, makesOrder, type OrderingCommand } from "../domain/command.ts";
import { addFixed, subFixed, ZERO, type Fixed } from "../domain/fixed.ts";
import type { Address, MarketId, OrderId, TokenId } from "../domain/ids.ts";
import { idsMadeBy } from "../domain/leg-ids.ts";
import type { Market } from "../domain/market.ts";
import type { Fill } from "../domain/order.ts";
import type { Exchange } from "../exchange/exchange.ts";
import type { OrderRecord, UserTrade } from "../exchange/records.ts";
import type { OrderSnapshot } from "../orders/order-snapshot.ts";
import type { RestoredOrder } from "../orders/restored-order.ts";
import type { ObservedEntry } from "../runtime/observers.ts";
import { Coverage } from "./coverage.ts";
import { Deposits } from "./deposits.ts";
import { LostOrders } from "./lost-orders.ts";
import { NaivePosition } from "./naive-position.ts";
import { OncePerBlock } from "./once-per-block.ts";
import { OwnPrices } from "./own-prices.ts";
import { PossibleBooks } from "./possible-books.ts";
import { ADOPTED, ToldMoney } from "./told-money.ts";

const unlimited = { fromMs: 0, toMs: Number.MAX_SAFE_INTEGER, limit: 100_000 };

/**
 * Independent model of one market of the simulated world: what the bot told its observers over all runs, and the state of the venue.
 */
export class Oracle {
  exchange: Exchange;
  readonly owner: Address;
  readonly market: Market;
  /** Every order reported to the bot's observers, and whether the bot considers it over. */
  readonly orders = new Map<OrderId, "live" | "ended">();
  /** The orders among them that are legs of a quote. */
  readonly legs = new Set<OrderId>();
  /** The orders among them that are takes. */
  readonly takes = new Set<OrderId>();
  /** Orders of the same account that are not the bot's: placed by another program or by hand, and not taken over. */
  readonly foreign = new Set<OrderId>();
  /** Those among them that the operator has told the bot to cancel. */
  readonly givenUp = new Set<OrderId>();
  /** Orders that strategies have taken over. */
  readonly takenOver = new Set<OrderId>();
  /** What the bot reported of its money. */
  readonly money: ToldMoney;
  /** What the bot's book may be by the events and whole books that were delivered to the current run. */
  books = new PossibleBooks();
  /** In the newest step the bot gave a book up, and said that it had one in sync at its end; undefined when it said nothing of that kind. */
  bookNews: { readonly isLostForNothing: boolean; readonly isLive: boolean } | undefined;
  /** Prices of the current run's own orders. */
  ownPrices = new OwnPrices();
  /** The same for all markets, as `lost`. */
  readonly coverage: Coverage;
  readonly lost: LostOrders;
  /** Since when an order has been of unknown outcome to the running bot, by id. */
  readonly #unknownSinceMs = new Map<OrderId, number>();
  /** The newest journal lost data on its disk, so the next run may learn some fills a second time. */
  hasJournalGap = false;
  /** The venue's clock has gone back: nonces below those of earlier runs are taken. */
  hasVenueClockGoneBack = false;
  /** The clock of the bot's machine has been set. */
  hasClockJumped = false;
  readonly deposits = new Deposits();
  readonly #openOrders = new OncePerBlock((exchange) => exchange.openOrders(this.owner, unlimited));
  readonly #userTrades = new OncePerBlock((exchange) => exchange.userTrades(this.owner, unlimited));
  /** Placements by intent whose hash is not known yet. */
  readonly #placed = new Map<number, OrderingCommand>();
  /** The nonce of each order's command. */
  readonly nonces = new Map<OrderId, number>();

  constructor(
    exchange: Exchange,
    owner: Address,
    market: Market,
    { coverage = new Coverage(), lost = new LostOrders() } = {},
  ) {
    this.coverage = coverage;
    this.lost = lost;
    this.exchange = exchange;
    this.owner = owner;
    this.market = market;
    this.money = new ToldMoney(market, lost);
  }

  get reached(): ReadonlyMap<string, number> {
    return this.coverage.reached;
  }

  reach(what: string): void {
    this.coverage.reach(what);
  }

  lasted(what: string, ms: number): void {
    this.coverage.lasted(what, ms);
  }

  /** Call when the venue has restarted. */
  venueStarts(exchange: Exchange): void {
    this.exchange = exchange;
  }

  /** Call when a new process of the bot starts. */
  runStarts(): void {
    this.books = new PossibleBooks();
    this.ownPrices = new OwnPrices();
    this.money.runStarts();
    this.#placed.clear();
    this.#unknownSinceMs.clear();
  }

  /** Takes a step; its effects and notes are those of this market. */
  entry({ batch, effects, notes }: ObservedEntry): void {
    const { marketId } = this.market;
    const bookNotes = notes.filter((note) => note.type === "bookState");
    const hasLostBook = bookNotes.some(({ state }) => state !== "live");
    const endsBlind = (bookNotes.at(-1)?.state ?? "live") !== "live";
    let hasCause = false;
    this.ownPrices.stepBegins();
    for (const input of batch.inputs) {
      // Notes do not tell before which input that was.
      if (hasLostBook) this.books.mayBeGivenUp();
      switch (input.type) {
        case "depth":
          if (input.event.marketId !== marketId) break;
          if (!this.books.event(input.event)) hasCause = true;
          break;
        case "book":
          if (input.snapshot.marketId === marketId) this.books.whole(input.snapshot);
          break;
        case "stream":
          if (input.state === "opened") this.books.opened();
          else if (input.state === "closed") this.books.closed();
          hasCause = true;
          break;
        case "resubscribed":
          if (input.channel.kind !== "depth" || input.channel.marketId !== marketId) break;
          this.books.opened();
          hasCause = true;
          break;
        case "signed":
          this.#signed(input.intent, input.txHash);
          break;
        case "restored":
          // Orders that are not restored were signed but never sent: the disk lost them.
          for (const orderId of this.orders.keys()) this.orders.set(orderId, "ended");
          for (const { orderId, leg, take, marketId: of, side, price } of input.restored.orders) {
            if (of !== marketId) continue;
            this.ownPrices.restored(orderId, side, price);
            this.orders.set(orderId, "live");
            this.lost.restored(orderId);
            if (leg !== undefined) this.legs.add(orderId);
            if (take !== undefined) this.takes.add(orderId);
            this.reach("order restored");
          }
          break;
        default:
          break;
      }
    }
    if (endsBlind) this.books.isGivenUp();
    this.bookNews =
      bookNotes.length === 0
        ? undefined
        : { isLostForNothing: hasLostBook && !hasCause, isLive: !endsBlind };
    for (const effect of effects) {
      if (effect.type === "adopt" && this.foreign.has(effect.order.orderId))
        this.#taken(effect.order);
      if (isCommand(effect) && makesOrder(effect)) this.#placed.set(effect.intent, effect);
    }
    for (const note of notes) {
      if (note.type === "fill") {
        if (this.money.told(note.fill, note.strategy, this.hasJournalGap)) this.reach("fill");
      } else if (note.type === "order") {
        this.ownPrices.order(note);
        this.#order(note.order, note.before?.isTriggered === true);
        this.#unknown(note.order, batch.nowMs);
      }
    }
  }

  /** An order of a foreign hand is a strategy's own from now on, all its fills included. One that a power cut makes look lost stays foreign. */
  #taken({ orderId, strategy, marketId, side, price }: RestoredOrder): void {
    if (strategy === ADOPTED) return;
    this.foreign.delete(orderId);
    if (marketId !== this.market.marketId) return;
    const executed = this.exchange.order(orderId)?.executedQty ?? ZERO;
    this.reach(executed === ZERO ? "order taken over" : "order with fills taken over");
    this.takenOver.add(orderId);
    this.orders.set(orderId, "live");
    this.ownPrices.restored(orderId, side, price);
  }

  #order(
    { orderId, role, state, status, isTriggered }: OrderSnapshot,
    wasTriggered: boolean,
  ): void {
    if (isTriggered && !wasTriggered) this.reach(`${role} triggered`);
    if (orderId === undefined) return;
    this.lost.found(orderId);
    this.orders.set(orderId, state === "ended" ? "ended" : "live");
    this.reach(role === "quote" ? `order ${status}` : `${role} ${status}`);
  }

  #unknown({ orderId, state }: OrderSnapshot, nowMs: number): void {
    if (orderId === undefined) return;
    if (state === "unknown") {
      if (!this.#unknownSinceMs.has(orderId)) this.#unknownSinceMs.set(orderId, nowMs);
      return;
    }
    const sinceMs = this.#unknownSinceMs.get(orderId);
    this.#unknownSinceMs.delete(orderId);
    if (sinceMs !== undefined) this.lasted("unknown", nowMs - sinceMs);
  }

  #signed(intent: number, txHash: OrderId): void {
    const command = this.#placed.get(intent);
    if (command === undefined) return;
    this.#placed.delete(intent);
    const ids = idsMadeBy(command, txHash);
    for (const orderId of ids) this.nonces.set(orderId, command.nonce);
    const [id, ...legs] = ids;
    if (id !== undefined) this.orders.set(id, "live");
    if (id !== undefined && command.type === "place" && command.take !== undefined) {
      this.takes.add(id);
    }
    for (const leg of legs) {
      this.orders.set(leg, "live");
      this.legs.add(leg);
    }
  }

  /** The bot's open orders at the venue: all of the account in this market except foreign ones. */
  openAtVenue(): OrderRecord[] {
    return this.#openOrders.of(this.exchange).filter((order) => this.#isOwn(order));
  }

  /** An open order that the bot should have named, and has not. One that the disk lost and no run has found, it cannot name. */
  openUnnamed(named: readonly OrderId[]): OrderRecord | undefined {
    return this.openAtVenue().find(
      ({ orderId }) => !named.includes(orderId) && !this.lost.isUnfound(orderId),
    );
  }

  /** A quote that rests at the venue, that the bot knows to be live, and that no command is to end. */
  restingQuote(
    isLeaving: (orderId: OrderId) => boolean,
    isKnown: (orderId: OrderId) => boolean = () => true,
  ): OrderRecord | undefined {
    return this.openAtVenue().find((order) => {
      const { orderId } = order;
      const isLive = this.orders.get(orderId) === "live";
      return this.isQuote(order) && isLive && !isLeaving(orderId) && isKnown(orderId);
    });
  }

  /** A plain quote or the entry of one with legs: no stop order, leg or take. */
  readonly isQuote = ({ orderId, isTrigger, otoLegType }: OrderRecord): boolean =>
    !isTrigger &&
    (otoLegType === "NONE" || otoLegType === "WORKING_LEG") &&
    !this.takes.has(orderId);

  /** Every execution of the bot's orders at the venue, newest first. */
  tradesAtVenue(): UserTrade[] {
    return this.#trades().filter((trade) => this.#isOwn(trade));
  }

  /**
   * The base token that the bot may know itself to hold: by the fills of which it was told or by the venue's trades, with and without
   * those of orders that the disk lost.
   */
  knownPositions(): Fixed[] {
    const trades = this.tradesAtVenue();
    const atVenue = baseOf(trades);
    const told = this.money.all.position.base;
    const hidden = trades.filter((trade) => this.lost.hides(trade));
    if (hidden.length === 0) return [told, atVenue];
    const hiddenTold = hidden.filter((trade) => this.money.has(trade));
    return [told, atVenue, subFixed(told, baseOf(hiddenTold)), subFixed(atVenue, baseOf(hidden))];
  }

  /** The account's total of a token, without the effect of foreign orders, other markets and deposits. */
  total(token: TokenId): Fixed {
    const other = addFixed(this.#otherChange(token), this.deposits.total(token));
    return subFixed(this.balance(token), other);
  }

  /** The account's total of a token, locked and free. */
  balance(token: TokenId): Fixed {
    const held = this.exchange.ledger.find(this.owner)?.balances.get(token);
    return held === undefined ? ZERO : addFixed(held.locked, held.unlocked);
  }

  /** What trades of any market changed of the account's total of a token. */
  changeBy(trades: readonly Fill[], token: TokenId): Fixed {
    const positions = new Map<MarketId, NaivePosition>(
      this.exchange.markets.map((market) => [market.marketId, new NaivePosition(market)]),
    );
    for (const trade of trades) positions.get(trade.marketId)?.apply(trade);
    let sum = ZERO;
    for (const { marketId, baseToken, quoteToken } of this.exchange.markets) {
      const { base = ZERO, quote = ZERO } = positions.get(marketId) ?? {};
      if (baseToken === token) sum = addFixed(sum, base);
      if (quoteToken === token) sum = addFixed(sum, quote);
    }
    return sum;
  }

  /** Number of foreign orders open at the venue that it dates no later than `untilMs`. */
  openForeign(untilMs = Number.POSITIVE_INFINITY): number {
    if (this.foreign.size === 0) return 0;
    const open = this.#openOrders.of(this.exchange);
    return open.filter(
      ({ orderId, createdAtMs }) => createdAtMs <= untilMs && this.foreign.has(orderId),
    ).length;
  }

  #isOwn({ orderId, marketId }: Pick<UserTrade, "orderId" | "marketId">): boolean {
    return marketId === this.market.marketId && !this.foreign.has(orderId);
  }

  /** Foreign orders rest far from the market, but a taker may sweep an empty side down to them. */
  #otherChange(token: TokenId): Fixed {
    const executed = (orderId: OrderId) => this.exchange.order(orderId)?.executedQty ?? ZERO;
    const others = this.exchange.markets.filter(
      ({ marketId }) => marketId !== this.market.marketId,
    );
    const isShared = others.some(({ baseToken, quoteToken }) =>
      [baseToken, quoteToken].includes(token),
    );
    if (!isShared && [...this.foreign].every((orderId) => executed(orderId) === ZERO)) return ZERO;
    return this.changeBy(
      this.#trades().filter((trade) => !this.#isOwn(trade)),
      token,
    );
  }

  #trades(): readonly UserTrade[] {
    return this.#userTrades.of(this.exchange);
  }
}

/** What these trades have bought less what they have sold, base token. */
function baseOf(trades: readonly UserTrade[]): Fixed {
  let sum = ZERO;
  for (const { side, quantity } of trades) {
    sum = side === "BUY" ? addFixed(sum, quantity) : subFixed(sum, quantity);
  }
  return sum;
}
