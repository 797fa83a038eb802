import { fixed, type Fixed } from "../src/domain/fixed.ts";
import { type Address, marketId, type OrderId, tokenId } from "../src/domain/ids.ts";
import { unixMs } from "../src/domain/time.ts";
import type { PlaceOrder } from "../src/exchange/command.ts";
import { Exchange } from "../src/exchange/exchange.ts";
import type { Block } from "../src/exchange/records.ts";
import { VirtualClock } from "../src/sim/virtual-clock.ts";
import { streamLimits } from "../src/spec/limits.ts";
import type { ChannelName } from "../src/spec/stream.ts";
import { BlockPushes, marketChannel } from "../src/venue/streams/block-pushes.ts";
import { Connection, connectionContext } from "../src/venue/streams/connection.ts";
import { Subscriptions } from "../src/venue/streams/subscriptions.ts";

/**
 * How long one input holds the event loop of the paper venue: `node bench/block-holds.ts [ORDERS]`. Each line is the processor time of
 * this thread, its garbage collection included: the least and the median of the rounds, in milliseconds.
 */

const ROUNDS = 9;
const orders = Number(process.argv[2] ?? 10_000);
const NOW = unixMs(1_767_225_600_000);
const MARKET = marketId("1", "2");
const maker = addressOf(1);
const taker = addressOf(2);

function addressOf(number: number): Address {
  return `0x${number.toString(16).padStart(40, "0")}` as Address;
}

function hashOf(number: number): OrderId {
  return `0x${(number * 256).toString(16).padStart(64, "0")}` as OrderId;
}

/** An order of the market; a limit order with a price, else a market order. */
function order(side: PlaceOrder["side"], quantity: string, price?: number): PlaceOrder {
  return {
    type: "place",
    marketId: MARKET,
    side,
    orderType: price === undefined ? "MARKET" : "LIMIT",
    orderMode: 0,
    price: fixed(String(price ?? 0)),
    quantity: fixed(quantity),
  };
}

/** An exchange, the pushes of its blocks to subscribers of everything, and a way to send it one command. */
class World {
  readonly blocks: Block[] = [];
  readonly exchange: Exchange;
  readonly clock = new VirtualClock();
  readonly pushes: BlockPushes;
  #count = 0;

  constructor() {
    const plenty: ReadonlyMap<ReturnType<typeof tokenId>, Fixed> = new Map([
      [tokenId("1"), fixed("1000000000")],
      [tokenId("2"), fixed("1000000000000")],
    ]);
    const market = {
      marketId: MARKET,
      baseToken: tokenId("1"),
      quoteToken: tokenId("2"),
      ticker: "ETH/USDT",
      makerFee: fixed("0.0002"),
      takerFee: fixed("0.0005"),
      listed: true,
      rules: { type: "grid" },
    } as const;
    const accounts = new Map(Array.from({ length: 2_000 }, (_, at) => [addressOf(at), plenty]));
    const limits = {
      openOrdersPerAccount: 5_000,
      tradesPerBlock: 2_000,
      consequencesPerBlock: 500,
    };
    this.exchange = new Exchange({ markets: [market], accounts, limits }, (block) => {
      this.blocks[0] = block;
    });
    const subscriptions = new Subscriptions(() => undefined);
    this.pushes = new BlockPushes(subscriptions, this.clock);
    const connection = new Connection(
      {
        send: () => undefined,
        ping: () => undefined,
        close: () => undefined,
        terminate: () => undefined,
        freeze: () => undefined,
        bufferedBytes: 0,
      },
      connectionContext(this.clock, streamLimits),
      () => undefined,
    );
    for (const kind of ["trade", "depth"] as const) {
      subscriptions.add(marketChannel(kind, MARKET), connection, 0);
    }
    for (const user of [maker, taker]) {
      const name: ChannelName = {
        kind: "userEvent",
        parameter: user,
        key: user,
        text: `userEvent@${user}`,
      };
      subscriptions.add(name, connection, 0);
      this.pushes.watchUser(user, name);
    }
  }

  /** The number of its hash. */
  next(): OrderId {
    this.#count += 1;
    return hashOf(this.#count);
  }

  execute(account: Address, command: Parameters<Exchange["execute"]>[1]): void {
    this.exchange.execute(account, command, NOW, { txHash: this.next() });
  }

  push(): void {
    const [block] = this.blocks;
    if (block !== undefined) this.pushes.push(block);
  }
}

interface Case {
  prepare(world: World): void;
  /** Its parts are inputs of their own: each is measured. */
  readonly parts: Readonly<Record<string, (world: World) => void>>;
}

const spread = (at: number): number => 2_000 + (at % 1_000);
const block = (act: (world: World) => void) => ({
  block: act,
  "first push": (world: World) => world.push(),
});

const cases: Readonly<Record<string, Case>> = {
  "cancel-all, one account": {
    prepare(world) {
      for (let at = 0; at < orders; at += 1) world.execute(maker, order("SELL", "1", spread(at)));
    },
    parts: block((world) => world.execute(maker, { type: "cancel-all" })),
  },
  "market order through the orders of one account": {
    prepare(world) {
      for (let at = 0; at < orders; at += 1) world.execute(maker, order("SELL", "1", spread(at)));
    },
    parts: block((world) => world.execute(taker, order("BUY", String(orders)))),
  },
  "market order through orders of 1000 accounts": {
    prepare(world) {
      for (let at = 0; at < orders; at += 1) {
        world.execute(addressOf(10 + (at % 1_000)), order("SELL", "1", spread(at)));
      }
    },
    parts: block((world) => world.execute(taker, order("BUY", String(orders)))),
  },
  "a trade that triggers stop orders": {
    prepare(world) {
      world.execute(addressOf(5), order("SELL", "1", 2_000));
      world.execute(taker, order("BUY", "1"));
      world.execute(addressOf(5), order("SELL", String(2 * orders), 2_100));
      for (let at = 0; at < orders; at += 1) {
        world.execute(maker, {
          ...order("BUY", "1"),
          type: "stop",
          stopPrice: fixed("2050"),
        });
      }
    },
    parts: block((world) => world.execute(taker, order("BUY", "1"))),
  },
  "a trade that triggers stop orders of 20 accounts": {
    prepare(world) {
      world.execute(addressOf(5), order("SELL", "1", 2_000));
      world.execute(taker, order("BUY", "1"));
      world.execute(addressOf(5), order("SELL", String(50 * orders), 2_100));
      for (let at = 0; at < 20 * orders; at += 1) {
        const stop = { ...order("BUY", "1"), type: "stop", stopPrice: fixed("2050") } as const;
        world.execute(addressOf(10 + (at % 20)), stop);
      }
    },
    parts: {
      block: (world) => world.execute(taker, order("BUY", "1")),
      "next block": ({ exchange }) => exchange.fireDue(NOW),
    },
  },
  "lists and the state of an account with many orders": {
    prepare(world) {
      for (let at = 0; at < 2 * orders; at += 1) {
        world.execute(maker, order("SELL", "1", spread(at)));
      }
      world.execute(taker, order("BUY", String(orders)));
    },
    parts: {
      "open orders": ({ exchange }) =>
        void exchange.openOrders(maker, { fromMs: 0, toMs: NOW, limit: 500 }),
      "ended orders": ({ exchange }) =>
        void exchange.endedOrders(maker, { fromMs: 0, toMs: NOW, limit: 500 }),
      "user trades that none matches": ({ exchange }) =>
        void exchange.userTrades(maker, { fromMs: 0, toMs: 1, limit: 500 }),
      "book of 5000": ({ exchange }) => void exchange.book(MARKET, 5_000),
      "state for a snapshot": ({ exchange }) => void exchange.save(),
    },
  },
};

function busy(act: () => void): number {
  const before = process.threadCpuUsage();
  act();
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1000;
}

for (const [name, { prepare, parts }] of Object.entries(cases)) {
  const times = new Map(Object.keys(parts).map((part) => [part, new Array<number>()]));
  for (let round = 0; round < ROUNDS; round += 1) {
    const world = new World();
    prepare(world);
    for (const [part, act] of Object.entries(parts)) {
      times.get(part)?.push(busy(() => act(world)));
    }
  }
  for (const [part, given] of times) {
    const [least = 0, ...rest] = given.sort((left, right) => left - right);
    const middle = rest[Math.floor(rest.length / 2)] ?? least;
    const text = `least ${least.toFixed(1)}, median ${middle.toFixed(1)} ms`;
    process.stdout.write(`${orders} orders; ${name}; ${part}: ${text}\n`);
  }
}
