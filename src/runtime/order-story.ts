import { isCommand, type Command } from "../domain/command.ts";
import { type Fixed, fixedText, plainNumber } from "../domain/fixed.ts";
import type { MarketId, OrderId } from "../domain/ids.ts";
import { placedOrders } from "../journal/placed-orders.ts";
import type { Input } from "../kernel/input.ts";
import type { Note } from "../kernel/note.ts";
import { denialText } from "../risk/gate.ts";
import type { OrderSnapshot } from "../orders/order-snapshot.ts";
import type { LegKind } from "../orders/order-snapshot.ts";
import type { Decided, RerunStep } from "./rerun.ts";

export type DeniedNote = Extract<Note, { type: "denied" }>;

/** One event in the story of an order. `what` names the kind of event, `text` says it to people; the other fields are its data. */
export interface StoryEvent {
  readonly seq: number;
  readonly timeMs: number;
  readonly what:
    | "decision"
    | "denied"
    | "placement"
    | "known"
    | "response"
    | "report"
    | "fill"
    | "state"
    | "cancel"
    | "modify"
    | "kept";
  readonly text: string;
  readonly data: Readonly<Record<string, unknown>>;
}

/** Denials this long before an order's placement, on its side, belong to its story. */
const DENIALS_MS = 1_000;

/**
 * The story of one order in one run: the decision that wanted it, what the risk rules said, its command, every response, report and
 * fill, and its end. Empty when the run does not know the order.
 */
export function orderStory(steps: Iterable<RerunStep>, orderId: OrderId): readonly StoryEvent[] {
  const story = new OrderStory(orderId);
  for (const step of steps) story.add(step);
  return story.events;
}

class OrderStory {
  readonly events: StoryEvent[] = [];
  readonly #orderId: OrderId;
  /** Known once the run placed it. */
  #marketId: MarketId | undefined;
  /** Newest decision of each strategy that set targets, and the batch in which it did. */
  readonly #decisions = new Map<string, { readonly decided: Decided; readonly step: RerunStep }>();
  #denials: { readonly note: DeniedNote; readonly step: RerunStep }[] = [];
  /** Requests about the order, by intent. */
  readonly #requests = new Map<
    number,
    { readonly type: Command["type"]; readonly sentMs: number }
  >();
  /** The kernel's number of the order, before its id is known to the kernel. */
  #intent: number | undefined;
  #toldSeq: number | undefined;
  #last: OrderSnapshot | undefined;
  #keptSteps = 0;
  #isKnown = false;

  constructor(orderId: OrderId) {
    this.#orderId = orderId;
  }

  add(step: RerunStep): void {
    for (const input of step.entry.batch.inputs) this.#input(step, input);
    this.#remember(step);
    this.#commands(step);
    for (const note of step.notes) this.#note(step, note);
  }

  #remember(step: RerunStep): void {
    for (const decided of step.decided) {
      if (decided.type === "set")
        this.#decisions.set(`${decided.strategy} ${decided.marketId}`, { decided, step });
    }
    const sinceMs = step.entry.batch.nowMs - DENIALS_MS;
    this.#denials = this.#denials.filter((denial) => denial.step.entry.batch.nowMs >= sinceMs);
    for (const note of step.notes) if (note.type === "denied") this.#denials.push({ note, step });
  }

  #commands(step: RerunStep): void {
    const { effects, signed, batch } = step.entry;
    const own = placedOrders(step.entry).find(({ orderId }) => orderId === this.#orderId);
    if (own !== undefined) this.#isKnown = true;
    for (const effect of effects) {
      if (effect.type === "adopt" && effect.order.orderId === this.#orderId) {
        this.#tell(step, "known", "adopted: the journal did not have it any more", {});
      }
      if (!isCommand(effect)) continue;
      const txHash = signed.find(({ intent }) => intent === effect.intent)?.txHash;
      const makes =
        effect.type !== "cancel" &&
        (txHash === this.#orderId || (own?.leg !== undefined && own.leg.of === txHash));
      const ends = "orderId" in effect && effect.orderId === this.#orderId;
      if (!makes && !ends) continue;
      this.#requests.set(effect.intent, { type: effect.type, sentMs: batch.nowMs });
      if (makes) this.#placement(step, effect, own?.leg?.kind);
      else {
        this.#decision(effect.strategy, this.#marketId);
        const what = effect.type === "modify" ? "modify" : "cancel";
        this.#tell(step, what, commandText(effect), commandData(effect, txHash));
      }
    }
  }

  /** The decision that is in force, unless the story has it already. */
  #decision(strategy: string, marketId: MarketId | undefined): void {
    const decision = [...this.#decisions.values()].findLast(
      ({ decided }) =>
        decided.strategy === strategy && (marketId ?? decided.marketId) === decided.marketId,
    );
    if (decision === undefined || decision.step.entry.batch.seq === this.#toldSeq) return;
    const { decided, step } = decision;
    this.#toldSeq = step.entry.batch.seq;
    this.#tell(step, "decision", decisionText(decided), { ...decided });
  }

  #placement(step: RerunStep, command: Command, leg: LegKind | undefined): void {
    // The legs of a quote have the two numbers after its own.
    this.#intent = command.intent + (leg === undefined ? 0 : leg === "takeProfit" ? 1 : 2);
    if ("marketId" in command) this.#marketId = command.marketId;
    this.#decision(command.strategy, this.#marketId);
    const side = "side" in command ? command.side : undefined;
    for (const { note, step: at } of this.#denials) {
      if (note.strategy !== command.strategy || note.side !== side) continue;
      this.#tell(at, "denied", denialLine(note), denialData(note));
    }
    const id = step.entry.signed.find(({ intent }) => intent === command.intent)?.txHash;
    this.#tell(
      step,
      "placement",
      `${commandText(command)}, passed every risk rule`,
      commandData(command, id),
    );
  }

  #input(step: RerunStep, input: Input): void {
    switch (input.type) {
      case "restored": {
        const known = input.restored.orders.find(({ orderId }) => orderId === this.#orderId);
        if (known === undefined) return;
        this.#isKnown = true;
        this.#tell(step, "known", "an earlier run left it open", { ...known });
        return;
      }
      case "response": {
        const request = this.#requests.get(input.intent);
        if (request === undefined) return;
        this.#requests.delete(input.intent);
        const tookMs = step.entry.batch.nowMs - request.sentMs;
        const { outcome } = input;
        const message = "message" in outcome ? `: ${outcome.message}` : "";
        const text = `${request.type}: ${outcome.type}${message}, after ${tookMs} ms`;
        this.#tell(step, "response", text, { intent: input.intent, outcome, tookMs });
        return;
      }
      case "orderEvent":
        if (input.event.order.orderId !== this.#orderId) return;
        this.#report(step, `event ${input.event.eventType}`, input.event.order);
        return;
      case "order":
        if (input.orderId !== this.#orderId) return;
        if (input.report !== "absent") this.#report(step, "query", input.report);
        else this.#tell(step, "report", "query: the venue does not know it", { status: null });
        return;
      default:
        return;
    }
  }

  #report(
    step: RerunStep,
    source: string,
    { status, executedQty }: { readonly status: string; readonly executedQty: Fixed },
  ): void {
    const executed = fixedText(executedQty);
    this.#tell(step, "report", `${source}: ${status}, executed ${executed}`, {
      source,
      status,
      executed,
    });
  }

  #note(step: RerunStep, note: Note): void {
    if (note.type === "fill" && note.fill.orderId === this.#orderId) {
      const { price, quantity, fee, isMaker, tradeId } = note.fill;
      const data = {
        tradeId,
        price: fixedText(price),
        quantity: fixedText(quantity),
        fee: fixedText(fee),
        isMaker,
      };
      const text = `${data.quantity} at ${data.price}, ${isMaker ? "maker" : "taker"}, fee ${data.fee}`;
      this.#tell(step, "fill", text, data);
    }
    if (
      note.type === "planned" &&
      note.kept.length > 0 &&
      this.#last?.state === "working" &&
      note.strategy === this.#last.strategy &&
      note.marketId === this.#last.marketId
    ) {
      this.#keptSteps += 1;
    }
    if (note.type === "order" && this.#isOwn(note.order)) this.#state(step, note.order);
  }

  #isOwn({ orderId, intent }: OrderSnapshot): boolean {
    return orderId === this.#orderId || (orderId === undefined && intent === this.#intent);
  }

  #state(step: RerunStep, order: OrderSnapshot): void {
    const before = this.#last;
    this.#last = order;
    const isSame = before?.state === order.state && before.status === order.status;
    if (isSame && before?.reason === order.reason) return;
    if (this.#keptSteps > 0 && order.state !== "working") {
      const times = this.#keptSteps === 1 ? "once" : `${this.#keptSteps} times`;
      this.#tell(step, "kept", `the planner kept orders of ${order.strategy} ${times} meanwhile`, {
        steps: this.#keptSteps,
      });
      this.#keptSteps = 0;
    }
    const { state, status, reason, origin, role, price, executed } = order;
    const ending = reason === "" ? "" : `: ${reason}`;
    this.#tell(step, "state", `${state} (${status})${ending}`, {
      state,
      status,
      reason,
      origin,
      role,
      price,
      executed: fixedText(executed),
    });
  }

  #tell(step: RerunStep, what: StoryEvent["what"], text: string, data: StoryEvent["data"]): void {
    if (!this.#isKnown && what !== "known") return;
    const { seq, nowMs } = step.entry.batch;
    this.events.push({ seq, timeMs: nowMs, what, text, data });
  }
}

/** A command as data, with amounts as exact text. */
export function commandData(
  command: Command,
  txHash: OrderId | undefined,
): Readonly<Record<string, unknown>> {
  return { ...command, ...exactAmounts(command), txHash };
}

function exactAmounts(command: Command): Readonly<Record<string, string>> {
  if (command.type === "modify") return { newQty: fixedText(command.newQty) };
  return command.type === "cancel" ? {} : { quantity: fixedText(command.quantity) };
}

/** A command for people: `place BUY 0.5 at 1999.5, nonce 1700000000000`. */
export function commandText(command: Command): string {
  const nonce = `nonce ${command.nonce}`;
  switch (command.type) {
    case "cancel":
      return `cancel ${command.orderId}, ${nonce}`;
    case "modify":
      return `modify ${command.orderId} to ${fixedText(command.newQty)} at ${command.newPrice}, ${nonce}`;
    case "stop":
      return `stop ${command.name}: ${command.side} ${fixedText(command.quantity)} at ${command.stopPrice}, ${nonce}`;
    case "place": {
      const { take, side, quantity, price } = command;
      const what = take === undefined ? "place" : `take ${take.name}:`;
      const at = price === 0 ? "market" : price;
      return `${what} ${side} ${fixedText(quantity)} at ${at}, ${nonce}`;
    }
  }
}

/** Without the digits that binary fractions add: the mean of two exact prices may be 99.97049999999999. */
function shownMid(mid: number): string {
  return plainNumber(Number(mid.toPrecision(12)));
}

/** What a strategy saw and wanted, in one line. */
export function decisionText(decided: Decided): string {
  const { strategy, type, quotes, stops, takes, workTo, reason, mid, position } = decided;
  const seen = `mid ${mid === undefined ? "unknown" : shownMid(mid)}, position ${position}`;
  if (type !== "set")
    return `${strategy}: ${type === "keep" ? "kept its targets" : "failed"} (${seen})`;
  const wanted = quotes.map(({ side, price, size }) => `${side} ${size} at ${price}`);
  const named = [
    ...takes.map((text) => `take ${text}`),
    ...(workTo === undefined ? [] : [`a position of ${workTo}`]),
    ...stops.map((name) => `stop ${name}`),
  ];
  const reasons = Object.entries(reason).flatMap(([side, text]) =>
    text === undefined ? [] : [`no ${side}: ${text}`],
  );
  const all = [...wanted, ...named, ...reasons].join(", ");
  return `${strategy} wants ${all === "" ? "nothing" : all} (${seen})`;
}

/** A risk rule's denial in one line. */
export function denialLine(note: DeniedNote): string {
  const { side, price, quantity, reason } = note;
  return `${side} ${fixedText(quantity)} at ${price}, ${denialText({ reason })}`;
}

/** A risk rule's denial as data. */
export function denialData(note: DeniedNote): Readonly<Record<string, unknown>> {
  return { ...note, quantity: fixedText(note.quantity) };
}
