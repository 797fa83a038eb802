import { keccak256, Wallet } from "ethers";
import { toHex } from "../../src/base/hex.ts";
import { fixed } from "../../src/domain/fixed.ts";
import { marketId } from "../../src/domain/ids.ts";
import type { Crypto } from "../../src/ports/crypto.ts";
import { loadCrypto } from "../../src/platform/crypto.ts";
import { loadEthersCrypto } from "../../src/platform/crypto-ethers.ts";
import { checksumAddress } from "../../src/spec/checksum-address.ts";
import { CommandSigner, type SignedCommand } from "../../src/spec/sign-command.ts";
import { commandData, CONTRACT_ADDRESS } from "../../src/spec/transaction.ts";
import type { BenchCase } from "../bench-case.ts";

const chainId = 1001;
const market = marketId("1", "2");
/** A key for measuring only. */
const privateKey = new Uint8Array(32).fill(7);
/** Orders that each side makes before measuring, compared byte by byte. */
const COMPARED = 500;

interface Order {
  readonly nonce: number;
  readonly price: number;
  readonly quantity: string;
}

/** The `number`-th order: another nonce, price and size each time, so that nothing can be reused. */
function orderOf(number: number): Order {
  return {
    nonce: 1_767_225_600_000 + number,
    price: (18_000 + (number % 997)) / 10,
    quantity: `0.${1001 + 2 * (number % 4000)}`,
  };
}

/**
 * G3: from price and size to the complete signed transaction as hex and its hash, the order id. The peer makes its context
 * with JSON.stringify, signs with ethers' Wallet and hashes with ethers, as an ordinary program would.
 */
export const signedOrder: BenchCase = {
  goal: "G3",
  title: "signed order with its id, whole transaction",
  unit: "us",
  async prepare() {
    const native = await loadCrypto();
    const plain = await loadEthersCrypto();
    const owner = native.signer(privateKey).address;
    const ourSide = (crypto: Crypto) => {
      const signer = crypto.signer(privateKey);
      const commandSigner = new CommandSigner({ owner, chainId, crypto, signer });
      return (order: Order) => signWith(commandSigner, order);
    };
    const ours = ourSide(native);
    const fallback = ourSide(plain);
    const wallet = new Wallet(toHex(privateKey));
    const l1owner = checksumAddress(owner, native.keccak256);
    const theirs = (order: Order) => signWithWallet(wallet, l1owner, order);

    let number = 0;
    let problem: string | undefined;
    for (; number < COMPARED && problem === undefined; number += 1) {
      const expected = JSON.stringify(await theirs(orderOf(number)));
      const same = [ours, fallback].every((s) => JSON.stringify(s(orderOf(number))) === expected);
      if (!same) problem = `order ${number} is not signed to the same bytes`;
    }

    const loop = (sign: (order: Order) => unknown) => (iterations: number) => {
      for (let at = 0; at < iterations; at += 1) sign(orderOf((number += 1)));
    };
    return {
      sides: [
        { name: `touchline (${native.name})`, run: loop(ours) },
        {
          name: "ethers Wallet.signTransaction",
          async run(iterations) {
            for (let at = 0; at < iterations; at += 1) await theirs(orderOf((number += 1)));
          },
        },
        { name: "touchline (ethers, no accelerator)", run: loop(fallback) },
      ],
      check: () => problem,
    };
  },
};

function signWith(signer: CommandSigner, order: Order): SignedCommand {
  return signer.sign({
    type: "place",
    nonce: order.nonce,
    marketId: market,
    side: "BUY",
    orderType: "LIMIT",
    orderMode: 0,
    price: order.price,
    quantity: fixed(order.quantity),
  });
}

async function signWithWallet(
  wallet: Wallet,
  l1owner: string,
  order: Order,
): Promise<SignedCommand> {
  const context = {
    l1owner,
    baseToken: "1",
    quoteToken: "2",
    side: 0,
    price: String(order.price),
    quantity: order.quantity,
    orderType: 0,
    orderMode: 0,
  };
  const bytesHex = await wallet.signTransaction({
    type: 0,
    chainId,
    nonce: order.nonce,
    gasLimit: 0x30000,
    gasPrice: 0,
    to: CONTRACT_ADDRESS,
    value: 0,
    data: toHex(commandData(0x21, JSON.stringify(context))),
  });
  return { bytesHex, txHash: keccak256(bytesHex) as SignedCommand["txHash"] };
}
