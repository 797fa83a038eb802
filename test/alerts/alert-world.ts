import { onTestFinished } from "vitest";
import { AlertCenter } from "../../src/alerts/alert-center.ts";
import type { NewAlert } from "../../src/alerts/alert.ts";
import { botConfigFrom } from "../../src/config/load-bot-config.ts";
import { openChannel } from "../../src/config/alerts-config.ts";
import { parseYaml } from "../../src/config/parse-yaml.ts";
import type { CommandOrigin } from "../../src/domain/command-origin.ts";
import { createHttp } from "../../src/platform/http.ts";
import { createStore } from "../../src/platform/store.ts";
import { botYaml } from "../support/bot-yaml.ts";
import { VirtualClock } from "../support/virtual-clock.ts";
import { FakeChannel } from "./fake-channel.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const local = { rest: "http://127.0.0.1:8717", ws: "ws://127.0.0.1:8717/ws" };

/** A log that keeps its lines. */
export function logInto(lines: LogLine[]) {
  const level = (name: string) => (fields: LogLine["fields"], text: string) => {
    lines.push({ level: name, fields, text });
  };
  return {
    debug: level("debug"),
    info: level("info"),
    warn: level("warn"),
    error: level("error"),
  };
}

/** The `alerts` of a YAML, their addresses in variables. */
export async function channelsOf(alerts: string, env: Readonly<Record<string, string>>) {
  const text = `${botYaml({ venue: local })}alerts:\n${alerts}`;
  const source = parseYaml({ file: "bot.yaml", text, env });
  const config = await botConfigFrom(source, { env });
  return config.alerts.map((channel) => openChannel(channel, env));
}

export interface LogLine {
  readonly level: string;
  readonly fields: Readonly<Record<string, unknown>>;
  readonly text: string;
}

/** The alerts of one bot: real requests to fake channels, on a clock that only the test moves. */
export class AlertWorld {
  readonly clock = new VirtualClock(Date.UTC(2026, 0, 31, 12, 0, 0));
  readonly folder = temporaryFolder();
  readonly fake: FakeChannel;
  readonly lines: LogLine[] = [];
  readonly commands: { readonly line: string; readonly by: CommandOrigin }[] = [];
  /** What the bot answers to a command. */
  answer: (line: string) => unknown = () => ({ ok: true });
  #center: AlertCenter | undefined;
  #random = 0;

  private constructor(fake: FakeChannel) {
    this.fake = fake;
  }

  static async start(): Promise<AlertWorld> {
    const world = new AlertWorld(await FakeChannel.start());
    onTestFinished(() => world.fake.stop());
    return world;
  }

  /** Begins a run. `channel`: the settings of its only channel, or a whole list. */
  async run(channel: string): Promise<void> {
    const env = { URL: `${this.fake.url}/hook/s3cret`, TOKEN: "123456:secret-of-the-bot" };
    const list = channel.startsWith("-") ? channel : `- ${channel}`;
    const http = createHttp();
    onTestFinished(() => http.close());
    this.#center = new AlertCenter({
      store: createStore(),
      http,
      clock: this.clock,
      timer: this.clock,
      log: logInto(this.lines),
      randomBytes: (count) => new Uint8Array(count).fill((this.#random += 1)),
      command: async (line, by) => {
        this.commands.push({ line, by });
        return JSON.stringify(await this.answer(line));
      },
      folder: this.folder,
      bot: "my-bot",
      isBot: true,
      channels: await channelsOf(list, env),
    });
  }

  /** Of the newest run. */
  get center(): AlertCenter {
    if (this.#center === undefined) throw new Error("no run has begun");
    return this.#center;
  }

  tell(code: string, text: string, more: Partial<NewAlert> = {}): void {
    this.center.tell({ code, text, timeMs: this.clock.nowMs(), ...more });
  }

  /** Waits until nothing more is sent at this moment. */
  async settled(): Promise<void> {
    await this.center.idle();
  }

  /** Lets time pass, step by step, since a response sets the next timer. */
  async pass(ms: number, steps = 1): Promise<void> {
    for (let step = 0; step < steps; step += 1) {
      this.clock.advance(ms / steps);
      await this.settled();
    }
  }

  /** The texts of the messages that the fake received. */
  get texts(): readonly string[] {
    return this.fake.received.map(({ body }) => String(body["text"] ?? body["content"]));
  }
}
