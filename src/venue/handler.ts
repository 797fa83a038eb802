import type { z } from "zod";
import type { Result } from "../base/result.ts";
import type { Endpoint, ResultOf, ServedQueryOf } from "../spec/endpoint.ts";
import type { Failure } from "./failure.ts";
import type { VenueContext } from "./venue-context.ts";

/** What a POST carries, decoded. */
type BodyOf<E extends Endpoint> = z.output<NonNullable<E["body"]>>;

/** Answers one endpoint: query and body are checked, the envelope is put around what it returns. */
export type Handler<E extends Endpoint> = (
  context: VenueContext,
  query: ServedQueryOf<E>,
  body: BodyOf<E>,
) => Result<ResultOf<E>, Failure>;
