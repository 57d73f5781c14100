/** Under which name the sender of a request is counted: the client's address, as far as proxies are trusted. */
import type { IncomingMessage } from "node:http"
import { clientAddress, rateLimitKey, type TrustProxy } from "../config/ClientAddress.ts"

/** The client's address itself. */
export const clientOf = ({ headers, socket }: IncomingMessage, trust: TrustProxy): string => {
  const forwarded = headers["x-forwarded-for"]
  const text = Array.isArray(forwarded) ? forwarded.join(",") : forwarded
  return clientAddress(socket.remoteAddress, text, trust)
}

export const requestAddress = (request: IncomingMessage, trust: TrustProxy): string =>
  rateLimitKey(clientOf(request, trust))
