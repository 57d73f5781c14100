/** Under which name the sender of a request is counted: the client's address, as far as proxies are trusted. */
import type { IncomingMessage } from "node:http"
import { clientAddress, rateLimitKey, type TrustProxy } from "../config/ClientAddress.ts"

export const requestAddress = ({ headers, socket }: IncomingMessage, trust: TrustProxy): string => {
  const forwarded = headers["x-forwarded-for"]
  const text = Array.isArray(forwarded) ? forwarded.join(",") : forwarded
  return rateLimitKey(clientAddress(socket.remoteAddress, text, trust))
}
