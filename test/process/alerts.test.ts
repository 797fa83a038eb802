import { appendFileSync, readdirSync, readFileSync, statSync } from "node:fs";
import path from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { FakeChannel } from "../alerts/fake-channel.ts";
import { FakeTelegram } from "../alerts/fake-telegram.ts";
import { ONE_LEVEL_MAKER } from "../support/bot-yaml.ts";
import { Touchline, TouchlineHere, touchline } from "../support/touchline-process.ts";
import { BotVenue } from "./bot-venue.ts";
import { PATIENCE } from "../support/patience.ts";

/** Alerts and commands of a bot that runs as a process of its own. */

const maker = { TOUCHLINE_KEY: `0x${"31".repeat(32)}` };
const other = { TOUCHLINE_KEY: `0x${"32".repeat(32)}` };
let venue: BotVenue;
let slack: FakeChannel;
let telegram: FakeTelegram;
let env: Record<string, string>;

beforeEach(async () => {
  venue = await BotVenue.start(ONE_LEVEL_MAKER);
  await venue.place(other, "buy", "1", "1990");
  await venue.place(other, "sell", "1", "2010");
  slack = await FakeChannel.start();
  telegram = await FakeTelegram.start();
  env = { ...maker, SLACK_URL: `${slack.url}/s3cret`, TELEGRAM_TOKEN: telegram.token };
  appendFileSync(
    venue.botConfig,
    `alerts:
  - { type: slack, url: { env: SLACK_URL } }
  - { type: telegram, token: { env: TELEGRAM_TOKEN }, chat: 42, allow: [42], api: "${telegram.url}" }
`,
  );
});
afterEach(async () => {
  await venue.stop();
  await slack.stop();
  await telegram.stop();
});

const texts = () => slack.received.map(({ body }) => String(body["text"])).join("\n");
const said = (text: string) => vi.waitFor(() => expect(texts()).toContain(text), PATIENCE);

test("a bot tells when it starts, what an operator does, that it was killed, and when it stops; its guard tells that it fell silent; an allowed user pauses it from Telegram, and the journal says who", async () => {
  const first = new Touchline(["run", venue.botConfig], env);
  await first.line("run");
  await said("BOT_STARTED");
  await venue.untilOpen(maker, 2);
  const { TOUCHLINE_KEY: _, ...keyless } = env;
  const startGuard = () => new TouchlineHere(["guard", venue.botConfig, "--once"], keyless);
  const guard = startGuard();
  await said("GUARD_CONNECTED");
  await guard.said("Guarding");
  // Nobody answers from here on: the bot works as ever, and the next run tells.
  slack.usual = "hang";
  expect(await touchline(["pause", venue.botConfig], env)).toMatchObject({ code: 0 });
  const outbox = path.join(venue.journal, "alerts", "outbox.ndjson");
  await vi.waitFor(
    () => expect(readFileSync(outbox, "utf8")).toContain("OPERATOR_PAUSE"),
    PATIENCE,
  );
  first.kill("SIGKILL");
  slack.usual = { status: 200 };
  await first.exit;
  expect(await guard.exit).toBe(0);
  // It sends what it had no time for.
  const nextGuard = startGuard();
  await said("CRITICAL BOT_SILENT");
  await said("GUARD_CANCELED: None of the bot's orders is left");
  slack.received.length = 0;

  const second = new TouchlineHere(["run", venue.botConfig], env);
  await second.line("run");
  await said("OPERATOR_PAUSE: pause by cli, local socket");
  await said("BOT_KILLED");
  expect(await touchline(["resume", venue.botConfig], env)).toMatchObject({ code: 0 });
  await venue.untilOpen(maker, 2);
  await telegram.untilPolled();
  telegram.write("/pause maker", 42, 42);
  const replies = () => telegram.sent.map(({ text }) => text).join("\n");
  await vi.waitFor(() => expect(replies()).toContain("pause maker: done."), PATIENCE);
  expect(await venue.openIds(maker)).toEqual([]);
  await said("OPERATOR_PAUSE maker: pause of maker by telegram:42, chat 42");
  second.stop();
  expect(await second.exit).toBe(0);
  expect(await nextGuard.exit).toBe(0);
  expect(texts()).toContain("BOT_STOPPED: asked to stop");
  const shown = await touchline(["journal", "show", venue.journal, "--json"], env);
  expect(JSON.stringify(shown.lines)).toContain("telegram:42");
  for (const secret of ["s3cret", telegram.token]) {
    expect(first.stderr + second.stderr).not.toContain(secret);
    for (const name of readdirSync(venue.journal, { recursive: true, encoding: "utf8" })) {
      const file = path.join(venue.journal, name);
      if (statSync(file).isFile()) expect(readFileSync(file).includes(secret), name).toBe(false);
    }
  }
});

test("a bot that does not start tells why, and a channel without its secret keeps it from starting", async () => {
  const bad = await touchline(["run", venue.botConfig, "--set", "strategies.0.market=8_9"], env);
  expect(bad.code).toBe(1);
  expect(texts()).toContain("CRITICAL BOT_NOT_STARTED");
  const { SLACK_URL: _, ...less } = env;
  const without = await touchline(["run", venue.botConfig], less);
  expect(without.code).toBe(2);
  expect(without.stderr).toContain("alerts[0].url: the environment variable SLACK_URL is not set");
});

test("`alert test` sends to each channel, and says which one did not take it", async () => {
  telegram.faults.length = 0;
  slack.next.push({ status: 403 });
  const run = await touchline(["alert", "test", venue.botConfig], env);
  expect(run.code).toBe(1);
  expect(run.lines).toEqual([
    {
      event: "alert.test",
      channel: "slack",
      type: "slack",
      sent: false,
      reason: "it answered 403",
    },
    { event: "alert.test", channel: "telegram", type: "telegram", sent: true, reason: null },
  ]);
  expect(telegram.sent[0]?.text).toContain("ALERT_TEST");
});
