import {
  computeAddress,
  concat,
  hexlify,
  keccak256,
  SigningKey,
  toUtf8Bytes,
  Transaction,
  TypedDataEncoder,
} from "ethers";

/**
 * Signs with ethers from the interface document alone, without `src/spec`, so that a mistake which our client and our venue share is
 * found.
 */

/** §4.4's table of commands; 0x12 is D9's. */
export const commandBytes = {
  session: 0x01,
  transfer: 0x02,
  tokenTransfer: 0x11,
  withdraw: 0x12,
  order: 0x21,
  cancel: 0x22,
  cancelAll: 0x23,
  modify: 0x24,
  stop: 0x25,
} as const;
export type CommandKind = keyof typeof commandBytes;

const paths: Readonly<Record<CommandKind, string>> = {
  session: "/api/v1/wallet/session",
  transfer: "/api/v1/wallet/transfer",
  tokenTransfer: "/api/v1/wallet/transfer",
  withdraw: "/api/v1/wallet/withdraw",
  order: "/api/v1/order",
  cancel: "/api/v1/order/cancel",
  cancelAll: "/api/v1/order/cancel/all",
  modify: "/api/v1/order/modify",
  stop: "/api/v1/order/trigger",
};

export type Context = Readonly<Record<string, unknown>>;

/** Deviations from a valid transaction. */
export interface TransactionChange {
  readonly nonce?: number;
  readonly chainId?: number;
  readonly gasLimit?: number;
  readonly gasPrice?: number;
  readonly value?: number;
  readonly to?: string;
  readonly type?: 0 | 2;
  readonly byte?: number;
  /** The context's text in place of its JSON. */
  readonly text?: string;
  /** Another endpoint. */
  readonly path?: string;
  /** Fields of the body beside `tx`. */
  readonly body?: Context;
  /** The address in `l1owner`. */
  readonly owner?: string;
}

export interface Signed {
  readonly path: string;
  readonly body: Context & { readonly tx: string };
  /** Of the transaction, in lower case. */
  readonly hash: string;
  readonly nonce: number;
}

export const CONTRACT = "0x00000000000000000000000000000000000000cc";

export class Wallet {
  /** EIP-55, as wallets show it. */
  readonly address: string;
  readonly key: SigningKey;
  readonly #nowMs: () => number;
  #nonce = 0;

  constructor(keyByte: number, nowMs: () => number) {
    this.key = new SigningKey(new Uint8Array(32).fill(keyByte));
    this.address = computeAddress(this.key);
    this.#nowMs = nowMs;
  }

  /** A time nonce that was not used before. */
  nextNonce(): number {
    this.#nonce = Math.max(this.#nonce + 1, this.#nowMs());
    return this.#nonce;
  }

  sign(kind: CommandKind, context: Context, change: TransactionChange = {}): Signed {
    const nonce = change.nonce ?? this.nextNonce();
    const text =
      change.text ?? JSON.stringify({ l1owner: change.owner ?? this.address, ...context });
    const data = concat([Uint8Array.of(change.byte ?? commandBytes[kind]), toUtf8Bytes(text)]);
    const transaction = Transaction.from({
      type: change.type ?? 0,
      to: change.to ?? CONTRACT,
      value: change.value ?? 0,
      gasLimit: change.gasLimit ?? 0x30000,
      ...(change.type === 2
        ? { maxFeePerGas: 0, maxPriorityFeePerGas: 0 }
        : { gasPrice: change.gasPrice ?? 0 }),
      nonce,
      chainId: change.chainId ?? 1001,
      data: hexlify(data),
    });
    transaction.signature = this.key.sign(transaction.unsignedHash);
    const tx = transaction.serialized;
    return {
      path: change.path ?? paths[kind],
      body: { tx, ...change.body },
      hash: keccak256(tx),
      nonce,
    };
  }

  /** An order of §4.4, a limit buy unless said otherwise. */
  order(context: Context, change: TransactionChange = {}): Signed {
    return this.sign("order", { ...plainOrder, ...context }, change);
  }

  limit(side: 0 | 1, price: string, quantity: string, context: Context = {}): Signed {
    return this.order({ side, price, quantity, ...context });
  }

  /** `mode` 1: in quote token. */
  market(side: 0 | 1, quantity: string, mode: 0 | 1 = 0): Signed {
    return this.order({ side, price: "0", quantity, orderType: 1, orderMode: mode });
  }

  /** A stop order of §4.4; a stop market order unless a `price` is given. */
  stop(side: 0 | 1, stopPrice: string, quantity: string, context: Context = {}): Signed {
    const orderType = "price" in context ? 0 : 1;
    return this.sign("stop", {
      baseToken: "1",
      quoteToken: "2",
      stopPrice,
      price: "0",
      quantity,
      side,
      orderType,
      orderMode: 0,
      ...context,
    });
  }

  cancel(orderId: string, change: TransactionChange = {}): Signed {
    return this.sign("cancel", { orderId }, change);
  }

  modify(orderId: string, context: Context, change: TransactionChange = {}): Signed {
    return this.sign("modify", { orderId, ...context }, change);
  }

  /** Creates (1), updates (2) or deletes (3) a session wallet; this wallet is the owner and signs both. */
  session(
    type: 1 | 2 | 3,
    session: Pick<Wallet, "address">,
    expiresAt: number,
    change: TransactionChange & {
      readonly typed?: TypedChange;
      readonly by?: Wallet;
      readonly context?: Context;
    } = {},
  ): Signed {
    const nonce = change.nonce ?? this.nextNonce();
    const context = {
      type,
      publickey: session.address,
      expiresAt,
      nonce,
      l1owner: this.address,
      l1signature: sessionSignature(this, session.address, expiresAt, nonce, change.typed),
      ...change.context,
    };
    const path = `${paths.session}${["", "/update", "/delete"][type - 1] ?? ""}`;
    return (change.by ?? this).sign("session", context, { path, ...change, nonce });
  }
}

const plainOrder = {
  baseToken: "1",
  quoteToken: "2",
  side: 0,
  price: "1800",
  quantity: "1",
  orderType: 0,
  orderMode: 0,
};

/** Deviations from the typed data of §5. */
export interface TypedChange {
  readonly primaryType?: string;
  readonly name?: string;
  readonly version?: string;
  readonly chainId?: number;
  readonly verifyingContract?: string;
  readonly sessionWallet?: string;
  readonly expiry?: string;
  readonly nonce?: string;
  readonly by?: Wallet;
}

function sessionSignature(
  owner: Wallet,
  sessionWallet: string,
  expiry: number,
  nonce: number,
  typed: TypedChange = {},
): string {
  const digest = TypedDataEncoder.hash(
    {
      name: typed.name ?? "DEXSignTransaction",
      version: typed.version ?? "1",
      chainId: typed.chainId ?? 8217,
      verifyingContract: typed.verifyingContract ?? `0x${"0".repeat(40)}`,
    },
    {
      [typed.primaryType ?? "RegisterSessionWallet"]: [
        { name: "sessionWallet", type: "address" },
        { name: "expiry", type: "uint64" },
        { name: "nonce", type: "uint64" },
      ],
    },
    {
      sessionWallet: typed.sessionWallet ?? sessionWallet,
      expiry: typed.expiry ?? String(expiry),
      nonce: typed.nonce ?? String(nonce),
    },
  );
  return (typed.by ?? owner).key.sign(digest).serialized;
}
