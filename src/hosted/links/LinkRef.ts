/** Words that nobody guesses, for addresses that are their own credential: 136 random bits in base62. */
const ALPHABET = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
const BASE = BigInt(ALPHABET.length)

export const REF_BYTES = 17
const REF_LENGTH = 23

const digitsOf = (value: bigint): string =>
  (value < BASE ? "" : digitsOf(value / BASE)) + ALPHABET.charAt(Number(value % BASE))

/** Takes `REF_BYTES` cryptographically random bytes. */
export const formatRef = (bytes: Uint8Array): string =>
  digitsOf(BigInt(`0x${Buffer.from(bytes).toString("hex")}`)).padStart(REF_LENGTH, "0")

const SHAPE = /^[0-9A-Za-z]{23}$/

export const isRef = (text: string): boolean => SHAPE.test(text)
