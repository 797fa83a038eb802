import { expect, it } from "vitest";
import { restore } from "../../src/journal/restore.ts";
import { expectVerified, liveWorld, stopped, type World } from "./live-world.ts";

interface Lie {
  isDue: boolean;
  /** The event that follows the true one. */
  readonly told: {
    readonly eventType: string;
    readonly status: string;
    readonly isExecuted?: boolean;
    /** With a fill of the order's whole size. */
    readonly hasFill?: boolean;
  };
  readonly isRepeated?: boolean;
  /** Which orders are meant; all, when left out. */
  readonly isMeant?: (orderId: string) => boolean;
  orderId: string;
}

const CANCELED = { eventType: "CANCEL", status: "CANCELED" };

/** The stream of user events with one end more, of the next order meant that is placed while `isDue`, or of each. */
function lyingConnector(world: World, lie: Lie): World["ports"]["connector"] {
  const decoder = new TextDecoder();
  const { eventType, status, isExecuted = false, hasFill = false } = lie.told;
  return {
    connect: (url, handlers) =>
      world.ports.connector.connect(url, {
        ...handlers,
        frame(data) {
          const text = decoder.decode(data);
          handlers.frame(data);
          if (!lie.isDue || !text.includes('"eventType":"NEW"')) return;
          const orderId = /"orderId":"(0x\w+)"/.exec(text)?.[1] ?? "";
          if (lie.isMeant?.(orderId) === false) return;
          lie.isDue = lie.isRepeated === true;
          lie.orderId = orderId;
          const origQty = /"origQty":("[^"]+")/.exec(text)?.[1] ?? "";
          const ended = text
            .replace('"eventType":"NEW"', `"eventType":"${eventType}"`)
            .replace('"status":"NEW"', `"status":"${status}"`)
            .replace(/"executedQty":"0"/, (same) =>
              isExecuted ? `"executedQty":${origQty}` : same,
            );
          handlers.frame(new TextEncoder().encode(hasFill ? withFill(ended) : ended));
        },
      }),
  };
}

function withFill(text: string): string {
  const message = JSON.parse(text);
  const { origQty, origPrice, orderId } = message.params.result;
  const fill = {
    executedQty: origQty,
    lastQty: origQty,
    lastPrice: origPrice,
    tradeId: `false ${orderId}`,
    isMaker: true,
  };
  const result = { ...message.params.result, ...fill };
  return JSON.stringify({ ...message, params: { ...message.params, result } });
}

it.each([
  {
    name: "filled, with a fill of its whole size,",
    told: { eventType: "TRADE", status: "FILLED", hasFill: true },
  },
  { name: "canceled", told: CANCELED },
  { name: "rejected", told: { eventType: "REJECT", status: "REJECTED" } },
])(
  "a stop leaves no order open that the venue had called $name a moment before",
  async ({ told }) => {
    const world = await liveWorld(61);
    const lie: Lie = { told, isDue: false, isRepeated: true, orderId: "" };
    const { bot } = await world.startProcess({}, { connector: lyingConnector(world, lie) });
    await world.clock.runFor(10_000);
    lie.isDue = true;
    await world.clock.runUntil(() => lie.orderId !== "", 60_000);
    const end = await stopped(world, bot);
    expect(world.openOrders(bot)).toEqual([]);
    expect(end).toMatchObject({ ok: true, inQuestion: [] });
    await expectVerified(world);
  },
);

it.each(["nothing", "all"])(
  "orders that the venue calls filled without a fill, with %s executed, are not placed again and again",
  async (executed) => {
    const world = await liveWorld(61);
    const told = { eventType: "TRADE", status: "FILLED", isExecuted: executed === "all" };
    const lie: Lie = { told, isDue: true, isRepeated: true, orderId: "" };
    const { bot } = await world.startProcess({}, { connector: lyingConnector(world, lie) });
    let most = 0;
    for (let at = 0; at < 24; at += 1) {
      await world.clock.runFor(500);
      most = Math.max(most, world.openOrders(bot).length);
    }
    // It quotes four.
    expect(most).toBeLessThanOrEqual(8);
    expect(await stopped(world, bot)).toMatchObject({ inQuestion: [] });
    expect(world.openOrders(bot)).toEqual([]);
  },
);

it("an order that the venue had called canceled and then showed open is known to the next start", async () => {
  const world = await liveWorld(61);
  const lie: Lie = { told: CANCELED, isDue: false, orderId: "" };
  const connector = lyingConnector(world, lie);
  const { bot, kill } = await world.startProcess({}, { connector });
  await world.clock.runFor(20_000);
  lie.isDue = true;
  const states: string[] = [];
  bot.observers.on(({ notes }) => {
    for (const note of notes) {
      if (note.type === "order" && note.order.orderId === lie.orderId)
        states.push(note.order.state);
    }
  });
  // Its quote has another order by then, so it is canceled at once.
  const isBack = (): boolean => states.includes("ended") && states.at(-1) !== "ended";
  await world.clock.runUntil(isBack, 60_000);
  expect(isBack()).toBe(true);
  kill();
  const saved = restore(world.store, "journal").restored.orders;
  expect(saved.map(({ orderId }) => orderId)).toContain(lie.orderId);

  const next = await world.start();
  await world.clock.runFor(20_000);
  expect(await stopped(world, next)).toMatchObject({ ok: true, inQuestion: [] });
  expect(world.openOrders(next)).toEqual([]);
  await expectVerified(world);
});
