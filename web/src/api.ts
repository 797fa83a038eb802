import type { z } from "zod";
import { errorText } from "../../src/base/error-text.ts";
import type { responses } from "../../src/dashboard/api-schema.ts";
import { type ActionName, actions } from "../../src/control/actions.ts";
import type { ControlResponse } from "../../src/control/protocol.ts";
import { responseTexts } from "../../src/control/response-texts.ts";

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

/** Does an action, among several bots on that of this name, and says in a sentence what came of it. */
export async function act(name: ActionName, body: object, bot?: string): Promise<Outcome> {
  const query = bot === undefined ? "" : `?bot=${encodeURIComponent(bot)}`;
  const confirmed = "confirms" in actions[name] ? { ...body, confirm: true } : body;
  try {
    const answer = await answerOf(
      await fetch(`/api/v1/${name}${query}`, {
        method: "POST",
        headers: { "x-touchline": "1", "content-type": "application/json" },
        body: JSON.stringify(confirmed),
      }),
    );
    const response = answer as ControlResponse;
    return { ok: response.ok, text: responseTexts(response).join("; ") };
  } catch (error) {
    return { ok: false, text: errorText(error) };
  }
}

async function answerOf(response: globalThis.Response): Promise<unknown> {
  const answer: unknown = await response.json().catch(() => undefined);
  const { error } = (answer ?? {}) as { error?: { message?: string; code?: string } };
  // 409: what the bot could not do has no error.
  if (response.ok || (response.status === 409 && error === undefined)) return answer;
  const message = error?.message ?? `The bot answers ${response.status}.`;
  throw new Refusal(response.status, message, error?.code);
}
