import { Prng } from "../../src/base/prng.ts";
import { isCommand } from "../../src/domain/command.ts";
import { unixMs } from "../../src/domain/time.ts";
import type { Batch } from "../../src/kernel/input.ts";
import { Kernel, type Step } from "../../src/kernel/kernel.ts";
import type { Note } from "../../src/kernel/note.ts";
import { riskSchema } from "../../src/risk/settings.ts";
import { CommandEncoder } from "../../src/spec/sign-command.ts";
import type { Decision } from "../../src/strategy/contract.ts";
import type { MarketView } from "../../src/strategy/view.ts";
import { testKernelConfig } from "../support/kernel-config.ts";
import { testCrypto } from "../support/venue.ts";
import { market, owner, scripted, start } from "./harness.ts";
import { saneDecision } from "./wild-strategy.ts";
import { WildVenue } from "./wild-venue.ts";

const crypto = await testCrypto();
const encoder = new CommandEncoder({
  owner,
  chainId: 1001,
  keccak256: (bytes) => crypto.keccak256(bytes),
});

export interface Game {
  readonly seed: number;
  readonly steps: number;
  /** The venue's quantities fit. */
  readonly isSane: boolean;
  /** The decisions of a strategy beside the sane one. */
  readonly beside?: (prng: Prng, view: MarketView) => Decision;
  /** Called after each step. */
  readonly stepped?: (batch: Batch, step: Step) => void;
}

/** Runs a kernel against a venue that says anything. Throws what the kernel or the encoding of a command throws. */
export function play({ seed, steps, isSane, beside, stepped }: Game) {
  const prng = new Prng(seed);
  const { marketId } = market;
  const common = { params: {}, marketId, seed: 1 };
  const sane = scripted((view) => saneDecision(prng, view));
  const odd = beside && scripted((view) => beside(prng, view));
  const config = testKernelConfig("run", {
    useModify: prng.chance(0.5),
    owner,
    markets: [market],
    strategies: [
      { ...common, name: "sane", definition: sane },
      ...(odd === undefined ? [] : [{ ...common, name: "odd", definition: odd }]),
    ],
    rate: { perSecond: 50, burst: 50, concurrency: 8 },
    risk: riskSchema.parse({
      maxPosition: prng.pick(["3", "10", null]),
      priceCollar: prng.pick(["5%", null]),
    }),
    guard: { refreshMs: prng.pick([500, 10_000]), isRequired: prng.chance(0.1) },
  });
  const kernel = new Kernel(config);
  const venue = new WildVenue(prng, isSane);
  const nonces = new Set<number>();
  const notes: Note[] = [];
  const commands = new Map<string, number>();
  let nowMs = start;
  for (let seq = 1; seq <= steps; seq += 1) {
    nowMs += prng.pick([0, 1, 10, 100, 1000, 5000]);
    const inputs = venue.inputs(unixMs(nowMs), seq === 2);
    const batch = { seq, nowMs: unixMs(nowMs), inputs };
    const step = kernel.step(batch);
    stepped?.(batch, step);
    notes.push(...step.notes);
    for (const effect of step.effects) {
      if (effect.type === "finished") return { notes, commands };
      if (effect.type === "tokens" || effect.type === "adopt") continue;
      if (effect.type === "resubscribe" || effect.type === "reconnect") continue;
      if (effect.type === "standby") {
        if (nonces.has(effect.nonce)) throw new Error(`nonce ${effect.nonce} is used twice`);
        nonces.add(effect.nonce);
        const made = `${effect.strategy} standby`;
        commands.set(made, (commands.get(made) ?? 0) + 1);
        continue;
      }
      if (!isCommand(effect)) {
        venue.read(effect);
        continue;
      }
      if (nonces.has(effect.nonce)) throw new Error(`nonce ${effect.nonce} is used twice`);
      nonces.add(effect.nonce);
      encoder.unsigned(effect);
      const kind = `${effect.strategy} ${effect.type}`;
      commands.set(kind, (commands.get(kind) ?? 0) + 1);
      venue.sent(effect);
    }
  }
  return { notes, commands };
}
