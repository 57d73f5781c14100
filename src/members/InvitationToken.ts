/** What an invited person holds: 32 random bytes, of which only the hash is kept. */
import { createHash } from "node:crypto"

export const TOKEN_BYTES = 32

export const formatToken = (bytes: Uint8Array): string => Buffer.from(bytes).toString("base64url")

/** A plain hash will do: nobody guesses 256 random bits. */
export const hashToken = (token: string): string => createHash("sha256").update(token).digest("hex")
