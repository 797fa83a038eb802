import { BookSync } from "../book/book-sync.ts";
import type { MarketId } from "../domain/ids.ts";
import { getOrMake } from "../base/get-or-make.ts";
import type { Input } from "../kernel/input.ts";
import { isCommand } from "../domain/command.ts";
import type { Side } from "../domain/side.ts";
import { fixedText } from "../domain/fixed.ts";
import { feedBook } from "../kernel/feed-book.ts";
import type { Note } from "../kernel/note.ts";
import type { OrderSnapshot } from "../orders/order-snapshot.ts";
import { operatorText } from "./operator-text.ts";
import { commandData, commandText, decisionText, denialData, denialLine } from "./order-story.ts";
import type { Decided, RerunStep } from "./rerun.ts";

/** Levels of a book's side. */
const LEVELS = 11;
/** Events this long before and after a moment are shown. */
const AROUND_MS = 500;

export interface MomentOrder {
  readonly orderId: string | undefined;
  readonly role: string;
  readonly side: Side;
  readonly price: number;
  readonly quantity: string;
  readonly executed: string;
  readonly state: string;
  readonly reason: string;
}

/** One strategy in one market at a moment. */
export interface MomentStrategy {
  readonly strategy: string;
  readonly marketId: MarketId;
  /** Its newest decision that set targets, and when; undefined before its first. */
  readonly targets: (Decided & { readonly seq: number; readonly timeMs: number }) | undefined;
  /** Why a side has no quote; a side that has one is left out. */
  readonly notQuoted: Partial<Readonly<Record<Side, string>>>;
  readonly orders: readonly MomentOrder[];
  /** Price and quantity of the best levels, own orders included; null while the book was not live. */
  readonly book: Readonly<Record<"bids" | "asks", readonly (readonly [number, number])[]>> | null;
}

export interface MomentEvent {
  readonly seq: number;
  readonly timeMs: number;
  readonly what:
    | "inputs"
    | "operator"
    | "decision"
    | "denied"
    | "command"
    | "order"
    | "fill"
    | "reason"
    | "warning";
  readonly text: string;
  readonly data: Readonly<Record<string, unknown>>;
}

/** What a run was doing at a moment, and what happened in the second around it. */
export interface MomentStory {
  /** The newest batch that is not after the moment; undefined when the run began later. */
  readonly seq: number | undefined;
  /** Time of the run's last batch when the moment is after it: what the bot knew then; undefined for a moment within the run. */
  readonly endedMs: number | undefined;
  readonly strategies: readonly MomentStrategy[];
  readonly events: readonly MomentEvent[];
  /** False when this version decides differently from the recording before the moment; then only inputs and commands are known. */
  readonly isFaithful: boolean;
}

interface StrategyState extends Pick<MomentStrategy, "strategy" | "marketId"> {
  targets: MomentStrategy["targets"];
  readonly reasons: Partial<Record<Side, string>>;
}

/** The state of targets and orders at a time, and the events of the second around it. */
export function momentStory(steps: Iterable<RerunStep>, atMs: number): MomentStory {
  const states = new Map<string, StrategyState>();
  const orders = new Map<number, OrderSnapshot>();
  const books = new Map<MarketId, BookSync>();
  const events: MomentEvent[] = [];
  let seq: number | undefined;
  let lastMs: number | undefined;
  let isFaithful = true;
  let strategies: readonly MomentStrategy[] | undefined;
  for (const step of steps) {
    const { batch } = step.entry;
    lastMs = batch.nowMs;
    if (batch.nowMs > atMs) strategies ??= strategiesOf(states, orders, books);
    if (batch.nowMs > atMs + AROUND_MS) break;
    if (batch.nowMs <= atMs) ({ seq } = batch);
    ({ isFaithful } = step);
    follow(step, states, orders);
    for (const input of batch.inputs) followBooks(books, input);
    if (batch.nowMs >= atMs - AROUND_MS) events.push(...eventsOf(step));
  }
  const endedMs = lastMs !== undefined && lastMs < atMs ? lastMs : undefined;
  return {
    seq,
    endedMs,
    strategies: strategies ?? strategiesOf(states, orders, books),
    events,
    isFaithful,
  };
}

function follow(
  step: RerunStep,
  states: Map<string, StrategyState>,
  orders: Map<number, OrderSnapshot>,
): void {
  const { seq, nowMs } = step.entry.batch;
  for (const decided of step.decided) {
    const state = stateOf(states, decided);
    if (decided.type === "set") state.targets = { ...decided, seq, timeMs: nowMs };
  }
  for (const note of step.notes) {
    if (note.type === "order") {
      if (note.order.state === "ended") orders.delete(note.order.intent);
      else orders.set(note.order.intent, note.order);
    }
    if (note.type !== "quoteReason") continue;
    const { reasons } = stateOf(states, note);
    if (note.reason === undefined) Reflect.deleteProperty(reasons, note.side);
    else reasons[note.side] = note.reason;
  }
}

function stateOf(
  states: Map<string, StrategyState>,
  { strategy, marketId }: Pick<StrategyState, "strategy" | "marketId">,
): StrategyState {
  return getOrMake(states, `${strategy} ${marketId}`, () => ({
    strategy,
    marketId,
    targets: undefined,
    reasons: {},
  }));
}

function strategiesOf(
  states: ReadonlyMap<string, StrategyState>,
  orders: ReadonlyMap<number, OrderSnapshot>,
  books: ReadonlyMap<MarketId, BookSync>,
): readonly MomentStrategy[] {
  return [...states.values()].map(({ strategy, marketId, targets, reasons }) => ({
    strategy,
    marketId,
    targets,
    notQuoted: { ...reasons },
    orders: [...orders.values()]
      .filter((order) => order.strategy === strategy && order.marketId === marketId)
      .map(momentOrder),
    book: bookOf(books.get(marketId)),
  }));
}

/** A run reads no book and no depth of a market before its stream has opened, so a book may begin with its market's first message. */
function followBooks(books: Map<MarketId, BookSync>, input: Input): void {
  const marketId =
    input.type === "depth"
      ? input.event.marketId
      : input.type === "book"
        ? input.snapshot.marketId
        : undefined;
  if (marketId !== undefined && !books.has(marketId)) {
    const sync = new BookSync(marketId);
    sync.onStream("opened");
    books.set(marketId, sync);
  }
  for (const sync of books.values()) feedBook(sync, input);
}

function bookOf(sync: BookSync | undefined): MomentStrategy["book"] {
  const { live } = sync ?? {};
  if (live === undefined) return null;
  const side = (of: Side): readonly (readonly [number, number])[] => {
    const flat = [...live.side(of).top(LEVELS)];
    return flat.flatMap((price, at) => (at % 2 === 0 ? [[price, flat[at + 1] ?? 0] as const] : []));
  };
  return { bids: side("BUY"), asks: side("SELL") };
}

function momentOrder(order: OrderSnapshot): MomentOrder {
  const { orderId, role, side, price, quantity, executed, state, reason } = order;
  return {
    orderId,
    role,
    side,
    price,
    quantity: fixedText(quantity),
    executed: fixedText(executed),
    state,
    reason,
  };
}

function eventsOf(step: RerunStep): readonly MomentEvent[] {
  const { batch, effects, signed } = step.entry;
  const { seq, nowMs: timeMs } = batch;
  const events: MomentEvent[] = [];
  const tell = (what: MomentEvent["what"], text: string, data: MomentEvent["data"]): void => {
    events.push({ seq, timeMs, what, text, data });
  };
  if (batch.inputs.length > 0) {
    const types = batch.inputs.map(({ type }) => type);
    tell("inputs", types.join(", "), { types });
  }
  for (const input of batch.inputs) {
    const text = operatorText(input);
    if (text !== undefined) tell("operator", text, { ...input });
  }
  for (const decided of step.decided) tell("decision", decisionText(decided), { ...decided });
  for (const note of step.notes) tellNote(note, tell);
  for (const effect of effects) {
    if (!isCommand(effect)) continue;
    const txHash = signed.find(({ intent }) => intent === effect.intent)?.txHash;
    tell("command", `${effect.strategy}: ${commandText(effect)}`, commandData(effect, txHash));
  }
  return events;
}

function tellNote(
  note: Note,
  tell: (what: MomentEvent["what"], text: string, data: MomentEvent["data"]) => void,
): void {
  switch (note.type) {
    case "denied":
      tell("denied", `${note.strategy}: ${denialLine(note)}`, denialData(note));
      return;
    case "quoteReason": {
      const { strategy, side, reason, inPart } = note;
      const less = inPart ? `less ${side}` : `no ${side}`;
      const text = reason === undefined ? `quotes ${side} again` : `${less}: ${reason}`;
      tell("reason", `${strategy}: ${text}`, { strategy, side, reason: reason ?? null });
      return;
    }
    case "order": {
      const order = momentOrder(note.order);
      const { side, price, state, reason } = order;
      const ending = reason === "" ? "" : `: ${reason}`;
      tell("order", `${note.strategy}: ${side} at ${price} is ${state}${ending}`, { ...order });
      return;
    }
    case "fill": {
      const { side, price, quantity, orderId } = note.fill;
      const data = { orderId, side, price: fixedText(price), quantity: fixedText(quantity) };
      tell("fill", `${note.strategy}: ${side} ${data.quantity} at ${data.price}`, data);
      return;
    }
    case "balanceDrift":
    case "doubt":
    case "warning":
      tell("warning", note.message, { code: note.code });
      return;
    case "strategyFault":
      tell("warning", `${note.strategy} failed: ${note.message}`, { strategy: note.strategy });
      return;
    default:
      return;
  }
}
