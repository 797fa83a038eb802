import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect } from "vitest";
import { botYaml } from "../support/bot-yaml.ts";
import { Touchline, touchline } from "../support/touchline-process.ts";

/** A paper venue in a process of its own, whose market stands still unless a test trades or sets a flow, and a bot's config beside it. */
export class VenueProcess {
  readonly rest: string;
  /** The bot's YAML. Its key is read from TOUCHLINE_KEY. */
  readonly botConfig: string;
  readonly journal: string;
  readonly #folder: string;
  readonly #process: Touchline;

  private constructor(folder: string, process: Touchline, rest: string) {
    this.rest = rest;
    this.botConfig = path.join(folder, "bot.yaml");
    this.journal = path.join(folder, "journal");
    this.#folder = folder;
    this.#process = process;
  }

  /** `strategy`: one entry of the bot's list `strategies:`, indented by two. `flow` and `faults`: as in a paper venue's YAML. */
  static async start(
    strategy: string,
    {
      flow = "none",
      faults = "none",
    }: { readonly flow?: string; readonly faults?: string | undefined } = {},
  ): Promise<VenueProcess> {
    const folder = mkdtempSync(path.join(tmpdir(), "touchline-process-"));
    const config = path.join(folder, "venue.yaml");
    const document = `flow: ${flow}\nfaucet: { "1": "100", "2": "250000" }\nfaults: ${faults}\n`;
    writeFileSync(config, document);
    const process = new Touchline(["venue", config, "--port", "0"]);
    const listening = await process.line("listening");
    const [rest, ws] = [String(listening["rest"]), String(listening["ws"])];
    const venue = new VenueProcess(folder, process, rest);
    writeFileSync(venue.botConfig, botYaml({ venue: { rest, ws }, strategy }));
    return venue;
  }

  /** Places a limit order by the command line, which must succeed. */
  async place(
    env: Readonly<Record<string, string>>,
    ...order: readonly [side: "buy" | "sell", quantity: string, price: string]
  ): Promise<void> {
    const placed = await touchline(["order", "place", "1_2", ...order, "--venue", this.rest], env);
    expect(placed.code, placed.stderr).toBe(0);
  }

  async stop(): Promise<void> {
    this.#process.kill("SIGTERM");
    expect(await this.#process.exit).toBe(0);
    rmSync(this.#folder, { recursive: true, force: true });
  }
}
