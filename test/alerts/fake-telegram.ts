import { createServer, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { FakeResponse } from "./fake-channel.ts";

interface Update {
  readonly update_id: number;
  readonly message: unknown;
}

/** The Bot API's `getMe`, `getUpdates` (with long polling and offsets) and `sendMessage`, on loopback. */
export class FakeTelegram {
  readonly token = "123456:secret-of-the-bot";
  readonly sent: { readonly chat_id: number; readonly text: string }[] = [];
  /** Responses of the next `getUpdates`. */
  readonly faults: FakeResponse[] = [];
  /** Old updates come again, as they never should. */
  repeats = false;
  readonly #server: Server;
  #updates: Update[] = [];
  #lastId = 500;
  #held: { readonly response: ServerResponse; readonly offset: number }[] = [];
  #polled: (() => void)[] = [];

  private constructor() {
    this.#server = createServer((request, response) => {
      let text = "";
      request.setEncoding("utf8").on("data", (part: string) => {
        text += part;
      });
      request.on("end", () => {
        const [, token, method] = /^\/bot([^/]+)\/(\w+)$/.exec(request.url ?? "") ?? [];
        const body = JSON.parse(text) as Record<string, unknown>;
        if (token !== this.token) fail(response, 401, "Unauthorized");
        else if (method === "getMe") succeed(response, { id: 1, is_bot: true, username: "My_Bot" });
        else if (method === "sendMessage") {
          this.sent.push({ chat_id: Number(body["chat_id"]), text: String(body["text"]) });
          succeed(response, { message_id: this.sent.length });
        } else if (method === "getUpdates") this.#getUpdates(response, body);
        else fail(response, 404, "Not Found");
      });
    });
  }

  static async start(): Promise<FakeTelegram> {
    const fake = new FakeTelegram();
    await new Promise<void>((resolve) => fake.#server.listen(0, "127.0.0.1", resolve));
    return fake;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Somebody writes a message; `agoSec` is negative for one that was written earlier. */
  write(text: string, user: number, chat: number, agoSec = 0): void {
    this.#lastId += 1;
    const from = { id: user, is_bot: false, first_name: "Ann" };
    const type = chat > 0 ? "private" : "group";
    const date = Math.floor(Date.now() / 1000) + agoSec;
    const message = { message_id: this.#lastId, from, chat: { id: chat, type }, date, text };
    this.#updates.push({ update_id: this.#lastId, message });
    for (const { response, offset } of this.#held.splice(0)) this.#give(response, offset);
  }

  /** Resolves once a request for updates waits. */
  async untilPolled(): Promise<void> {
    while (this.#held.length === 0) {
      await new Promise<void>((resolve) => this.#polled.push(resolve));
    }
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  #getUpdates(response: ServerResponse, { offset, timeout }: Record<string, unknown>): void {
    const fault = this.faults.shift();
    if (fault === "cut") return void response.socket?.destroy();
    if (fault === "hang") return;
    if (fault !== undefined) return respond(response, fault.status, fault.body);
    const from = Number(offset);
    // A negative offset: the last ones alone; all before are forgotten.
    if (from < 0) this.#updates = this.#updates.slice(from);
    else if (!this.repeats) this.#updates = this.#updates.filter((one) => one.update_id >= from);
    const isThere = this.#updates.some((one) => one.update_id >= from);
    if (isThere || Number(timeout) === 0) return this.#give(response, from);
    this.#held.push({ response, offset: from });
    // Of a bot that was killed.
    response.once("close", () => {
      this.#held = this.#held.filter((one) => one.response !== response);
    });
    for (const found of this.#polled.splice(0)) found();
  }

  #give(response: ServerResponse, offset: number): void {
    const found = this.#updates.filter((one) => this.repeats || one.update_id >= offset);
    succeed(response, found.slice(0, 10));
  }
}

function succeed(response: ServerResponse, result: unknown): void {
  respond(response, 200, { ok: true, result });
}

function fail(response: ServerResponse, status: number, description: string): void {
  respond(response, status, { ok: false, error_code: status, description });
}

function respond(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { "content-type": "application/json" });
  response.end(JSON.stringify(body ?? {}));
}
