import { TouchlineError, type TouchlineErrorOptions } from "../base/error.ts";

/** What a bot's HTTP API has refused, with its own code and HTTP status. */
export class BotRefusal extends TouchlineError {
  override readonly name = "BotRefusal";
  readonly status: number;

  constructor(status: number, code: string, message: string, options: TouchlineErrorOptions = {}) {
    super(code, message, options);
    this.status = status;
  }
}
