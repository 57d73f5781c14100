/** Callbacks of third parties, as the port hands them to an adapter. */
import type { FakeCallback } from "../../fakes/Fake.ts"
import type { CallbackRequest } from "../../../src/providers/port/Callback.ts"

export const callbackRequest = (
  body: string | Buffer,
  headers: CallbackRequest["headers"] = {},
  about: Partial<Omit<CallbackRequest, "body" | "headers">> = {}
): CallbackRequest => ({
  method: "POST",
  path: "/callbacks",
  query: {},
  authority: "pay.example.com",
  ...about,
  headers: Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value])),
  body: Buffer.from(body)
})

export const asCalledBack = ({ body, headers, method = "POST" }: FakeCallback): CallbackRequest =>
  callbackRequest(body, headers, { method })
