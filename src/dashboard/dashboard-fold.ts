import { plainText } from "../base/plain-text.ts";
import { channelText } from "../domain/stream-channel.ts";
import type { TokenId } from "../domain/ids.ts";
import { fixedText, subFixed } from "../domain/fixed.ts";
import type { Balance } from "../domain/order.ts";
import type { Market } from "../domain/market.ts";
import { LatencyFold, type MeasuredStep } from "./latency-fold.ts";
import { requestsOf } from "../metrics/requests-of.ts";
import { type LimitRow, withDerived } from "./limit-rows.ts";
import { StrategyPanel } from "./strategy-panel.ts";
import { operatorText } from "../runtime/operator-text.ts";
import { ForeignOrders, isPlain } from "../orders/foreign-orders.ts";
import { OwnOrders } from "../orders/own-orders.ts";
import { portfolioOf, reportedOf } from "../metrics/portfolio.ts";
import type { Described } from "../domain/described.ts";
import type { UptimeShares } from "../journal/uptime-sum.ts";
import type { DashboardSnapshot } from "./snapshot.ts";

const MAX_WARNINGS = 20;
const MAX_FOREIGN = 100;
/** Slots of one second over which requests are counted. */
const RATE_SLOTS = 10;

/** Folds the kernel's steps into the dashboard's snapshots. It reads the observed steps only, never the kernel's state. */
export class DashboardFold {
  readonly #orders = new OwnOrders();
  readonly #foreign = new ForeignOrders((id) => this.#orders.strategyOf(id) !== undefined);
  readonly #panels: readonly StrategyPanel[];
  #limits: readonly LimitRow[];
  readonly #warnings: { timeMs: number; text: string }[] = [];
  /** Requests per second of the last ten seconds; `second` says which one a slot holds. */
  readonly #requests = Array.from({ length: RATE_SLOTS }, () => ({ second: 0, count: 0 }));
  readonly #requestLimit: number;
  readonly #currency: TokenId | undefined;
  readonly #latencies = new LatencyFold();
  #nowMs = 0;
  #fills = 0;
  #balances: readonly Balance[] = [];
  readonly #symbols: ReadonlyMap<TokenId, string>;
  #guard: DashboardSnapshot["guard"] = "none";

  /**
   * `requestLimit` is the rate budget in requests per second; `limits` are those of the configuration; positions are added up in
   * `currency`, left out: the main quote token.
   */
  constructor(
    panels: readonly {
      readonly strategy: string;
      readonly role?: string;
      readonly market: Market;
    }[],
    requestLimit: number,
    limits: readonly LimitRow[] = [],
    currency?: TokenId,
  ) {
    this.#currency = currency;
    this.#limits = limits;
    this.#requestLimit = requestLimit;
    this.#symbols = new Map(
      panels.flatMap(({ market: { ticker, baseToken, quoteToken } }) => {
        const [base = baseToken, quote = quoteToken] = ticker.split("/");
        return [[baseToken, base] as const, [quoteToken, quote] as const];
      }),
    );
    this.#panels = panels.map(
      ({ strategy, role, market }) => new StrategyPanel({ strategy, role, market }, this.#orders),
    );
  }

  observe(step: MeasuredStep): void {
    const { batch, effects, notes, carried = [] } = step;
    this.#nowMs = batch.nowMs;
    this.#latencies.observe(step);
    for (const note of notes) if (note.type === "order") this.#orders.apply(note);
    for (const input of batch.inputs) {
      for (const panel of this.#panels) panel.input(input);
      if (input.type === "balances") this.#balances = input.balances;
      else if (input.type === "openOrders") this.#foreign.listed(input.orders);
      else if (input.type === "orderEvent") this.#foreign.reported(input.event.order);
      const operator = operatorText(input);
      if (operator !== undefined) this.#warn(`operator: ${operator}`);
    }
    for (const note of notes) {
      if (!("strategy" in note)) continue;
      if (note.type === "fill") this.#fills += 1;
      for (const panel of this.#panels) panel.note(note, batch.nowMs, this.#fills);
    }
    for (const panel of this.#panels) {
      for (const item of carried) panel.carried(item);
      panel.tick(batch.nowMs);
    }
    this.#countRequests(effects.reduce((sum, effect) => sum + requestsOf(effect), 0));
    for (const note of notes) {
      if (note.type === "warning" || note.type === "balanceDrift" || note.type === "doubt")
        this.#warn(note.message);
      else if (note.type === "risk") this.#warn(`${note.code}: ${note.message}`);
      else if (note.type === "limit") this.#limits = withDerived(this.#limits, note);
      else if (note.type === "guard") this.#followGuard(note.isConnected);
      else if (note.type === "channel") {
        if (note.state === "behind") this.#warn(`${channelText(note.channel)}: ${note.reason}`);
      } else if (note.type === "strategyFault") this.#warn(`${note.strategy}: ${note.message}`);
    }
  }

  /** The histories contain only points after `historySinceMs`. */
  snapshot(
    {
      uptimes,
      described,
      standstills,
      ...driver
    }: Pick<DashboardSnapshot, "latency" | "calls" | "sources" | "missed" | "nets"> & {
      readonly uptimes: ReadonlyMap<string, UptimeShares>;
      readonly described: ReadonlyMap<string, Described>;
      /** By strategy. */
      readonly standstills: ReadonlyMap<string, "halted" | "paused" | undefined>;
    },
    historySinceMs: number,
  ): DashboardSnapshot {
    const valued = this.#panels.map((panel) => panel.valued);
    const reported = reportedOf(valued, this.#currency);
    return {
      nowMs: this.#nowMs,
      panels: this.#panels.map((panel, at) => ({
        ...panel.snapshot(this.#nowMs, historySinceMs),
        uptime: uptimes.get(panel.name) ?? null,
        described: described.get(panel.name) ?? {},
        reported: reported[at] ?? { day: null, total: null, exposure: null },
        standstill: standstills.get(panel.strategy) ?? null,
      })),
      portfolio: portfolioOf(valued, this.#currency),
      balances: this.#balances.flatMap(({ tokenId, locked, unlocked }) => {
        const symbol = this.#symbols.get(tokenId);
        if (symbol === undefined) return [];
        return [
          { token: tokenId, symbol, unlocked: fixedText(unlocked), locked: fixedText(locked) },
        ];
      }),
      foreign: this.#foreignRows(),
      requests: { perSecond: this.#requestsPerSecond(), limit: this.#requestLimit },
      guard: this.#guard,
      limits: this.#limits,
      warnings: this.#warnings,
      latencies: this.#latencies.latencies,
      ...driver,
    };
  }

  #foreignRows(): DashboardSnapshot["foreign"] {
    const { open } = this.#foreign;
    const rows = open.slice(0, MAX_FOREIGN).map((report) => {
      const { orderId, marketId: market, side, price, origQty, executedQty, createdAtMs } = report;
      const row = {
        market,
        side,
        price: fixedText(price),
        remaining: fixedText(subFixed(origQty, executedQty)),
        madeMs: createdAtMs,
        takers: isPlain(report)
          ? this.#panels
              .filter(({ marketId }) => marketId === market)
              .map(({ strategy }) => strategy)
          : [],
      };
      return [orderId, row] as const;
    });
    return { count: open.length, orders: Object.fromEntries(rows) };
  }

  #followGuard(isConnected: boolean): void {
    this.#guard = isConnected ? "connected" : "lost";
    if (!isConnected) this.#warn("no guard is connected any more");
  }

  #countRequests(count: number): void {
    if (count === 0) return;
    const second = Math.floor(this.#nowMs / 1000);
    const slot = this.#requests[second % RATE_SLOTS];
    if (slot === undefined) return;
    if (slot.second !== second) Object.assign(slot, { second, count: 0 });
    slot.count += count;
  }

  #requestsPerSecond(): number {
    const second = Math.floor(this.#nowMs / 1000);
    let sum = 0;
    for (const slot of this.#requests) if (second - slot.second < RATE_SLOTS) sum += slot.count;
    return sum / RATE_SLOTS;
  }

  #warn(text: string): void {
    this.#warnings.push({ timeMs: this.#nowMs, text: plainText(text) });
    if (this.#warnings.length > MAX_WARNINGS) this.#warnings.shift();
  }
}
