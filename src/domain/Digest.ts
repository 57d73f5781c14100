/** SHA-256 in one call, which costs a third of making a hash object. */
import { hash, createHmac } from "node:crypto"

export const sha256Hex = (data: string | Uint8Array): string => hash("sha256", data, "hex")

/** The two signatures of a webhook: the service's own over the body, and that of Standard Webhooks over id, time and body. */
const PREFIX = "whsec_"

/** Hex; the whole text of the secret is the key. */
export const serviceSignature = (secret: string, body: string): string =>
  createHmac("sha256", secret).update(body).digest("hex")

const keyOf = (secret: string): Buffer =>
  Buffer.from(secret.startsWith(PREFIX) ? secret.slice(PREFIX.length) : secret, "base64")

/** Signs with each secret: a receiver that has any of them can verify. The decoded bytes are the key. */
export const standardSignature = (
  secrets: ReadonlyArray<string>,
  message: { readonly id: string; readonly timestamp: string; readonly body: string }
): string =>
  secrets
    .map((secret) => {
      const mac = createHmac("sha256", keyOf(secret)).update(`${message.id}.${message.timestamp}.${message.body}`)
      return `v1,${mac.digest("base64")}`
    })
    .join(" ")
