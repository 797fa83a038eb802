import { toHex } from "../base/hex.ts";
import type { Command, PlaceCommand, StopCommand } from "../domain/command.ts";
import { fixedText } from "../domain/fixed.ts";
import type { OrderId } from "../domain/ids.ts";
import { priceText } from "../domain/price.ts";
import type { UnixMs } from "../domain/time.ts";
import type { Keccak256 } from "../spec/transaction.ts";

const utf8 = new TextEncoder();

/**
 * One hash over every command of a run, in order and with its virtual time. Runs with equal hashes made equal decisions.
 * With Lᵢ the line of command i: Hᵢ = keccak-256(Hᵢ₋₁ ‖ Lᵢ), where H₀ is empty.
 */
export class DecisionsHash {
  readonly #keccak256: Keccak256;
  #hash: Uint8Array = new Uint8Array();
  /** The newest hash, followed by the line of a command. */
  #joined = new Uint8Array(512);
  /** Where the line is written. */
  #line = this.#joined;
  #count = 0;

  constructor(keccak256: Keccak256) {
    this.#keccak256 = keccak256;
  }

  get count(): number {
    return this.#count;
  }

  add(command: Command, txHash: OrderId, nowMs: UnixMs): void {
    const line = decisionLine(command, txHash, nowMs);
    const from = this.#hash.length;
    // A UTF-16 unit takes at most three bytes.
    const room = from + 3 * line.length;
    if (this.#joined.length < room) this.#joined = new Uint8Array(room);
    if (this.#line.buffer !== this.#joined.buffer || this.#line.byteOffset !== from) {
      this.#line = this.#joined.subarray(from);
    }
    this.#joined.set(this.#hash);
    const { written } = utf8.encodeInto(line, this.#line);
    this.#hash = this.#keccak256(this.#joined.subarray(0, from + written));
    this.#count += 1;
  }

  /** The hash as `0x…`; `0x` alone without commands. */
  text(): string {
    return toHex(this.#hash);
  }
}

/** One command as a line of text: time, intent, transaction hash, nonce, strategy and terms. */
export function decisionLine(command: Command, txHash: OrderId, nowMs: UnixMs): string {
  const start = `${nowMs} ${command.intent} ${txHash} ${command.nonce} ${command.strategy}`;
  if (command.type === "cancel") return `${start} cancel ${command.orderId}\n`;
  if (command.type === "modify") {
    const { orderId, newPrice, newQty } = command;
    return `${start} modify ${orderId} ${priceText(newPrice)} ${fixedText(newQty)}\n`;
  }
  const { type, marketId, side, orderType, orderMode, price, quantity } = command;
  const extra = command.type === "stop" ? stopText(command) : tpslText(command);
  return `${start} ${type} ${marketId} ${side} ${orderType} ${orderMode} ${priceText(price)} ${fixedText(quantity)}${extra}\n`;
}

function stopText({ name, kind, stopPrice }: StopCommand): string {
  return ` ${kind} ${priceText(stopPrice)} ${name}`;
}

function tpslText({ tpsl, take }: PlaceCommand): string {
  if (take !== undefined) return ` take ${take.name}`;
  if (tpsl === undefined) return "";
  const limit = tpsl.slLimit === undefined ? "market" : priceText(tpsl.slLimit);
  return ` ${priceText(tpsl.tpLimit)} ${priceText(tpsl.slTrigger)} ${limit}`;
}
