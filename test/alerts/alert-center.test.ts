import { statSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { AlertWorld } from "./alert-world.ts";

const slack = "{ type: slack, url: { env: URL } }";
const withKeys = (keys: string) => `{ type: slack, url: { env: URL }, ${keys} }`;

describe("an alert", () => {
  test("goes to a webhook as JSON, with an id that a receiver can know again", async () => {
    const world = await AlertWorld.start();
    await world.run("{ type: webhook, url: { env: URL } }");
    world.tell("RISK_HALT", "the day loss of maker is 31", { strategy: "maker" });
    await world.settled();
    const [post] = world.fake.received;
    expect(post?.path).toBe("/hook/s3cret");
    const id = post?.headers["idempotency-key"];
    expect(post?.body).toEqual({
      id,
      bot: "my-bot",
      alerts: [
        {
          ids: ["01010101-1"],
          count: 1,
          code: "RISK_HALT",
          event: "risk",
          severity: "critical",
          strategy: "maker",
          market: null,
          text: "the day loss of maker is 31",
          firstMs: world.clock.nowMs(),
          lastMs: world.clock.nowMs(),
        },
      ],
    });
  });

  test.each([
    ["slack", "text", "a &lt;!channel&gt; &amp; b"],
    ["discord", "content", "a <!channel> & b"],
  ])("goes to %s as text that mentions nobody", async (type, field, written) => {
    const world = await AlertWorld.start();
    world.fake.usual = { status: type === "discord" ? 204 : 200 };
    await world.run(`{ type: ${type}, url: { env: URL } }`);
    world.tell("MARKET_LEFT", "a <!channel> & b", { marketId: "1_2" });
    await world.settled();
    const [post] = world.fake.received;
    expect(String(post?.body[field]).replace(/[\da-f]{16}$/, "")).toBe(
      `my-bot\nCRITICAL MARKET_LEFT 1_2: ${written} (2026-01-31 12:00:00 UTC)\n#`,
    );
    if (type === "discord") expect(post?.body["allowed_mentions"]).toEqual({ parse: [] });
  });

  test("goes to Telegram as plain text", async () => {
    const world = await AlertWorld.start();
    await world.run(
      `{ type: telegram, token: { env: TOKEN }, chat: -100, api: "${world.fake.url}" }`,
    );
    world.tell("RISK_WARN", "*hm*");
    await world.settled();
    const [post] = world.fake.received;
    expect(post?.path).toBe("/bot123456:secret-of-the-bot/sendMessage");
    expect(post?.body).toMatchObject({ chat_id: -100, text: expect.stringContaining("*hm*") });
    expect(post?.body).not.toHaveProperty("parse_mode");
  });

  test("is sent only to channels that want its event and severity", async () => {
    const world = await AlertWorld.start();
    await world.run(
      `- ${withKeys("events: [risk], minSeverity: warning")}\n- { type: discord, url: { env: URL }, events: [fill], fillsOver: "100" }`,
    );
    world.tell("RISK_NORMAL", "mild");
    world.tell("SOURCE_JUMP", "other event");
    world.tell("RISK_WARN", "wanted");
    world.tell("FILL_LARGE", "small", { worth: 100 });
    world.tell("FILL_LARGE", "large", { worth: 100.5 });
    world.tell("NO_SUCH_CODE", "unknown");
    await world.settled();
    expect(new Set(world.texts.map((text) => text.split("\n")[1]))).toEqual(
      new Set([expect.stringContaining("wanted"), expect.stringContaining("large")]),
    );
  });
});

describe("a message that fails", () => {
  test.each([
    ["a server error", { status: 503 }, 1_000],
    ["a cut connection", "cut", 1_000],
    ["a wrong token", { status: 401 }, 1_000],
    ["a redirect", { status: 302, headers: { location: "http://127.0.0.1:1/" } }, 1_000],
    ["Slack's limit", { status: 429, headers: { "retry-after": "30" } }, 30_000],
    ["Discord's limit", { status: 429, body: { message: "…", retry_after: 12.5 } }, 12_500],
    [
      "Telegram's limit",
      { status: 429, body: { ok: false, parameters: { retry_after: 7 } } },
      7_000,
    ],
  ] as const)(
    "is sent again as it was after %s, as soon as it may",
    async (_, response, waitMs) => {
      const world = await AlertWorld.start();
      await world.run(slack);
      world.fake.next.push(response);
      world.tell("RISK_HALT", "first");
      await world.settled();
      world.tell("MARKET_LEFT", "second");
      await world.pass(waitMs - 1);
      expect(world.texts).toHaveLength(1);
      await world.pass(1);
      expect(world.texts[1]).toBe(world.texts[0]);
      expect(world.texts[2]).toContain("second");
      expect(world.texts).toHaveLength(3);
    },
  );

  test("waits longer after each failure, five minutes at most, and logs the failure once", async () => {
    const world = await AlertWorld.start();
    world.fake.usual = { status: 500 };
    await world.run(slack);
    world.tell("RISK_HALT", "first");
    await world.settled();
    await world.pass(63_000, 63);
    expect(world.texts).toHaveLength(7);
    await world.pass(3_600_000, 3_600);
    expect(world.texts.length).toBeLessThan(25);
    world.fake.usual = { status: 200 };
    await world.pass(300_000);
    expect(world.lines.map(({ text }) => text)).toEqual([
      "alerts wait, since a channel does not take them",
      "a channel takes alerts again",
    ]);
    expect(JSON.stringify(world.lines)).not.toContain("s3cret");
  });

  test("is given up when the channel will never take it, and the next one is sent", async () => {
    const world = await AlertWorld.start();
    world.fake.next.push({ status: 400, body: "invalid_payload" });
    await world.run(slack);
    world.tell("RISK_HALT", "first");
    await world.settled();
    world.tell("MARKET_LEFT", "second");
    await world.pass(60_000);
    expect(world.texts).toHaveLength(2);
    expect(world.texts[1]).not.toContain("first");
  });

  test("holds up no other channel", async () => {
    const world = await AlertWorld.start();
    await world.run(`- ${slack}\n- { type: discord, url: { env: URL } }`);
    world.fake.usual = "hang";
    world.tell("RISK_HALT", "first");
    await world.fake.until(2);
    expect(new Set(world.fake.received.map(({ body }) => Object.keys(body)[0]))).toEqual(
      new Set(["content", "text"]),
    );
  });
});

describe("many alerts", () => {
  test("that are equal are counted, and follow as one when the window ends", async () => {
    const world = await AlertWorld.start();
    await world.run(withKeys("group: 30s"));
    for (const loss of [20, 21, 22, 23]) world.tell("RISK_WARN", `the loss is ${loss}`);
    world.tell("RISK_WARN", "of another", { strategy: "maker" });
    await world.settled();
    await world.pass(29_000);
    expect(world.texts).toHaveLength(2);
    expect(world.texts[1]).toContain("RISK_WARN maker: of another");
    await world.pass(1_000);
    expect(world.texts).toHaveLength(3);
    expect(world.texts[2]).toContain("WARNING 3 × RISK_WARN: the loss is 23");
  });

  test("wait for the rate of the channel, and share a message then", async () => {
    const world = await AlertWorld.start();
    await world.run(withKeys("perMinute: 2, group: 0s"));
    const codes = ["RISK_WARN", "RISK_HALT", "MARKET_LEFT", "SOURCE_JUMP", "RATE_SHORT"];
    for (const code of codes) {
      world.tell(code, "x");
      await world.settled();
    }
    expect(world.texts).toHaveLength(2);
    await world.pass(30_000);
    expect(world.texts).toHaveLength(3);
    for (const code of codes.slice(2)) expect(world.texts[2]).toContain(code);
  });

  test("never make a message longer than Discord takes, and none is lost", async () => {
    const world = await AlertWorld.start();
    await world.run("{ type: discord, url: { env: URL }, perMinute: 1 }");
    world.tell("RISK_HALT", "begin");
    await world.settled();
    for (let at = 0; at < 20; at += 1) {
      world.tell("RISK_WARN", "long ".repeat(200), { strategy: `maker-${at}` });
    }
    await world.pass(1_200_000, 20);
    const all = world.texts.join("\n");
    for (let at = 0; at < 20; at += 1) expect(all).toContain(`maker-${at}: long`);
    for (const text of world.texts) expect(text.length).toBeLessThanOrEqual(2_000);
  });

  test("beyond what the outbox keeps leave the most severe ones", async () => {
    const world = await AlertWorld.start();
    world.fake.usual = { status: 503 };
    await world.run(slack);
    world.tell("RISK_HALT", "the oldest");
    for (let at = 0; at < 600; at += 1) world.tell("FOREIGN_ORDERS", `filler ${at}`);
    await world.settled();
    world.fake.usual = { status: 200 };
    await world.pass(2_000, 2);
    await world.pass(60_000, 2);
    expect(world.texts.join("\n")).toContain("the oldest");
    expect(world.texts.join("\n")).toMatch(/499 × FOREIGN_ORDERS: filler 599/);
    expect(world.lines.map(({ fields }) => fields["code"])).toContain("ALERTS_LOST");
  });
});

describe("quiet hours", () => {
  const night = 'quietHours: { from: "22:00", to: "07:00", zone: Europe/Berlin }';

  test("let only critical alerts pass; the others follow in one message at their end", async () => {
    const world = await AlertWorld.start();
    await world.run(withKeys(night));
    // 22:30 in Berlin.
    await world.pass(9.5 * 3_600_000);
    world.tell("RISK_WARN", "at night");
    world.tell("SOURCE_JUMP", "at night");
    world.tell("RISK_HALT", "critical");
    await world.pass(8.5 * 3_600_000 - 60_000, 10);
    expect(world.texts).toHaveLength(1);
    expect(world.texts[0]).toContain("CRITICAL RISK_HALT");
    await world.pass(60_000);
    expect(world.texts).toHaveLength(2);
    expect(world.texts[1]).toMatch(/RISK_WARN.*\n.*SOURCE_JUMP/);
  });

  test("are over outside their time of day", async () => {
    const world = await AlertWorld.start();
    await world.run(withKeys(night));
    world.tell("RISK_WARN", "by day");
    await world.settled();
    expect(world.texts).toHaveLength(1);
  });
});

describe("the outbox", () => {
  test("leaves what was not sent to the next run, which says that the one before was killed", async () => {
    const world = await AlertWorld.start();
    world.fake.usual = { status: 503 };
    await world.run(slack);
    world.tell("RISK_HALT", "before the end");
    await world.settled();
    const { fake } = world;
    fake.usual = { status: 200 };
    fake.received.length = 0;
    // No close: as after kill -9.
    await world.run(slack);
    await world.settled();
    expect(world.texts).toHaveLength(1);
    expect(world.texts[0]).toContain("before the end");
    expect(world.texts[0]).toContain("BOT_KILLED");
  });

  test("gives a message another id when a restart adds to it, and the same one otherwise", async () => {
    const world = await AlertWorld.start();
    const { fake } = world;
    const webhook = "{ type: webhook, url: { env: URL } }";
    await world.run(webhook);
    fake.next.push("cut", "cut");
    world.tell("RISK_HALT", "held");
    await world.settled();
    await world.run(webhook);
    await world.settled();
    // Each run tries again: this world kills none.
    await world.pass(5_000);
    const [held, merged, ...again] = fake.received.map(({ body }) => body);
    expect(merged?.["alerts"]).toMatchObject([{ code: "RISK_HALT" }, { code: "BOT_KILLED" }]);
    expect(merged?.["id"]).not.toBe(held?.["id"]);
    expect(again).toHaveLength(2);
    for (const body of again) expect(body).toEqual(body["id"] === held?.["id"] ? held : merged);
  });

  test("says nothing of a run that ended in order, and repeats nothing that was sent", async () => {
    const world = await AlertWorld.start();
    await world.run(slack);
    world.tell("RISK_HALT", "sent");
    await world.settled();
    const closed = world.center.close(1_000);
    await closed;
    await world.run(slack);
    await world.settled();
    expect(world.texts).toHaveLength(1);
  });

  test("counts equal alerts over a restart", async () => {
    const world = await AlertWorld.start();
    await world.run(slack);
    world.tell("BOT_NOT_STARTED", "no venue");
    await world.center.close(1_000);
    for (let start = 0; start < 3; start += 1) {
      await world.run(slack);
      world.tell("BOT_NOT_STARTED", "no venue");
      await world.center.close(1_000);
      world.clock.advance(5_000);
    }
    expect(world.texts).toHaveLength(1);
    await world.run(slack);
    await world.pass(30_000);
    expect(world.texts[1]).toContain("3 × BOT_NOT_STARTED");
  });

  test("is a file of its owner alone, and stays small", async () => {
    const world = await AlertWorld.start();
    await world.run(withKeys("group: 0s, perMinute: 1000"));
    for (let round = 0; round < 30; round += 1) {
      for (let at = 0; at < 100; at += 1) world.tell("RISK_WARN", "long ".repeat(80));
      await world.pass(100);
    }
    const { mode, size } = statSync(path.join(world.folder, "outbox.ndjson"));
    expect(mode & 0o077).toBe(0);
    expect(size).toBeLessThan(1_100_000);
    expect(size).toBeGreaterThan(10_000);
  });

  test("that cannot be written sends all the same", async () => {
    const world = await AlertWorld.start();
    await world.run(slack);
    await world.center.close(1_000);
    const { rmSync, mkdirSync } = await import("node:fs");
    rmSync(path.join(world.folder, "outbox.ndjson"));
    mkdirSync(path.join(world.folder, "outbox.ndjson"));
    await world.run(slack);
    world.tell("JOURNAL_FAILED", "the disk is full");
    await world.settled();
    expect(world.texts).toEqual([expect.stringContaining("the disk is full")]);
    expect(world.lines.map(({ fields }) => fields["code"])).toEqual(["ALERTS_NOT_KEPT"]);
  });
});
