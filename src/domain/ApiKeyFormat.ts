/**
 * Format of an API key: `ck_test_` or `ck_live_`, 32 random base62 characters, and a checksum of the rest. A mistyped
 * or made-up key is refused without a database query.
 */
import { Option } from "effect"
import { sha256Hex } from "./Digest.ts"

export type ApiKeyMode = "test" | "live"

interface ParsedApiKey {
  readonly mode: ApiKeyMode
  readonly prefix: string
}

const BASE62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
const RANDOM_CHARACTERS = 32
const CHECKSUM_CHARACTERS = 6
const PREFIX_CHARACTERS = 12
const SHAPE = /^ck_(test|live)_[0-9A-Za-z]{38}$/

/** 248 is the largest multiple of 62 in a byte: taking the rest modulo 62 would favour the first eight characters. */
const UNBIASED_BELOW = 248

/**
 * Random bytes for `formatApiKey`. One byte in 32 is rejected on average; more than half of 64 with a chance below
 * 2^-100.
 */
export const API_KEY_RANDOM_BYTES = 64

const crc32 = (ascii: string): number => {
  let crc = 0xffffffff
  for (let i = 0; i < ascii.length; i++) {
    crc ^= ascii.charCodeAt(i)
    for (let bit = 0; bit < 8; bit++) crc = (crc >>> 1) ^ (crc & 1 ? 0xedb88320 : 0)
  }
  return (crc ^ 0xffffffff) >>> 0
}

const base62 = (value: number): string =>
  value < 62 ? BASE62.charAt(value) : base62(Math.floor(value / 62)) + BASE62.charAt(value % 62)

const checksumOf = (text: string): string => base62(crc32(text)).padStart(CHECKSUM_CHARACTERS, "0")

/** The part of a key that is kept in the clear, by which people recognise it. */
export const prefixOf = (apiKey: string): string => apiKey.slice(0, PREFIX_CHARACTERS)

/**
 * Builds a key from `API_KEY_RANDOM_BYTES` cryptographically random bytes; bytes past the 32nd accepted one are not
 * read. Throws a RangeError when the bytes run out: a shorter key would be a weaker one, and the cause is a bug.
 */
export const formatApiKey = (mode: ApiKeyMode, randomBytes: Uint8Array): string => {
  const accepted = randomBytes.filter((byte) => byte < UNBIASED_BELOW).subarray(0, RANDOM_CHARACTERS)
  if (accepted.length < RANDOM_CHARACTERS) {
    throw new RangeError(`An API key needs ${RANDOM_CHARACTERS} usable random bytes, got ${accepted.length}`)
  }
  const body = `ck_${mode}_${Array.from(accepted, (byte) => BASE62.charAt(byte % 62)).join("")}`
  return body + checksumOf(body)
}

export const parseApiKey = (text: string): Option.Option<ParsedApiKey> => {
  if (!SHAPE.test(text)) return Option.none()
  const body = text.slice(0, -CHECKSUM_CHARACTERS)
  if (text.slice(-CHECKSUM_CHARACTERS) !== checksumOf(body)) return Option.none()
  return Option.some({ mode: text.startsWith("ck_live_") ? "live" : "test", prefix: prefixOf(text) })
}

/** Stored hash of an API key. A plain hash suffices: a key has 190 random bits. */
export const hashApiKey = (key: string): string => sha256Hex(key)
