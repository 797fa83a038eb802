import { onTestFinished, describe, expect, test, vi } from "vitest";
import { TelegramChat } from "../../src/alerts/telegram-chat.ts";
import { createHttp } from "../../src/platform/http.ts";
import type { CommandOrigin } from "../../src/domain/command-origin.ts";
import { VirtualClock } from "../support/virtual-clock.ts";
import { channelsOf, logInto, type LogLine } from "./alert-world.ts";
import { FakeTelegram } from "./fake-telegram.ts";
import { PATIENCE } from "../support/patience.ts";

const ALLOWED = 42;
const STRANGER = 666;
const GROUP = -100;

/** A chat with people, and what the bot was told to do. */
class ChatWorld {
  readonly clock = new VirtualClock(Date.now());
  readonly telegram: FakeTelegram;
  readonly commands: { readonly request: Record<string, unknown>; readonly by: CommandOrigin }[] =
    [];
  readonly lines: LogLine[] = [];
  answer: unknown = { ok: true };
  #chat: TelegramChat | undefined;

  private constructor(telegram: FakeTelegram) {
    this.telegram = telegram;
  }

  static async start(allow = `[${ALLOWED}]`): Promise<ChatWorld> {
    const world = new ChatWorld(await FakeTelegram.start());
    onTestFinished(() => world.telegram.stop());
    await world.run(allow);
    return world;
  }

  async run(allow = `[${ALLOWED}]`): Promise<void> {
    const [channel] = await channelsOf(
      `- { type: telegram, token: { env: TOKEN }, chat: ${GROUP}, allow: ${allow}, api: "${this.telegram.url}" }`,
      { TOKEN: this.telegram.token },
    );
    if (channel?.type !== "telegram") throw new Error("no chat");
    const http = createHttp();
    let random = 0;
    const chat = new TelegramChat(channel, {
      http,
      clock: this.clock,
      timer: this.clock,
      log: logInto(this.lines),
      randomBytes: (count) => new Uint8Array(count).fill((random += 1)),
      command: async (line, by) => {
        this.commands.push({ request: JSON.parse(line) as Record<string, unknown>, by });
        return JSON.stringify(this.answer);
      },
    });
    this.#chat = chat;
    chat.start();
    onTestFinished(async () => {
      chat.stop();
      await http.close();
    });
    await this.telegram.untilPolled();
  }

  /** The bot reads no more. */
  stop(): void {
    this.#chat?.stop();
  }

  /** Somebody writes; resolves with the bot's reply. */
  async ask(text: string, user = ALLOWED, chat = user): Promise<string> {
    const replies = this.telegram.sent.length;
    this.telegram.write(text, user, chat);
    await vi.waitFor(() => expect(this.telegram.sent.length).toBeGreaterThan(replies), PATIENCE);
    const reply = this.telegram.sent.at(-1);
    expect(reply?.chat_id).toBe(chat);
    return reply?.text ?? "";
  }

  /** Somebody writes, and then an allowed user, whose reply shows that the first one got none. */
  async ignored(text: string, user: number, chat: number): Promise<void> {
    this.telegram.write(text, user, chat);
    await this.ask("/help");
    expect(this.telegram.sent.every((reply) => reply.chat_id === ALLOWED)).toBe(true);
  }
}

describe("a command", () => {
  test("is the action of the control socket, given by the user", async () => {
    const world = await ChatWorld.start();
    expect(await world.ask("/pause eth-maker")).toBe("pause eth-maker: done.");
    expect(await world.ask("/reduce_only")).toBe("reduce_only: done.");
    expect(world.commands.pop()?.request).toEqual({ command: "reduce-only" });
    expect(world.commands).toEqual([
      {
        request: { command: "pause", strategy: "eth-maker" },
        by: { who: "telegram:42", from: "chat 42" },
      },
    ]);
  });

  test("shows what the bot does, earns and holds", async () => {
    const world = await ChatWorld.start();
    const row = {
      name: "maker",
      market: "1_2",
      orders: 4,
      state: "oneSide",
      reason: { BUY: null, SELL: "the inventory is full" },
      position: { base: "1.5", dayPnl: "-3.2", totalPnl: "12.25" },
    };
    const portfolio = { pnl: { day: "-3.2", total: "12.25" }, positions: { "1": "1.5" } };
    world.answer = {
      ok: true,
      status: { strategies: [row], portfolio, guard: "none", warnings: [] },
    };
    expect(await world.ask("/status")).toContain(
      "one side, bids: quoted, asks: the inventory is full, 4 orders",
    );
    expect(await world.ask("/pnl")).toContain("maker: today -3.2, in all 12.25");
    expect(await world.ask("/positions@My_Bot")).toContain("maker (1_2): 1.5");
    expect(world.commands.map(({ request }) => request["command"])).toEqual(
      Array.from({ length: 3 }, () => "status"),
    );
  });

  test("that the bot could not do says why, and which orders are in question", async () => {
    const world = await ChatWorld.start();
    world.answer = { ok: false, message: "the disk does not answer", ordersLeft: ["0xab"] };
    expect(await world.ask("/pause")).toBe(
      "pause: not done, or not all of it: the disk does not answer; orders in question: 0xab",
    );
  });

  test.each(["/nothing", "/", "/constructor", "/__proto__"])(
    "that does not exist is no action: %s",
    async (text) => {
      const world = await ChatWorld.start();
      world.telegram.write(text, ALLOWED, ALLOWED);
      expect(await world.ask("/help")).toContain("/flatten [strategy]");
      expect(world.commands).toEqual([]);
    },
  );
});

describe("a risky action", () => {
  test.each([
    ["/halt news", { command: "halt", reason: "news" }],
    ["/flatten", { command: "flatten", maxSlippage: 0.005, withinMs: 10_000 }],
    ["/resume eth-maker", { command: "resume", strategy: "eth-maker" }],
  ])("is done only once its code came back: %s", async (text, request) => {
    const world = await ChatWorld.start();
    const question = await world.ask(text);
    expect(world.commands).toEqual([]);
    const [code = ""] = /\d{4}/.exec(question) ?? [];
    expect(await world.ask(`/confirm ${code}`)).toContain("done.");
    expect(world.commands.map((one) => one.request)).toEqual([request]);
    expect(await world.ask(`/confirm ${code}`)).toBe("Nothing waits for this.");
    expect(world.commands).toHaveLength(1);
  });

  test("is not done after a wrong code, and then not with the right one", async () => {
    const world = await ChatWorld.start();
    const [code = ""] = /\d{4}/.exec(await world.ask("/halt")) ?? [];
    expect(await world.ask(`/confirm ${(Number(code) + 1) % 10_000}`)).toContain("not the code");
    expect(await world.ask(`/confirm ${code}`)).toBe("Nothing waits for this.");
    expect(world.commands).toEqual([]);
  });

  test("is not done after its time, nor by another user", async () => {
    const world = await ChatWorld.start(`[${ALLOWED}, 43]`);
    const [code = ""] = /\d{4}/.exec(await world.ask("/halt")) ?? [];
    expect(await world.ask(`/confirm ${code}`, 43)).toBe("Nothing waits for this.");
    world.clock.advance(60_001);
    expect(await world.ask(`/confirm ${code}`)).toBe("Nothing waits for this.");
    expect(world.commands).toEqual([]);
  });
});

describe("who is not allowed", () => {
  test("gets no answer, and is in the log once", async () => {
    const world = await ChatWorld.start();
    for (let time = 0; time < 3; time += 1) await world.ignored("/halt", STRANGER, STRANGER);
    expect(world.commands).toEqual([]);
    expect(world.lines).toEqual([
      expect.objectContaining({
        fields: { code: "TELEGRAM_STRANGER", user: STRANGER, chat: STRANGER },
      }),
    ]);
  });

  test.each([
    ["a stranger in the chat of the alerts", STRANGER, GROUP],
    ["an allowed user in a chat that is not known", ALLOWED, -5],
  ])("is also %s", async (_, user, chat) => {
    const world = await ChatWorld.start();
    await world.ignored("/status", user, chat);
    expect(world.commands).toEqual([]);
  });

  test("is nobody in a chat that is allowed, and no allowed user in the chat of the alerts", async () => {
    const world = await ChatWorld.start(`[${ALLOWED}, -7]`);
    await world.ask("/pause", STRANGER, -7);
    await world.ask("/pause", ALLOWED, GROUP);
    expect(world.commands).toHaveLength(2);
  });

  test("is another bot of the same group", async () => {
    const world = await ChatWorld.start();
    world.telegram.write("/pause@another_bot", ALLOWED, ALLOWED);
    await world.ask("/pause@my_bot");
    expect(world.commands).toHaveLength(1);
  });
});

describe("what Telegram says again or late", () => {
  test("is not done when it was written before the start", async () => {
    const world = await ChatWorld.start();
    world.stop();
    world.telegram.write("/pause", ALLOWED, ALLOWED);
    world.telegram.write("/halt", ALLOWED, ALLOWED);
    await world.run();
    await world.ask("/pause maker");
    expect(world.commands.map(({ request }) => request["strategy"])).toEqual(["maker"]);
  });

  test("is done once, though the same update comes twice", async () => {
    const world = await ChatWorld.start();
    world.telegram.repeats = true;
    await world.ask("/pause");
    await world.ask("/pause maker");
    expect(world.commands.map(({ request }) => request["strategy"])).toEqual([undefined, "maker"]);
  });

  test("is not done when it waited for longer than two minutes", async () => {
    const world = await ChatWorld.start();
    world.telegram.write("/pause", ALLOWED, ALLOWED, -121);
    await vi.waitFor(() => expect(world.telegram.sent).toHaveLength(1), PATIENCE);
    expect(world.telegram.sent[0]?.text).toContain("came too late");
    expect(world.commands).toEqual([]);
  });

  test("does not end the chat when it is an error, nonsense or nothing, and says so once", async () => {
    const world = await ChatWorld.start();
    const faults = [
      { status: 502 },
      "cut",
      { status: 200, body: { ok: true, result: "nonsense" } },
      {
        status: 409,
        body: { ok: false, description: `Conflict: other getUpdates of ${world.telegram.token}` },
      },
    ] as const;
    world.telegram.faults.push(...faults);
    world.telegram.write("/pause", ALLOWED, ALLOWED);
    await vi.waitFor(() => {
      world.clock.advance(1_000);
      expect(world.commands).toHaveLength(1);
    }, PATIENCE);
    const warnings = world.lines.filter(({ level }) => level === "warn");
    expect(warnings.map(({ text }) => text)).toEqual(["commands from Telegram cannot be read"]);
    expect(JSON.stringify(world.lines)).not.toContain(world.telegram.token);
  });
});
