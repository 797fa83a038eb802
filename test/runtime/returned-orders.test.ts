import { expect, it } from "vitest";
import { restore } from "../../src/journal/restore.ts";
import { liveWorld, stopped, type World } from "./live-world.ts";

/** The stream of user events with one CANCEL more, of the next order that is placed while `isDue`. */
function lyingConnector(world: World): {
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
          lie.isDue = false;
          lie.orderId = /"orderId":"(0x\w+)"/.exec(text)?.[1] ?? "";
          const ended = text
            .replace('"eventType":"NEW"', '"eventType":"CANCEL"')
            .replace('"status":"NEW"', '"status":"CANCELED"');
          handlers.frame(new TextEncoder().encode(ended));
        },
      }),
  };
  return { lie, connector };
}

it("an order that the venue had called canceled and then showed open is known to the next start", async () => {
  const world = await liveWorld(61);
  const { lie, connector } = lyingConnector(world);
  const { bot, kill } = await world.startProcess({}, { connector });
  await world.clock.runFor(10_000);
  lie.isDue = true;
  const journaled = (): boolean =>
    restore(world.store, "journal").restored.orders.some(({ orderId }) => orderId === lie.orderId);
  const until = async (isTrue: () => boolean): Promise<void> => {
    for (let ms = 0; ms < 60_000 && !isTrue(); ms += 5) await world.clock.runFor(5);
    expect(isTrue()).toBe(true);
  };
  await until(() => lie.orderId !== "" && !journaled());
  await until(journaled);
  kill();
  expect(world.openOrders(bot).map(({ orderId }) => orderId)).toContain(lie.orderId);

  const next = await world.start();
  await world.clock.runFor(20_000);
  expect(await stopped(world, next)).toMatchObject({ ok: true, inQuestion: [] });
  expect(world.openOrders(next)).toEqual([]);
});
