import type { z } from "zod";
import type { responses } from "../../src/dashboard/api-schema.ts";
import type { ActionName } from "../../src/control/protocol.ts";

/** What an action came to. */
export interface Outcome {
  readonly ok: boolean;
  readonly text: string;
}

export type Response<Name extends keyof typeof responses> = z.infer<(typeof responses)[Name]>;
export type Session = Response<"session">;

/** Why the API has refused, with its status and the error's code. */
export class Refusal extends Error {
  readonly status: number;
  readonly code: string | undefined;

  constructor(status: number, message: string, code: string | undefined) {
    super(message);
    this.status = status;
    this.code = code;
  }
}

export async function get<Value>(path: string): Promise<Value> {
  return (await answerOf(await fetch(`/api/v1/${path}`))) as Value;
}

/** The caller; undefined for one who has to log in. */
export async function readSession(): Promise<Session | undefined> {
  try {
    return await get<Session>("session");
  } catch (error) {
    if (error instanceof Refusal && error.status === 401) return undefined;
    throw error;
  }
}

export async function login(token: string): Promise<void> {
  const headers = { authorization: `Bearer ${token.trim()}` };
  await answerOf(await fetch("/login", { method: "POST", headers }));
}

export async function logout(): Promise<void> {
  await answerOf(await fetch("/logout", { method: "POST", headers: { "x-touchline": "1" } }));
}

/** Does an action and says in a sentence what came of it. */
export async function act(name: ActionName, body: object): Promise<Outcome> {
  try {
    const response = await fetch(`/api/v1/${name}`, {
      method: "POST",
      headers: { "x-touchline": "1", "content-type": "application/json" },
      body: JSON.stringify(body),
    });
    if (response.status !== 409) return doneOutcome(await answerOf(response));
    const { message, ordersLeft = [] } = (await response.json()) as Refused;
    const left = ordersLeft.length === 0 ? "" : ` Orders left: ${ordersLeft.join(", ")}.`;
    return { ok: false, text: `${message}.${left}` };
  } catch (error) {
    return { ok: false, text: error instanceof Error ? error.message : String(error) };
  }
}

interface Refused {
  readonly message: string;
  readonly ordersLeft?: readonly string[];
}

interface Done {
  readonly resumed?: { readonly lifted: readonly string[]; readonly remaining: readonly string[] };
  readonly tuned?: { readonly changed: readonly string[]; readonly warnings: readonly string[] };
  readonly left?: readonly {
    readonly strategy: string;
    readonly position: string;
    readonly reason: string;
  }[];
}

function doneOutcome(answer: unknown): Outcome {
  const { resumed, tuned, left = [] } = answer as Done;
  const parts = [
    ...(resumed?.lifted ?? []).map((one) => `ended: ${one}`),
    ...(resumed?.remaining ?? []).map((one) => `still holds: ${one}`),
    ...(tuned === undefined
      ? []
      : [tuned.changed.length === 0 ? "no change" : `changed: ${tuned.changed.join(", ")}`]),
    ...(tuned?.warnings ?? []),
    ...left.map(({ strategy, position, reason }) => `${strategy} keeps ${position}: ${reason}`),
  ];
  return { ok: true, text: parts.join("; ") };
}

async function answerOf(response: globalThis.Response): Promise<unknown> {
  const answer: unknown = await response.json().catch(() => undefined);
  if (response.ok) return answer;
  const { error } = (answer ?? {}) as { error?: { message?: string; code?: string } };
  const message = error?.message ?? `The bot answers ${response.status}.`;
  throw new Refusal(response.status, message, error?.code);
}
