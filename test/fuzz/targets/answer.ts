import fc from "fast-check";
import { endpoints, type EndpointName } from "../../../src/spec/endpoints.ts";
import { decodeResponse } from "../../../src/spec/envelope.ts";
import { optionalOrderFields, results } from "../../spec/samples.ts";
import { few, scratch, scratched, spoil, spoiled } from "../hostile.ts";
import { isAddress, isDecimal, isFields, isHash } from "../strict-values.ts";
import { defineTarget, Violation } from "../target.ts";

const names = Object.keys(endpoints) as EndpointName[];

const inputs = fc
  .record({
    name: fc.constantFrom(...names),
    isFailure: fc.constantFrom(false, false, false, false, true),
    status: fc.constantFrom(200, 200, 200, 200, 200, 400, 404, 429, 500, 503, 302),
    spoils: few(spoil),
    scratches: fc.oneof(
      { weight: 2, arbitrary: fc.constant([]) },
      { weight: 2, arbitrary: few(scratch) },
    ),
  })
  .map(({ name, isFailure, status, spoils, scratches }) => {
    const { envelope } = endpoints[name];
    const success =
      envelope === "candles"
        ? { success: true, result: results[name] }
        : { code: 200, errMsg: "OK", ...(envelope === "bare" ? {} : { result: results[name] }) };
    const failure =
      envelope === "candles"
        ? { success: false, errorCode: "INVALID_PARAM", message: "no" }
        : { code: status, errMsg: "no", result: null };
    const body = scratched(
      JSON.stringify(spoiled(isFailure ? failure : success, spoils)) ?? "",
      scratches,
    );
    return { name, status, body };
  });

/** Valid and invalid responses of a venue: reading one never throws, and an accepted one has the fields of the interface. */
export const responseTarget = defineTarget({
  name: "answers of the venue",
  weight: 6,
  inputs,
  open: () => ({
    check: ({ name, status, body }) => {
      const response = decodeResponse(endpoints[name], status, body);
      if (response.type !== "ok") return "refused";
      const value: unknown = JSON.parse(body);
      const isStandard = isFields(value) && value["code"] === 200;
      const isCandles = isFields(value) && value["success"] === true;
      const isSuccess = endpoints[name].envelope === "candles" ? isCandles : isStandard;
      if (!isSuccess || status >= 400) throw new Violation("accepted-invalid", `HTTP ${status}`);
      const result = isFields(value) ? value["result"] : undefined;
      const isOrder = name === "order-history" || name === "order-show";
      if (endpoints[name].envelope !== "bare" && !isLike(results[name], result, isOrder)) {
        throw new Violation("accepted-invalid", JSON.stringify(result));
      }
      return "taken";
    },
  }),
});

/** Whether a value has the sample's form: the same fields with the same kinds of values. */
function isLike(sample: unknown, value: unknown, isOrder: boolean): boolean {
  if (Array.isArray(sample)) {
    return Array.isArray(value) && value.every((item) => isLike(sample[0], item, isOrder));
  }
  if (isFields(sample)) {
    if (!isFields(value)) return false;
    return Object.entries(sample).every(([name, inner]) => {
      if (isOrder && optionalOrderFields.includes(name) && !Object.hasOwn(value, name)) return true;
      const isFee = /fee$/i.test(name) && typeof inner === "string";
      return isFee ? isDecimal(value[name], true) : isLike(inner, value[name], isOrder);
    });
  }
  if (isHash(sample)) return isHash(value) || value === "0x0";
  if (isAddress(sample)) return isAddress(value) || typeof value === "string";
  if (isDecimal(sample) && String(sample).length > 1) return isDecimal(value);
  if (typeof sample === "number" && Number.isInteger(sample) && sample > 100) {
    return typeof value === "number";
  }
  return typeof value === typeof sample;
}
