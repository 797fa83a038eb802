import { expect, it } from "vitest";
import type { OrderId } from "../../src/domain/ids.ts";
import { restore } from "../../src/journal/restore.ts";
import { contingentStrategy } from "../../src/sim/contingent-strategy.ts";
import { expectVerified, liveWorld, stopped, type World } from "./live-world.ts";

/** The stream of user events with one CANCEL more, of the next order of this kind that is placed while `isDue`. */
function lyingConnector(
  world: World,
  isMeant: (orderId: string) => boolean = () => true,
): {
  readonly lie: { isDue: boolean; orderId: string };
  readonly connector: World["ports"]["connector"];
} {
  const lie = { isDue: false, orderId: "" };
  const decoder = new TextDecoder();
  const connector: World["ports"]["connector"] = {
    connect: (url, handlers) =>
      world.ports.connector.connect(url, {
        ...handlers,
        frame(data) {
          const text = decoder.decode(data);
          handlers.frame(data);
          if (!lie.isDue || !text.includes('"eventType":"NEW"')) return;
          const orderId = /"orderId":"(0x\w+)"/.exec(text)?.[1] ?? "";
          if (!isMeant(orderId)) return;
          lie.isDue = false;
          lie.orderId = orderId;
          const ended = text
            .replace('"eventType":"NEW"', '"eventType":"CANCEL"')
            .replace('"status":"NEW"', '"status":"CANCELED"');
          handlers.frame(new TextEncoder().encode(ended));
        },
      }),
  };
  return { lie, connector };
}

it.each([
  { when: "and then showed open", isShown: true },
  { when: "a moment before the kill", isShown: false },
])("an order that the venue had called canceled $when is known to the next start", async (one) => {
  const world = await liveWorld(61);
  const { lie, connector } = lyingConnector(world);
  const { bot, kill } = await world.startProcess({}, { connector });
  await world.clock.runFor(10_000);
  lie.isDue = true;
  let state = "";
  bot.observers.on(({ notes }) => {
    for (const note of notes) {
      if (note.type === "order" && note.order.orderId === lie.orderId) state = note.order.state;
    }
  });
  const until = async (wanted: string): Promise<void> => {
    await world.clock.runUntil(() => state === wanted, 60_000);
    expect(state).toBe(wanted);
  };
  await until("ended");
  if (one.isShown) await until("working");
  kill();
  expect(world.openOrders(bot).map(({ orderId }) => orderId)).toContain(lie.orderId);

  const next = await world.start();
  await world.clock.runFor(20_000);
  expect(await stopped(world, next)).toMatchObject({ ok: true, inQuestion: [] });
  expect(world.openOrders(next)).toEqual([]);
  await expectVerified(world);
});

it.each([
  { when: "and then showed open", isShown: true },
  { when: "a moment before the kill", isShown: false },
])(
  "a take profit that the venue had called canceled $when is a leg for the next start",
  async (one) => {
    const world = await liveWorld(32);
    const [first] = world.settings.strategies;
    if (first === undefined) throw new Error("a strategy");
    const params = contingentStrategy.params.parse({ size: "0.5" });
    const strategies = [{ ...first, definition: contingentStrategy, params, seed: 11 }];
    const legOf = (orderId: string) =>
      world.venue.exchange.order(orderId as OrderId)?.otoLegType ?? "NONE";
    const { lie, connector } = lyingConnector(world, (orderId) => legOf(orderId) === "TP_LEG");
    const { bot, kill } = await world.startProcess({ strategies }, { connector });
    lie.isDue = true;
    const states: string[] = [];
    bot.observers.on(({ notes }) => {
      for (const note of notes) {
        if (note.type === "order" && note.order.orderId === lie.orderId)
          states.push(note.order.state);
      }
    });
    const last = one.isShown ? "working" : "ended";
    const isDue = (): boolean => states.at(-1) === last && states.includes("ended");
    await world.clock.runUntil(isDue, 120_000);
    expect(isDue()).toBe(true);
    kill();
    const saved = restore(world.store, "journal").restored.orders;
    const leg = saved.find(({ orderId }) => orderId === lie.orderId)?.leg;
    expect(leg).toMatchObject({ kind: "takeProfit" });
    const next = await world.start({ strategies });
    await world.clock.runFor(20_000);
    expect(await stopped(world, next)).toMatchObject({ ok: true, inQuestion: [] });
    expect(world.openOrders(next)).toEqual([]);
  },
);
