import { expect, it } from "vitest";
import type { ControlledBot } from "../../src/control/controlled-bot.ts";
import { respondTo } from "../../src/control/respond.ts";
import type { Bot } from "../../src/runtime/bot.ts";
import { liveWorld, stopped, type World } from "./live-world.ts";

/** What `touchline pause` gets of a bot. */
async function pause({ clock, settle }: World, bot: Bot): Promise<unknown> {
  const controlled: ControlledBot = {
    running: {
      bot,
      tuner: {
        tune: async () => ({ changed: [], warnings: [] }),
        reload: async () => ({ changed: [], warnings: [] }),
      },
    },
    strategies: ["maker"],
    journal: "journal",
    halt: (reason) => bot.halt(reason),
    stop: () => bot.done,
    addGuard: undefined,
    login: () => Promise.reject(new Error("no page")),
    status: () => undefined,
  };
  const response = await settle(
    respondTo(JSON.stringify({ command: "pause" }), {
      bot: controlled,
      timer: clock,
      by: { who: "cli", from: "test" },
    }),
  );
  return typeof response === "string" ? JSON.parse(response) : undefined;
}

/** Whether the next start quotes. */
async function quotesAgain(world: World): Promise<boolean> {
  const next = await world.start();
  await world.clock.runFor(20_000);
  const quotes = world.openOrders(next).length > 0;
  await stopped(world, next);
  return quotes;
}

it("a pause of a bot that is stopping holds over its restart", async () => {
  const world = await liveWorld(61);
  const bot = await world.start();
  await world.clock.runFor(20_000);
  bot.stop();
  bot.pause();
  await world.settle(bot.done);
  expect(await quotesAgain(world)).toBe(false);
});

it("a pause that no step of the run can record any more is refused, since the next start quotes", async () => {
  const world = await liveWorld(61);
  let isOver = false;
  const { http } = world.ports;
  const bot = await world.start(
    {},
    {
      http: {
        close: () => http.close(),
        async request(request) {
          const isList = request.url.includes("/order/open");
          if (isOver && isList)
            await new Promise<void>((resolve) => world.clock.after(1_500, resolve));
          return http.request(request);
        },
      },
    },
  );
  bot.observers.on(({ effects }) => {
    isOver ||= effects.some(({ type }) => type === "finished");
  });
  await world.clock.runFor(20_000);
  bot.stop();
  await world.clock.runUntil(() => isOver, 10_000);
  expect(await pause(world, bot)).toMatchObject({ ok: false });
  await world.settle(bot.done);
  expect(await quotesAgain(world)).toBe(true);
});
