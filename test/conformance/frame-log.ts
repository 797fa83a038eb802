import { record, type Json, type Stream } from "./client.ts";
import { PATIENCE } from "../support/patience.ts";

/** Collects the incoming frames of a stream, for any transport. */
export abstract class FrameLog implements Stream {
  readonly #frames: Json[] = [];
  #waiting: (() => void)[] = [];
  #barriers = 0;

  abstract send(message: unknown): void;
  abstract pong(): void;
  abstract isOpen(): boolean;
  protected abstract readonly pingCount: number;
  protected abstract readonly endCode: number | undefined;

  /** A text frame came in. */
  protected received(text: string): void {
    this.#frames.push(JSON.parse(text) as Json);
    this.changed();
  }

  /** Wakes pending waits. */
  protected changed(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const look of waiting) look();
  }

  async #until(isSo: () => boolean): Promise<void> {
    while (!isSo()) {
      await new Promise<void>((resolve, reject) => {
        const tooLate = setTimeout(
          () => reject(new Error("the venue sent nothing")),
          PATIENCE.timeout,
        );
        this.#waiting.push(() => {
          clearTimeout(tooLate);
          resolve();
        });
      });
    }
  }

  async call(message: unknown): Promise<Json> {
    const from = this.#frames.length;
    this.send(message);
    const reply = (): Json | undefined =>
      this.#frames.slice(from).find((frame) => !("method" in frame));
    await this.#until(() => reply() !== undefined);
    return reply() ?? {};
  }

  subscribe(...channels: string[]): Promise<Json> {
    return this.call({ method: "subscribe", params: { channels }, id: 1 });
  }

  /** Frames arrive in order, so the reply to this request arrives after all earlier frames. */
  async #barrier(): Promise<void> {
    this.#barriers += 1;
    const id = 1_000_000 + this.#barriers;
    this.send({ method: "unsubscribe", params: { channels: [] }, id });
    await this.#until(() => this.#frames.some((frame) => frame["id"] === id));
  }

  async frames(): Promise<Json[]> {
    await this.#barrier();
    return this.#frames.filter(({ id }) => typeof id !== "number" || id <= 1_000_000);
  }

  async pushes(channel: string): Promise<Json[]> {
    const frames = await this.frames();
    return frames.flatMap((frame) => {
      const params = frame["params"] as Json | undefined;
      return params?.["channel"] === channel ? [record(params["result"])] : [];
    });
  }

  async pings(): Promise<number> {
    await this.#barrier();
    return this.pingCount;
  }

  async ended(): Promise<number> {
    await this.#until(() => this.endCode !== undefined);
    return this.endCode ?? 0;
  }
}
