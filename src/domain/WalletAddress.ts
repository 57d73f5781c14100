/** Validation of wallet addresses by form and checksum: crypto sent to a wrong address is lost. */
import { sha256 } from "@noble/hashes/sha2.js"
import { keccak_256 } from "@noble/hashes/sha3.js"
import { bytesToHex, utf8ToBytes } from "@noble/hashes/utils.js"
import { base58, bech32, bech32m, createBase58check } from "@scure/base"
import { Either } from "effect"
import type { CryptoNetwork } from "./Currency.ts"

/** Why an address is not valid, if so. */
type Problem = string | undefined

export const base58check = createBase58check(sha256)

const read = <A>(decode: () => A, why: string): Either.Either<A, string> =>
  Either.try({ try: decode, catch: () => why })

const readBase58 = (address: string): Either.Either<Uint8Array, string> =>
  read(() => base58.decode(address), "it has characters that base58 does not have")

const lengthProblem = (bytes: Uint8Array, length: number): Problem =>
  bytes.length === length ? undefined : `it holds ${bytes.length} bytes, not ${length}`

const versionedHashLength = 21
const checksumLength = 4

/** A version byte and a hash of 20 bytes, secured by a checksum. */
const readVersioned = (address: string): Either.Either<number, string> =>
  Either.gen(function* () {
    const problem = lengthProblem(yield* readBase58(address), versionedHashLength + checksumLength)
    if (problem !== undefined) return yield* Either.left(problem)
    const [version = -1] = yield* read(() => base58check.decode(address), "its checksum does not match")
    return version
  })

const otherNetwork = "it belongs to another network or to a test network"

const versionProblem = (address: string, versions: ReadonlyArray<number>): Problem =>
  Either.match(readVersioned(address), {
    onLeft: (why) => why,
    onRight: (version) => (versions.includes(version) ? undefined : otherNetwork)
  })

const segwitProblem = (address: string): Problem => {
  const original = bech32.decodeUnsafe(address)
  const decoded = original ?? bech32m.decodeUnsafe(address)
  if (decoded === undefined) return "its checksum does not match, or it mixes upper and lower case"
  if (decoded.prefix !== "bc") return otherNetwork
  const [version, ...words] = decoded.words
  const program = bech32.fromWordsUnsafe(words)
  if (version === undefined || version > 16 || program === undefined) return "it holds no witness program"
  if ((version === 0) !== (original !== undefined)) return `its checksum is not the one of witness version ${version}`
  if (version === 0) return program.length === 20 ? undefined : lengthProblem(program, 32)
  return program.length >= 2 && program.length <= 40
    ? undefined
    : `its witness program has ${program.length} bytes, not 2 to 40`
}

export const keyHashVersion = 0x00
const scriptHashVersion = 0x05

/** An address in base58 of another network may start with the letters of segwit, such as `TB1` on Tron. */
const bitcoinProblem = (address: string): Problem =>
  /^(?:bc|tb|bcrt)1/i.test(address) && Either.isLeft(readVersioned(address))
    ? segwitProblem(address)
    : versionProblem(address, [keyHashVersion, scriptHashVersion])

/** The 40 hexadecimal digits with their letters in the case that EIP-55 makes a checksum of. */
export const checksumCase = (digits: string): string => {
  const lower = digits.toLowerCase()
  const hash = bytesToHex(keccak_256(utf8ToBytes(lower)))
  return lower.replace(/[a-f]/g, (letter, at: number) => (hash.charAt(at) >= "8" ? letter.toUpperCase() : letter))
}

const evmProblem = (address: string): Problem => {
  if (!/^0x[0-9a-fA-F]{40}$/.test(address)) return "write 0x and 40 hexadecimal digits"
  const digits = address.slice(2)
  const oneCase = digits === digits.toLowerCase() || digits === digits.toUpperCase()
  return oneCase || digits === checksumCase(digits)
    ? undefined
    : "its upper and lower case are not those of its checksum"
}

export const tronVersion = 0x41

const tronProblem = (address: string): Problem => versionProblem(address, [tronVersion])

const solanaProblem = (address: string): Problem =>
  Either.match(readBase58(address), { onLeft: (why) => why, onRight: (bytes) => lengthProblem(bytes, 32) })

const rules = {
  BITCOIN: ["a Bitcoin", bitcoinProblem],
  ETHEREUM: ["an Ethereum", evmProblem],
  POLYGON: ["a Polygon", evmProblem],
  BASE: ["a Base", evmProblem],
  TRON: ["a Tron", tronProblem],
  SOLANA: ["a Solana", solanaProblem]
} as const satisfies Record<CryptoNetwork, readonly [string, (address: string) => Problem]>

/** The address as it was given, or why it is none. */
export const checkWalletAddress = (network: CryptoNetwork, address: string): Either.Either<string, string> => {
  const [name, problemOf] = rules[network]
  const problem = problemOf(address)
  return problem === undefined ? Either.right(address) : Either.left(`is not ${name} address: ${problem}`)
}
