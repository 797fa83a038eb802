import type { ServerFactory, ServerOptions } from "../../src/ports/server.ts";

/** A server that listens nowhere: a test passes requests and connections to the options that it was given. */
export class HeldServer implements ServerFactory {
  #options: ServerOptions | undefined;

  listen(options: ServerOptions): ReturnType<ServerFactory["listen"]> {
    this.#options = options;
    return Promise.resolve({ host: options.host, port: 1, close: () => Promise.resolve() });
  }

  /** Throws before `listen`. */
  get options(): ServerOptions {
    if (this.#options === undefined) throw new Error("the venue listens");
    return this.#options;
  }
}
