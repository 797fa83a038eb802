import { expect, it } from "vitest";
import { expectVerified, liveWorld, stopped, type World } from "./live-world.ts";

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
