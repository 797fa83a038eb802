/** One request to a bot that changes something: an action of the HTTP API, of the page, and of chats. */
interface Action {
  /** For people, beside the action's name. */
  readonly summary: string;
  /** It is taken over HTTP only with `confirm: true`. */
  readonly confirms?: true;
  /** Agents may send it; a sentence: within this bound. */
  readonly agents?: true | string;
}

/** By the name of the request in `protocol.ts`. Imports nothing: the page has it, too. */
export const actions = {
  pause: {
    summary: "Cancels the quotes of one strategy or of all and keeps running.",
    agents: true,
  },
  "reduce-only": {
    summary:
      "Lets one strategy or all only bring their positions nearer to 0 until `resume`; other orders are canceled.",
    agents: true,
  },
  resume: {
    summary:
      "Ends the halt, the pause and reduce only of the bot as a whole, with the risk steps of all strategies, or those of one strategy; what an operator set for the other stays.",
    agents: "An agent may only end pauses and reduce only.",
  },
  halt: {
    summary: "Cancels every own order and refuses to quote until `resume`, over restarts too.",
    confirms: true,
    agents: true,
  },
  flatten: {
    summary:
      "Pauses and works the positions off, for a time and no worse than so far from the touch.",
    confirms: true,
  },
  cancel: {
    summary:
      "Cancels these orders, foreign ones of the account, too, or all own ones; without a pause the strategies quote again.",
    confirms: true,
  },
  "take-over": {
    summary:
      "Makes a foreign order of the account a strategy's own: its fills count there, and the strategy keeps, replaces or cancels it.",
    confirms: true,
  },
  tune: {
    summary: "Changes parameters of a strategy until the next start or reload.",
    agents: "An agent may not change limits among them.",
  },
  reload: { summary: "Takes the parameters that the bot's file has now." },
  book: {
    summary:
      "Adds a trade that was made by hand to a strategy's position; nothing is sent to the venue.",
  },
} as const satisfies Readonly<Record<string, Action>>;

export type ActionName = keyof typeof actions;
export const actionNames = Object.keys(actions) as readonly ActionName[];

/** The summary with the bound of agents. */
export function actionText(name: ActionName): string {
  const { summary, agents }: Action = actions[name];
  return typeof agents === "string" ? `${summary} ${agents}` : summary;
}

/** What a flatten takes where nobody says more. */
export const usualFlatten = { maxSlippage: 0.005, withinMs: 10_000 };
