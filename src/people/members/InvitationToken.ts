/** What an invited person holds: 32 random bytes, of which only the hash is kept. */
import { sha256Hex } from "../../domain/Digest.ts"

export const TOKEN_BYTES = 32

export const formatToken = (bytes: Uint8Array): string => Buffer.from(bytes).toString("base64url")

/** A plain hash will do: nobody guesses 256 random bits. */
export const hashToken = (token: string): string => sha256Hex(token)
