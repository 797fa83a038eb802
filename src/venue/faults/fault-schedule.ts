import { assert } from "../../base/assert.ts";
import { unixMs } from "../../domain/time.ts";
import type { Layer1Outcome, WithdrawalRecord } from "../../exchange/withdrawals.ts";
import type { Clock, Timer } from "../../ports/clock.ts";
import type { ServerFactory } from "../../ports/server.ts";
import type { FaultLineConfig } from "./fault-config.ts";
import { faultKinds } from "./fault-kinds.ts";
import { FaultLine } from "./fault-line.ts";
import { FaultyConnection } from "./faulty-connection.ts";
import { FaultyRequests } from "./faulty-requests.ts";

/**
 * The configured faults, applied between the venue and its ports, so that the venue itself does not know of them. All randomness is
 * seeded: the same requests and messages at the same times meet the same faults.
 */
export class FaultSchedule {
  readonly #lines: readonly FaultLine[];
  readonly #clock: Clock;
  readonly #timer: Timer;
  readonly #requests: FaultyRequests;
  #latestMs = 0;

  constructor(
    lines: readonly FaultLineConfig[],
    ports: { readonly clock: Clock; readonly timer: Timer },
  ) {
    this.#clock = ports.clock;
    this.#timer = ports.timer;
    this.#lines = lines.map((line, at) => {
      const kind = faultKinds.find(({ name }) => name === line.kind);
      assert(kind !== undefined, "a kind that the configuration knows");
      // The options were parsed by the kind's own schema; the table of kinds does not carry that type.
      return new FaultLine(kind, line, at, ports.clock);
    });
    this.#requests = new FaultyRequests(this.#lines, ports.timer);
  }

  /** Wraps the venue's ports. */
  ports<Ports extends { readonly clock: Clock; readonly server: ServerFactory }>(
    inner: Ports,
  ): Ports {
    return { ...inner, clock: this.clock, server: this.server(inner.server) };
  }

  /** The venue's clock, shifted by the schedule; it never goes back. */
  readonly clock: Clock = {
    nowMs: () => {
      const skewMs = this.#lines.reduce(
        (sum, { kind, options, isOn }) => sum + (isOn ? (kind.skewMs?.(options) ?? 0) : 0),
        0,
      );
      this.#latestMs = Math.max(this.#latestMs, this.#clock.nowMs() + skewMs);
      return unixMs(this.#latestMs);
    },
    monotonicUs: () => this.#clock.monotonicUs(),
  };

  /** A server whose requests and messages pass through the faults. */
  server(inner: ServerFactory): ServerFactory {
    return {
      listen: (options) =>
        inner.listen({
          ...options,
          respond: (request) => this.#requests.respond(request, options.respond),
          connected: (socket) => {
            const connection = new FaultyConnection(socket, this.#lines, this.#timer, this.#clock);
            return connection.handlers(options.connected(connection));
          },
        }),
    };
  }

  /** How the layer-1 phase of a withdrawal ends. */
  layer1(withdrawal: WithdrawalRecord): Layer1Outcome {
    for (const line of this.#lines) {
      if (line.kind.layer1 !== undefined && line.strikes(withdrawal.tokenId)) {
        return line.kind.layer1(line.options);
      }
    }
    return "executed";
  }

  /** Ends all waiting. */
  stop(): void {
    this.#requests.stop();
  }
}
