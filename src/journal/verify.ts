import { errorText } from "../base/error-text.ts";
import type { Address, OrderId } from "../domain/ids.ts";
import { isCommand, type Command } from "../domain/command.ts";
import type { Effect } from "../kernel/effect.ts";
import type { Batch } from "../kernel/input.ts";
import { DataWriter } from "./data-codec.ts";
import type { Entry, RunHeader, SignedEntry } from "./entry.ts";

/** What a re-run needs from other modules: the kernel, the encoder of commands, and the recovery of signatures. */
export interface VerifyTools {
  /** Creates a kernel with the settings of the header. */
  kernelOf(header: RunHeader): { step(batch: Batch): { readonly effects: readonly Effect[] } };
  /** The bytes whose hash a command's signature signs. */
  unsignedOf(header: RunHeader, command: Command): Uint8Array;
  /** The unsigned bytes, signer and hash of signed bytes; undefined when the bytes are not a transaction. */
  openSigned(
    header: RunHeader,
    bytesHex: string,
  ):
    | {
        readonly unsigned: Uint8Array;
        readonly signer: Address | undefined;
        readonly txHash: OrderId;
      }
    | undefined;
  /** Signs a command again with the header's key. Undefined when the key is not available; the comparison is then left out. */
  signAgain?(header: RunHeader, command: Command): string | undefined;
}

export interface Difference {
  readonly seq: number;
  readonly what: "effects" | "unsigned-bytes" | "signature" | "hash" | "order";
  readonly message: string;
}

/** The result of `journal verify`. */
export interface Verified {
  readonly batches: number;
  /** Number of effects compared. */
  readonly decisions: number;
  /** Number of signed commands whose unsigned bytes were compared. */
  readonly signed: number;
  /** Number of signatures that recover to the recorded signer. */
  readonly recovered: number;
  readonly identical: boolean;
  readonly firstDifference: Difference | null;
}

/** Feeds a recorded run to a new kernel and compares effects, unsigned bytes and signatures up to the first difference. */
export function verifyRun(
  header: RunHeader,
  entries: Iterable<Entry>,
  tools: VerifyTools,
): Verified {
  const kernel = tools.kernelOf(header);
  const count = { batches: 0, decisions: 0, signed: 0, recovered: 0 };
  const result = (firstDifference: Difference | null): Verified => ({
    ...count,
    identical: firstDifference === null,
    firstDifference,
  });

  let signedBy = header;
  for (const item of entries) {
    // Another key signs from here on; the rest of the header is the same.
    if (item.type === "run") signedBy = { ...header, signer: item.head.header.signer };
    if (item.type !== "batch") continue;
    const { batch, effects, signed } = item.entry;
    const { seq } = batch;
    let again: readonly Effect[];
    try {
      again = kernel.step(batch).effects;
    } catch (thrown) {
      const message = errorText(thrown);
      return result({ seq, what: "effects", message: `the re-run fails here: ${message}` });
    }
    count.batches += 1;
    const at = firstUnequal(effects, again);
    if (at !== undefined) {
      return result({
        seq,
        what: "effects",
        message: `effect ${at}: recorded ${show(effects[at])}, re-run ${show(again[at])}`,
      });
    }
    count.decisions += effects.length;
    const difference = compareSigned({ header: signedBy, seq, effects, signed }, tools, count);
    if (difference !== undefined) return result(difference);
  }
  return result(null);
}

/** What a step decided and signed; `header` names the signer at that step. */
interface SignedStep {
  readonly header: RunHeader;
  readonly seq: number;
  readonly effects: readonly Effect[];
  readonly signed: readonly SignedEntry[];
}

function compareSigned(
  { header, seq, effects, signed }: SignedStep,
  tools: VerifyTools,
  count: { signed: number; recovered: number },
): Difference | undefined {
  for (const { intent, txHash, bytesHex } of signed) {
    const command = effects.find(
      (effect): effect is Command => isCommand(effect) && effect.intent === intent,
    );
    const named = `intent ${intent}`;
    if (command === undefined) {
      return { seq, what: "order", message: `${named} was signed but not decided in this batch` };
    }
    const opened = tools.openSigned(header, bytesHex);
    if (opened === undefined) {
      return { seq, what: "signature", message: `${named}: the signed bytes are no transaction` };
    }
    if (!isSame(opened.unsigned, tools.unsignedOf(header, command))) {
      return { seq, what: "unsigned-bytes", message: `${named}: the unsigned bytes differ` };
    }
    count.signed += 1;
    if (opened.txHash !== txHash) {
      return {
        seq,
        what: "hash",
        message: `${named}: recorded hash ${txHash}, it is ${opened.txHash}`,
      };
    }
    if (opened.signer !== header.signer) {
      const signer = opened.signer ?? "nobody";
      return {
        seq,
        what: "signature",
        message: `${named}: signed by ${signer}, not ${header.signer}`,
      };
    }
    count.recovered += 1;
    const again = tools.signAgain?.(header, command);
    if (again !== undefined && again !== bytesHex) {
      return { seq, what: "signature", message: `${named}: signing again gives other bytes` };
    }
  }
  return undefined;
}

/** Index of the first effect that is not the same bit for bit. */
export function firstUnequal(
  left: readonly Effect[],
  right: readonly Effect[],
): number | undefined {
  for (let at = 0; at < Math.max(left.length, right.length); at += 1) {
    if (!isSame(bytesOf(recorded, left[at]), bytesOf(rerun, right[at]))) return at;
  }
  return undefined;
}

const recorded = new DataWriter();
const rerun = new DataWriter();

function bytesOf(writer: DataWriter, effect: Effect | undefined): Uint8Array {
  writer.reset();
  writer.begin(0);
  writer.value(effect);
  return writer.written;
}

function isSame(left: Uint8Array, right: Uint8Array): boolean {
  return left.length === right.length && left.every((byte, at) => byte === right[at]);
}

function show(effect: Effect | undefined): string {
  if (effect === undefined) return "nothing";
  return JSON.stringify(effect, (_key, value: unknown) =>
    typeof value === "bigint" ? value.toString() : value,
  );
}
