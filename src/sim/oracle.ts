import { fromHex } from "../base/hex.ts";
import { BookSync } from "../book/book-sync.ts";
import { isCommand, makesOrder, type OrderingCommand } from "../domain/command.ts";
import { addFixed, subFixed, ZERO, type Fixed } from "../domain/fixed.ts";
import type { Address, OrderId, TokenId } from "../domain/ids.ts";
import { idsMadeBy } from "../domain/leg-ids.ts";
import type { Side } from "../domain/side.ts";
import type { Market } from "../domain/market.ts";
import type { Fill } from "../domain/order.ts";
import type { Exchange } from "../exchange/exchange.ts";
import type { OrderRecord, UserTrade } from "../exchange/records.ts";
import { FillLedger } from "../orders/fill-ledger.ts";
import type { OrderSnapshot } from "../orders/order-snapshot.ts";
import { Position } from "../orders/position.ts";
import type { HttpRequest } from "../ports/http.ts";
import type { ObservedEntry } from "../runtime/observers.ts";
import { commands } from "../spec/commands.ts";
import { decodeTransaction } from "../spec/transaction.ts";

const everything = { fromMs: 0, toMs: Number.MAX_SAFE_INTEGER, limit: 100_000 };

/** A signed transaction on its way to the venue. */
export interface SeenTransaction {
  readonly bytesHex: string;
  readonly nonce: number;
  readonly isCancel: boolean;
}

/** What is known of one simulated world: what the bot told its observers over all its runs, and what the venue really is. */
export class Oracle {
  exchange: Exchange;
  /** The venue started anew with nothing of what it had. */
  hasForgotten = false;
  readonly owner: Address;
  readonly market: Market;
  /** Every order that the bot's observers have seen, and whether it is over for the bot. */
  readonly orders = new Map<OrderId, "live" | "ended">();
  /** Those of them that are legs of a quote. */
  readonly legs = new Set<OrderId>();
  /** What legs executed, as the bot told. */
  readonly legFills: Fill[] = [];
  /** Orders of the account that another program placed. */
  readonly foreign = new Set<OrderId>();
  /** Own fills, each once, over all runs. */
  readonly position: Position;
  fills = 0;
  /** Fills that were told more than once: a bug. */
  readonly repeatedFills: string[] = [];
  /** The bot's book, followed from the same inputs. */
  book: BookSync;
  /** Net base known when the present run began: its position limit counts from there. */
  runStartBase: Fixed = ZERO;
  /** How often something worth reaching was reached. */
  readonly reached = new Map<string, number>();
  /** The newest journal lost something to its disk: the next run may learn a second time what an earlier one knew. */
  hasJournalGap = false;
  readonly #ledger = new FillLedger();
  /** The same of the present run alone. */
  #runLedger = new FillLedger();
  /** What was sent to make an order of that id. */
  readonly #sent = new Map<OrderId, { readonly side: Side; readonly quantity: Fixed }>();
  /** Intents of placements whose hash is not told yet. */
  readonly #placed = new Map<number, OrderingCommand>();

  constructor(exchange: Exchange, owner: Address, market: Market) {
    this.exchange = exchange;
    this.owner = owner;
    this.market = market;
    this.position = new Position(market);
    this.book = new BookSync(market.marketId);
  }

  reach(what: string): void {
    this.reached.set(what, (this.reached.get(what) ?? 0) + 1);
  }

  /** The venue's process is another one. */
  venueStarts(exchange: Exchange, forgot: boolean): void {
    this.exchange = exchange;
    if (!forgot) return;
    this.hasForgotten = true;
    this.foreign.clear();
  }

  /** A new process of the bot begins. */
  runStarts(): void {
    this.book = new BookSync(this.market.marketId);
    this.runStartBase = this.position.base;
    this.#runLedger = new FillLedger();
    this.#placed.clear();
  }

  entry({ batch, effects, notes }: ObservedEntry): void {
    for (const input of batch.inputs) {
      switch (input.type) {
        case "depth":
          this.book.onDepth(input.event);
          break;
        case "book":
          this.book.onSnapshot(input.snapshot);
          break;
        case "depthAudit":
          this.book.onAudit(input.snapshot);
          break;
        case "stream":
          if (input.state !== "opened" && input.state !== "closed") break;
          this.book.onStream(input.state);
          this.reach(`stream ${input.state}`);
          break;
        case "signed":
          this.#signed(input.intent, input.txHash);
          break;
        case "restored":
          // Signed, and never sent: the disk lost it.
          for (const orderId of this.orders.keys()) this.orders.set(orderId, "ended");
          for (const { orderId, leg } of input.restored.orders) {
            this.orders.set(orderId, "live");
            if (leg !== undefined) this.legs.add(orderId);
            this.reach("order restored");
          }
          break;
        case "response":
          this.reach(`answer ${input.outcome.type}`);
          break;
        default:
          break;
      }
    }
    for (const effect of effects) {
      this.reach(`effect ${effect.type}`);
      if (isCommand(effect) && makesOrder(effect)) this.#placed.set(effect.intent, effect);
    }
    for (const note of notes) {
      if (note.type === "fill") {
        const { orderId, tradeId } = note.fill;
        const isNew = this.#ledger.add(orderId, tradeId);
        const isNewsToRun = this.#runLedger.add(orderId, tradeId);
        if (!isNewsToRun || !(isNew || this.hasJournalGap)) this.repeatedFills.push(tradeId);
        if (!isNew) {
          // The run counts from its own start: what it learns anew is not to move that.
          const again = new Position(this.market);
          again.apply(note.fill);
          this.runStartBase = subFixed(this.runStartBase, again.base);
          continue;
        }
        this.position.apply(note.fill);
        if (this.legs.has(orderId)) this.legFills.push(note.fill);
        this.fills += 1;
        this.reach("fill");
      } else if (note.type === "order") {
        this.#order(note.order, note.before?.isTriggered === true);
      } else if (note.type === "warning") {
        this.reach(`warning ${note.code}`);
      } else if (note.type === "denied") {
        this.reach(`denied ${note.reason.rule}`);
      }
    }
  }

  #order(
    { orderId, role, state, status, isTriggered }: OrderSnapshot,
    wasTriggered: boolean,
  ): void {
    if (isTriggered && !wasTriggered) this.reach(`${role} triggered`);
    if (orderId === undefined) return;
    this.orders.set(orderId, state === "ended" ? "ended" : "live");
    this.reach(role === "quote" ? `order ${status}` : `${role} ${status}`);
  }

  #signed(intent: number, txHash: OrderId): void {
    const command = this.#placed.get(intent);
    if (command === undefined) return;
    this.#placed.delete(intent);
    const [id, ...legs] = idsMadeBy(command, txHash);
    if (id !== undefined) this.orders.set(id, "live");
    const { side } = command;
    const quantity = command.type === "modify" ? command.newQty : command.quantity;
    this.#sent.set(txHash, { side, quantity });
    for (const leg of legs) {
      this.orders.set(leg, "live");
      this.legs.add(leg);
    }
  }

  /** What orders may still trade that are held for live and have not reached the venue. */
  mayLand(side: Side): Fixed {
    let sum = ZERO;
    for (const [orderId, state] of this.orders) {
      const sent = this.#sent.get(orderId);
      if (state !== "live" || sent?.side !== side) continue;
      if (this.exchange.order(orderId) === undefined) sum = addFixed(sum, sent.quantity);
    }
    return sum;
  }

  /** The bot's open orders as the venue has them: all of the account but the foreign ones. */
  openAtVenue(): OrderRecord[] {
    return this.exchange
      .openOrders(this.owner, everything)
      .filter(({ orderId }) => !this.foreign.has(orderId));
  }

  /** Every execution of the bot's orders, newest first. */
  tradesAtVenue(): UserTrade[] {
    return this.#trades().filter(({ orderId }) => !this.foreign.has(orderId));
  }

  /** All of a token that the account has, less what foreign orders made of it. */
  total(token: TokenId): Fixed {
    const held = this.exchange.balances(this.owner).find(({ tokenId }) => tokenId === token);
    const total = held === undefined ? ZERO : addFixed(held.locked, held.unlocked);
    const { base, quote } = this.#foreignPosition();
    return subFixed(total, token === this.market.baseToken ? base : quote);
  }

  /** The foreign orders that are open at the venue. */
  openForeign(): number {
    const open = this.exchange.openOrders(this.owner, everything);
    return open.filter(({ orderId }) => this.foreign.has(orderId)).length;
  }

  /** Far from the market as they are, a taker may sweep an empty side down to them. */
  #foreignPosition(): Position {
    const position = new Position(this.market);
    const executed = (orderId: OrderId) => this.exchange.order(orderId)?.executedQty ?? ZERO;
    if ([...this.foreign].every((orderId) => executed(orderId) === ZERO)) return position;
    for (const trade of this.#trades()) if (this.foreign.has(trade.orderId)) position.apply(trade);
    return position;
  }

  #trades(): UserTrade[] {
    return this.exchange.userTrades(this.owner, everything);
  }
}

/** The transaction in a request's body; undefined when there is none. */
export function transactionOf(request: HttpRequest, chainId: number): SeenTransaction | undefined {
  if (request.method !== "POST" || request.body === undefined) return undefined;
  const { tx } = JSON.parse(request.body) as { tx?: string };
  const bytes = tx === undefined ? undefined : fromHex(tx);
  if (tx === undefined || bytes === undefined) return undefined;
  const decoded = decodeTransaction(bytes, chainId);
  if (!decoded.ok) return undefined;
  const { nonce, data } = decoded.value;
  return { bytesHex: tx, nonce, isCancel: data[0] === commands.cancel.byte };
}
