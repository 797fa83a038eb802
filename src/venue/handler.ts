import type { z } from "zod";
import type { Result } from "../base/result.ts";
import type { Endpoint, ResultOf, ServedQueryOf } from "../spec/endpoint.ts";
import type { Failure } from "./failure.ts";
import type { VenueContext } from "./venue-context.ts";

/** The decoded body of a POST. */
type BodyOf<E extends Endpoint> = z.output<NonNullable<E["body"]>>;

/** Serves one endpoint. Query and body are validated before, and the envelope is added after. */
export type Handler<E extends Endpoint> = (
  context: VenueContext,
  query: ServedQueryOf<E>,
  body: BodyOf<E>,
) => Result<ResultOf<E>, Failure>;
