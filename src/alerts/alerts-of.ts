import { fixedText, fixedToNumber, mulFixed } from "../domain/fixed.ts";
import type { Market } from "../domain/market.ts";
import { fillText } from "../domain/order.ts";
import type { Input } from "../kernel/input.ts";
import type { Note } from "../kernel/note.ts";
import { channelText } from "../domain/stream-channel.ts";
import type { ObservedEntry } from "../runtime/observers.ts";
import { operatorText } from "../runtime/operator-text.ts";
import type { NewAlert } from "./alert.ts";

type Fact = Omit<NewAlert, "timeMs">;

/** What happened in a step that people may want to know. The alert centre leaves out codes that no channel sends. */
export function alertsOf(
  { batch, notes }: Pick<ObservedEntry, "batch" | "notes">,
  markets: readonly Pick<Market, "marketId" | "ticker">[],
): readonly NewAlert[] {
  const facts = [
    ...batch.inputs.map((input) => ofInput(input)),
    ...notes.map((note) => ofNote(note, markets)),
  ];
  return facts.flatMap((fact) => (fact === undefined ? [] : [{ ...fact, timeMs: batch.nowMs }]));
}

function ofInput(input: Input): Fact | undefined {
  switch (input.type) {
    case "operator":
    case "params": {
      const command = input.type === "operator" ? input.command : "tune";
      const code = `OPERATOR_${command.replace(/[A-Z]/g, "_$&").toUpperCase()}`;
      const of = "strategy" in input && input.strategy !== undefined;
      return { code, text: operatorText(input) ?? "", ...(of ? { strategy: input.strategy } : {}) };
    }
    case "accountEvent": {
      const { eventType, tokenId, amount, txHash } = input.event;
      const text = `${eventType.toLowerCase()} of ${fixedText(amount)} of token ${tokenId}, transaction ${txHash}`;
      return { code: `ACCOUNT_${eventType}`, text };
    }
    case "journalFailed":
      return {
        code: "JOURNAL_FAILED",
        text: `only cancels are sent, then it ends: ${input.message}`,
      };
    default:
      return undefined;
  }
}

function ofNote(note: Note, markets: Parameters<typeof alertsOf>[1]): Fact | undefined {
  switch (note.type) {
    case "warning":
    case "balanceDrift":
      return { code: note.code, text: note.message };
    case "doubt": {
      const { code, marketId, message: text } = note;
      return { code, text, ...(marketId === undefined ? {} : { marketId }) };
    }
    case "risk": {
      const { code, of: strategy, message: text } = note;
      return { code, text, ...(strategy === undefined ? {} : { strategy }) };
    }
    case "fill": {
      const { strategy, fill, position } = note;
      const { marketId, price, quantity } = fill;
      const ticker = markets.find((market) => market.marketId === marketId)?.ticker ?? marketId;
      const text = `${fillText(fill)} in ${ticker}, position ${fixedText(position)}`;
      const worth = fixedToNumber(mulFixed(price, quantity));
      return { code: "FILL_LARGE", strategy, marketId, text, worth };
    }
    case "strategyFault":
      return { code: "STRATEGY_FAILED", strategy: note.strategy, text: note.message };
    case "guard":
      return note.isConnected
        ? { code: "GUARD_CONNECTED", text: "a guard is connected" }
        : { code: "GUARD_LOST", text: "no guard is connected any more" };
    case "channel": {
      if (note.state === "live") return undefined;
      return {
        code: "CHANNEL_BEHIND",
        text: `the ${channelText(note.channel)} is behind: ${note.reason}`,
      };
    }
    default:
      return undefined;
  }
}
