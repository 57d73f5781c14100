/** What is stored of an API key. A plain hash will do: the key is 190 random bits, which nobody guesses. */
import { createHash } from "node:crypto"

export const hashApiKey = (key: string): string => createHash("sha256").update(key).digest("hex")
