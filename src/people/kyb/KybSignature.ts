/** The proof that a callback comes from the KYB provider. */
import { createHmac, timingSafeEqual } from "node:crypto"
import { sha256Hex } from "../../domain/Digest.ts"

export const kybSignature = (secret: string, body: Uint8Array): string =>
  createHmac("sha256", secret).update(body).digest("hex")

/** Takes as long for a wrong signature as for the right one. */
export const isSignedBy = (secret: string, body: Uint8Array, given: string): boolean => {
  const expected = Buffer.from(kybSignature(secret, body))
  const offered = Buffer.from(given.toLowerCase())
  return expected.length === offered.length && timingSafeEqual(expected, offered)
}

export const digestOf = (body: Uint8Array): string => sha256Hex(body)
