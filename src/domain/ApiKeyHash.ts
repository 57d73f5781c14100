/** What is stored of an API key. A plain hash will do: the key is 190 random bits, which nobody guesses. */
import { sha256Hex } from "./Digest.ts"

export const hashApiKey = (key: string): string => sha256Hex(key)
