import { z } from "zod";
import { defineEndpoint } from "../endpoint.ts";
import { hashText } from "../fields.ts";
import { order } from "../resources.ts";

export const orderShow = defineEndpoint({
  name: "order-show",
  section: "§4.2",
  summary: "One order by its id, in any status.",
  method: "GET",
  path: "/api/v1/order/{orderId}",
  query: z.object({ orderId: hashText }),
  result: order,
});
