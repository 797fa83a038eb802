import { describe, expect, it } from "vitest";
import type { Command } from "../../src/domain/command.ts";
import { fixed } from "../../src/domain/fixed.ts";
import type { MarketId, OrderId } from "../../src/domain/ids.ts";
import { unixMs } from "../../src/domain/time.ts";
import type { BatchEntry } from "../../src/journal/entry.ts";
import type { Effect } from "../../src/kernel/effect.ts";
import type { Batch, Input } from "../../src/kernel/input.ts";
import type { Step } from "../../src/kernel/kernel.ts";
import { Driver, type DriverOptions } from "../../src/runtime/driver.ts";
import { Observers, type ObservedEntry } from "../../src/runtime/observers.ts";
import { steadyClock } from "../../src/runtime/steady-clock.ts";
import { VirtualClock } from "../../src/sim/virtual-clock.ts";
import { OrderNotes } from "../orders/order-notes.ts";

const quiet = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
};

function idOf(intent: number): OrderId {
  return `0x${intent.toString(16).padStart(64, "0")}` as OrderId;
}

function place(intent: number): Command {
  return {
    type: "place",
    intent,
    nonce: intent,
    strategy: "maker",
    marketId: "1_2" as MarketId,
    side: "BUY",
    orderType: "LIMIT",
    orderMode: 0,
    price: 1,
    quantity: fixed("1"),
  };
}

function cancel(intent: number): Command {
  return { type: "cancel", intent, nonce: intent, strategy: "maker", orderId: idOf(1) };
}

const trade: Input = {
  type: "trade",
  trade: {
    marketId: "1_2" as MarketId,
    tradeId: "t",
    price: 1,
    quantity: 1,
    timeMs: unixMs(1),
    isBuyerMaker: true,
  },
};

/** A journal whose disk hangs: each sync waits for `release`. */
function hangingJournal(): {
  readonly journal: DriverOptions["journal"];
  release(): void;
} {
  let done: () => void = () => undefined;
  const journal = {
    append: () => undefined,
    sync: () =>
      new Promise<void>((resolve) => {
        done = resolve;
      }),
    measured: () => undefined,
    maintain: () => undefined,
  };
  return { journal, release: () => done() };
}

/** A driver around a kernel that `react` scripts, with a log of everything that the driver does, in order. */
type Reaction = Partial<Step & { readonly nextDeadlineMs: number | undefined }>;

function scriptedDriver(react: (batch: Batch) => Reaction, more: Partial<DriverOptions> = {}) {
  const clock = new VirtualClock();
  const log: string[] = [];
  const batches: Batch[] = [];
  const entries: BatchEntry[] = [];
  const observed: ObservedEntry[] = [];
  const disk = { fails: false };
  const observers = new Observers({ timer: clock, log: quiet, capacity: 4 });
  observers.on((entry) => observed.push(entry));
  const driver: Driver = new Driver({
    clock,
    timer: clock,
    log: quiet,
    durability: "process",
    observers,
    kernel: {
      nextDeadlineMs: undefined,
      step(batch) {
        batches.push(batch);
        log.push(`step ${batch.inputs.map(({ type }) => type).join(" ")}`);
        const { nextDeadlineMs, ...reaction } = react(batch);
        Object.assign(this, { nextDeadlineMs });
        return {
          effects: [],
          ended: [],
          booked: [],
          signerRefused: false,
          carried: [],
          notes: [],
          ...reaction,
        };
      },
    },
    journal: {
      append(entry) {
        if (disk.fails) throw new Error("disk full");
        entries.push(entry);
        log.push(`append ${entry.signed.map(({ intent }) => intent).join(" ")}`);
      },
      sync: async () => {
        log.push("sync");
      },
      measured: () => undefined,
      maintain: () => undefined,
    },
    outlet: {
      send(command, _signed, handedOver) {
        log.push(`send ${command.type} ${command.intent}`);
        handedOver();
      },
      read: (read) => log.push(`read ${read.type}`),
    },
    sign(command) {
      log.push(`sign ${command.intent}`);
      return { bytesHex: "0xab", txHash: idOf(command.intent) };
    },
    reconnect: (reason) => {
      log.push("shed");
      driver.push({ type: "stream", state: "closed", reason });
    },
    ...more,
  });
  return { clock, driver, log, batches, entries, observed, observers, disk };
}

function once(effects: readonly Effect[]): (batch: Batch) => Partial<Step> {
  return ({ seq }) => (seq === 1 ? { effects } : {});
}

describe("driver", () => {
  it("signs in order, journals before the first send, and puts the hashes first in the next batch", async () => {
    const run = scriptedDriver(once([cancel(1), place(2), { type: "openOrders" }, place(3)]));
    run.driver.push(trade);
    run.driver.start();
    run.driver.push(trade);
    await run.clock.runFor(0);
    run.driver.push(trade);
    await run.clock.runFor(10);
    expect(run.log.filter((line) => line !== "sync")).toEqual([
      "step trade trade",
      "sign 1",
      "sign 2",
      "sign 3",
      "append 1 2 3",
      "send cancel 1",
      "send place 2",
      "read openOrders",
      "send place 3",
      "step signed signed signed",
      "append ",
      "step trade",
      "append ",
    ]);
    expect(run.batches.map(({ seq }) => seq)).toEqual([1, 2, 3]);
    expect(run.batches[1]?.inputs).toEqual(
      [1, 2, 3].map((intent) => ({ type: "signed", intent, txHash: idOf(intent) })),
    );
  });

  it("makes one batch of all queued inputs, and otherwise wakes only at the kernel's deadline", async () => {
    const deadlines = [50, 30, undefined];
    const run = scriptedDriver(({ seq }) => {
      const delay = deadlines[seq - 1];
      return { nextDeadlineMs: delay === undefined ? undefined : run.clock.nowMs() + delay };
    });
    run.driver.start();
    await run.clock.runFor(49);
    expect(run.batches.length).toBe(1);
    run.driver.push(trade);
    run.driver.push(trade);
    await run.clock.runFor(1);
    expect(run.batches.map(({ inputs }) => inputs.length)).toEqual([0, 2]);
    await run.clock.runFor(100);
    expect(run.batches.map(({ inputs }) => inputs.length)).toEqual([0, 2, 0]);
    expect((run.batches[2]?.nowMs ?? 0) - (run.batches[1]?.nowMs ?? 0)).toBe(30);
  });

  it("does not spin on a deadline that stays in the past", async () => {
    const run = scriptedDriver(() => ({ nextDeadlineMs: 1 }));
    run.driver.start();
    await run.clock.runFor(10);
    expect(run.batches.length).toBeLessThanOrEqual(11);
  });

  it("sends only cancels once the journal has failed, and ends as failed", async () => {
    const run = scriptedDriver(({ inputs }) => {
      if (inputs.some(({ type }) => type === "trade")) return { effects: [cancel(1), place(2)] };
      if (inputs.some(({ type }) => type === "journalFailed")) {
        return { effects: [cancel(3), place(4)] };
      }
      return { effects: [{ type: "finished", ok: true, reason: "done" }] };
    });
    run.disk.fails = true;
    run.driver.push(trade);
    run.driver.start();
    await run.clock.runFor(10);
    expect(run.log.filter((line) => line.startsWith("send"))).toEqual([
      "send cancel 1",
      "send cancel 3",
    ]);
    expect(run.batches[1]?.inputs).toMatchObject([
      { type: "signed", intent: 1 },
      { type: "signed", intent: 2 },
      { type: "journalFailed" },
      { type: "response", intent: 2, outcome: { type: "not-sent", isHeldBack: true } },
    ]);
    expect(run.batches[2]?.inputs).toMatchObject([
      { type: "signed", intent: 3 },
      { type: "signed", intent: 4 },
      { type: "response", intent: 4, outcome: { type: "not-sent" } },
    ]);
    expect(await run.driver.done).toEqual({ ok: false, reason: "done", crash: undefined });
  });

  it("waits for the disk with durability power, and then handles the inputs that came meanwhile", async () => {
    let release: () => void = () => undefined;
    const run = scriptedDriver(once([place(1)]), {
      durability: "power",
      journal: {
        append: () => run.log.push("append"),
        sync: () =>
          new Promise((resolve) => {
            release = resolve;
          }),
        measured: () => undefined,
        maintain: () => undefined,
      },
    });
    run.driver.start();
    await run.clock.runFor(5);
    run.driver.push(trade);
    await run.clock.runFor(5);
    expect(run.log).toEqual(["step ", "sign 1", "append"]);
    release();
    await run.clock.runFor(5);
    expect(run.log.slice(3, 5)).toEqual(["send place 1", "step signed trade"]);
    expect(run.observed.map(({ sendDelayMs }) => sendDelayMs)).toEqual([10, undefined]);
  });

  it.each([
    { waitMs: 1_000, sent: ["send cancel 1", "send place 2"], inputs: ["signed", "signed"] },
    { waitMs: 1_001, sent: ["send cancel 1"], inputs: ["signed", "signed", "response", "warning"] },
  ])(
    "sends cancels, but no orders that have waited for the disk for more than a second ($waitMs ms)",
    async ({ waitMs, sent, inputs }) => {
      const { journal, release } = hangingJournal();
      const run = scriptedDriver(once([cancel(1), place(2)]), { journal });
      run.driver.start();
      await run.clock.runFor(1);
      const startMs = run.batches[0]?.nowMs ?? 0;
      await run.clock.runFor(startMs + waitMs - run.clock.nowMs());
      release();
      await run.clock.runFor(5);
      expect(run.log.filter((line) => line.startsWith("send"))).toEqual(sent);
      expect(run.batches[1]?.inputs.map(({ type }) => type)).toEqual(inputs);
      expect(run.batches[1]?.inputs[2]).toEqual(
        waitMs === 1_000
          ? undefined
          : expect.objectContaining({
              intent: 2,
              outcome: expect.objectContaining({ type: "not-sent", isHeldBack: true }),
            }),
      );
    },
  );

  it("names the time of the step and that of the disk when it holds back an order", async () => {
    const { journal, release } = hangingJournal();
    let strategyMs = 0;
    const run = scriptedDriver(
      (batch) => {
        if (batch.seq === 1) strategyMs = 900;
        return once([place(1)])(batch);
      },
      {
        clock: {
          nowMs: () => unixMs(run.clock.nowMs() + strategyMs),
          monotonicUs: () => run.clock.monotonicUs(),
        },
        journal,
      },
    );
    run.driver.start();
    await run.clock.runFor(1);
    await run.clock.runFor((run.batches[0]?.nowMs ?? 0) + 200 - run.clock.nowMs());
    release();
    await run.clock.runFor(5);
    const message = "the step took 900 ms and the disk 200 ms, so its price may be old";
    expect(run.batches[1]?.inputs.slice(1)).toMatchObject([
      { outcome: { type: "not-sent", message } },
      { code: "ORDERS_NOT_SENT", message: `1 order was not sent: ${message}` },
    ]);
  });

  it.each([
    { strategyMs: 1_000, sent: ["send cancel 1", "send place 2"] },
    { strategyMs: 1_001, sent: ["send cancel 1"] },
  ])(
    "sends cancels, but no orders of a step that took more than a second, also where none waits for the disk ($strategyMs ms)",
    async ({ strategyMs, sent }) => {
      let spentMs = 0;
      const run = scriptedDriver(
        (batch) => {
          if (batch.seq === 1) spentMs = strategyMs;
          return once([cancel(1), place(2)])(batch);
        },
        {
          clock: {
            nowMs: () => unixMs(run.clock.nowMs() + spentMs),
            monotonicUs: () => run.clock.monotonicUs(),
          },
          journal: undefined,
        },
      );
      run.driver.start();
      await run.clock.runFor(5);
      expect(run.log.filter((line) => line.startsWith("send"))).toEqual(sent);
      const message = "the step took 1001 ms, so its price may be old";
      expect(run.batches[1]?.inputs.slice(2)).toEqual(
        strategyMs === 1_000
          ? []
          : [
              {
                type: "response",
                intent: 2,
                outcome: { type: "not-sent", isHeldBack: true, message },
              },
              {
                type: "warning",
                code: "ORDERS_NOT_SENT",
                message: `1 order was not sent: ${message}`,
              },
            ],
      );
      expect(run.observed[0]?.sendDelayMs).toBeUndefined();
    },
  );

  it("sends cancels without the disk with durability power once one has waited for a second, until the disk is back", async () => {
    let releases: (() => void)[] = [];
    const run = scriptedDriver(
      ({ inputs, seq }) => {
        return inputs.some(({ type }) => type === "trade") ? { effects: [cancel(seq)] } : {};
      },
      {
        durability: "power",
        journal: {
          append: (entry) => run.entries.push(entry),
          sync: () =>
            new Promise((resolve) => {
              releases.push(resolve);
            }),
          measured: () => undefined,
          maintain: () => undefined,
        },
      },
    );
    const sends = () => run.log.filter((line) => line.startsWith("send"));
    const release = async (): Promise<void> => {
      for (const resolve of releases) resolve();
      releases = [];
      await run.clock.runFor(5);
    };
    run.driver.push(trade);
    run.driver.start();
    await run.clock.runFor(5);
    await release();
    expect(sends()).toEqual(["send cancel 1"]);
    // The disk hangs from here on.
    run.driver.push(trade);
    await run.clock.runFor(1_000);
    expect(sends()).toHaveLength(1);
    await run.clock.runFor(10);
    expect(sends()).toHaveLength(2);
    // Later ones wait for nothing, and each is in the journal before it leaves.
    run.driver.push(trade);
    await run.clock.runFor(5);
    expect(sends()).toHaveLength(3);
    await release();
    run.driver.push(trade);
    await run.clock.runFor(5);
    expect(sends()).toHaveLength(3);
    await release();
    expect(sends()).toHaveLength(4);
    const signed = run.entries.flatMap((entry) => entry.signed.map(({ intent }) => intent));
    for (const line of sends()) expect(signed).toContain(Number(line.split(" ").at(-1)));
  });

  it("sends no order with durability power while the disk hangs, also after it has said so", async () => {
    const run = scriptedDriver(
      ({ inputs, seq }) =>
        inputs.some(({ type }) => type === "trade") ? { effects: [place(seq)] } : {},
      {
        durability: "power",
        journal: {
          append: () => undefined,
          sync: () => new Promise(() => undefined),
          measured: () => undefined,
          maintain: () => undefined,
        },
      },
    );
    run.driver.start();
    for (let at = 0; at < 5; at += 1) {
      run.driver.push(trade);
      await run.clock.runFor(1_500);
    }
    expect(run.log.filter((line) => line.startsWith("sign")).length).toBe(5);
    expect(run.log.filter((line) => line.startsWith("send"))).toEqual([]);
  });

  it("sends the first command and the first order of a run, and one long after the last sync, only when the disk has them", async () => {
    let releases: (() => void)[] = [];
    const run = scriptedDriver(
      ({ seq, inputs }) => {
        if (inputs.some(({ type }) => type !== "trade")) return {};
        return { effects: [seq === 1 ? cancel(1) : place(seq)] };
      },
      {
        journal: {
          append: () => undefined,
          sync: () =>
            new Promise((resolve) => {
              releases.push(resolve);
            }),
          measured: () => undefined,
          maintain: () => undefined,
        },
      },
    );
    const sent = () => run.log.filter((line) => line.startsWith("send")).length;
    const trades = async (ms: number): Promise<void> => {
      run.driver.push(trade);
      await run.clock.runFor(ms);
    };
    const release = async (): Promise<void> => {
      for (const resolve of releases) resolve();
      releases = [];
      await run.clock.runFor(1);
    };
    run.driver.push(trade);
    run.driver.start();
    await run.clock.runFor(5);
    expect(sent()).toBe(0);
    await release();
    expect(sent()).toBe(1);
    await trades(5);
    expect(sent()).toBe(1);
    await release();
    expect(sent()).toBe(2);
    // The disk hangs from here on.
    await trades(4_000);
    expect(sent()).toBe(3);
    await trades(2_000);
    expect(sent()).toBe(4);
    await trades(100);
    expect(sent()).toBe(4);
    await release();
    expect(sent()).toBe(5);
  });

  it("goes on without an order that has waited for a second, and sends none until the first is on the disk", async () => {
    let releases: (() => void)[] = [];
    const run = scriptedDriver(
      ({ seq, inputs }) =>
        inputs.some(({ type }) => type !== "trade") ? {} : { effects: [cancel(9), place(seq)] },
      {
        journal: {
          append: () => undefined,
          sync: () =>
            new Promise((resolve) => {
              releases.push(resolve);
            }),
          measured: () => undefined,
          maintain: () => undefined,
        },
      },
    );
    const sent = () => run.log.filter((line) => line.startsWith("send"));
    run.driver.push(trade);
    run.driver.start();
    await run.clock.runFor(1_100);
    expect(sent()).toEqual(["send cancel 9"]);
    expect(run.batches[1]?.inputs.at(-2)).toMatchObject({ outcome: { isHeldBack: true } });
    run.driver.push(trade);
    await run.clock.runFor(1_100);
    expect(sent()).toEqual(["send cancel 9", "send cancel 9"]);
    for (const release of releases) release();
    releases = [];
    await run.clock.runFor(5);
    // The disk came back too late for these orders.
    expect(sent()).toHaveLength(2);
    run.driver.push(trade);
    await run.clock.runFor(5);
    expect(sent().slice(2)).toEqual(["send cancel 9", expect.stringMatching(/^send place /)]);
  });

  it("sheds market data by cutting the stream, but never an outcome", async () => {
    const run = scriptedDriver(() => ({}), { queueCapacity: 3 });
    for (let at = 0; at < 5; at += 1) run.driver.push(trade);
    run.driver.push({ type: "response", intent: 1, outcome: { type: "accepted" } });
    run.driver.start();
    await run.clock.runFor(1);
    expect(run.driver.shed).toBe(2);
    expect(run.log[0]).toBe("shed");
    expect(run.batches[0]?.inputs.map(({ type }) => type)).toEqual([
      "trade",
      "trade",
      "trade",
      "stream",
      "stream",
      "response",
    ]);
  });

  it("ends with the error when the kernel or the signer throws, and takes no further step", async () => {
    for (const culprit of ["kernel", "signer"]) {
      const run = scriptedDriver(
        () => {
          if (culprit === "kernel") throw new Error("impossible");
          return { effects: [place(1)] };
        },
        {
          sign: () => {
            throw new Error("impossible");
          },
        },
      );
      run.driver.start();
      await run.clock.runFor(5);
      run.driver.push(trade);
      await run.clock.runFor(5);
      expect((await run.driver.done).crash?.message).toBe("impossible");
      expect(run.batches.length).toBe(1);
      expect(run.entries.length).toBe(0);
    }
  });

  it("writes the ended orders of a step to the journal", async () => {
    const run = scriptedDriver(() => ({ ended: [idOf(1), idOf(3)] }));
    run.driver.start();
    await run.clock.runFor(5);
    expect(run.entries[0]?.ended).toEqual([idOf(1), idOf(3)]);
  });

  it("measures the latency of placements from the batch's oldest frame to the HTTP client", async () => {
    const run = scriptedDriver(once([cancel(1), place(2)]), {
      outlet: { send: (_command, _signed, handedOver) => handedOver(), read: () => undefined },
    });
    run.driver.push(trade, run.clock.monotonicUs() - 70);
    run.driver.push(trade, run.clock.monotonicUs() - 20);
    run.driver.start();
    await run.clock.runFor(5);
    expect(run.observed[0]?.tickToOrder).toEqual([{ strategy: "maker", marketId: "1_2", us: 70 }]);
    expect(run.observed[1]?.tickToOrder).toEqual([]);
  });
});

describe("the driver does not depend on observers", () => {
  it("knows every own order at the end, even when observers missed its notes or it was signed last", async () => {
    const orders = new OrderNotes();
    const run = scriptedDriver(({ seq }) => ({
      effects: seq === 8 ? [place(8)] : [],
      notes: [orders.next(seq, seq === 8 ? { orderId: undefined } : {})],
    }));
    run.observers.offer = () => undefined;
    run.driver.start();
    for (let step = 1; step < 8; step += 1) {
      await run.clock.runFor(1);
      run.driver.push(trade);
    }
    await run.clock.runFor(0);
    expect(run.batches.length).toBeGreaterThanOrEqual(8);
    run.driver.end("now");
    expect(run.observed).toEqual([]);
    for (let intent = 1; intent <= 8; intent += 1) {
      expect(run.driver.orders.byId(idOf(intent))?.strategy).toBe("maker");
    }
  });

  it("reports a refused signature once, even when observers miss the step", async () => {
    let refusals = 0;
    const run = scriptedDriver(({ seq }) => ({ signerRefused: seq === 1 }), {
      onSignerRefused: () => {
        refusals += 1;
      },
    });
    run.observers.offer = () => undefined;
    run.driver.start();
    await run.clock.runFor(5);
    run.driver.push(trade);
    await run.clock.runFor(5);
    expect([run.batches.length, refusals]).toEqual([2, 1]);
  });
});

describe("observers", () => {
  it("are called in order on a later turn, despite one that throws; a full ring drops and counts entries", async () => {
    const run = scriptedDriver(() => ({}));
    run.observers.on(() => {
      throw new Error("listener");
    });
    const seen: number[] = [];
    run.observers.on(({ batch }) => seen.push(batch.seq));
    const entry = (seq: number): ObservedEntry => ({
      batch: { seq, nowMs: unixMs(0), inputs: [] },
      effects: [],
      notes: [],
      tickToOrder: [],
    });
    for (let seq = 1; seq <= 6; seq += 1) run.observers.offer(entry(seq));
    expect(seen).toEqual([]);
    expect(run.observers.dropped).toBe(2);
    await run.clock.runFor(1);
    expect(seen).toEqual([1, 2, 3, 4]);
    run.observers.offer(entry(7));
    run.observers.flush();
    await run.clock.runFor(1);
    expect(seen).toEqual([1, 2, 3, 4, 7]);
  });
});

describe("steady clock", () => {
  it("follows the monotonic clock and reports when the machine's clock was set", () => {
    const machine = { ms: 1000, us: 0 };
    const steps: number[] = [];
    const clock = steadyClock(
      { nowMs: () => unixMs(machine.ms), monotonicUs: () => machine.us },
      (byMs) => steps.push(byMs),
    );
    const pass = (ms: number, setBy = 0): number => {
      machine.ms += ms + setBy;
      machine.us += ms * 1000;
      return clock.nowMs();
    };
    expect(pass(0)).toBe(1000);
    expect(pass(10)).toBe(1010);
    expect(pass(10, -5000)).toBe(1020);
    expect(pass(10)).toBe(1030);
    expect(pass(10, 9000)).toBe(1040);
    expect(pass(10, 400)).toBe(1050);
    expect(steps).toEqual([-5000, 9000]);
    expect(pass(10, 700)).toBe(1060);
    expect(steps).toEqual([-5000, 9000, 1100]);
  });
});
