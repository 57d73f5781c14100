import { base58, bech32, bech32m, createBase58check } from "@scure/base"
import { createHash } from "node:crypto"
import { Either } from "effect"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import type { CryptoNetwork } from "../../src/domain/Currency.ts"
import { checkWalletAddress, checksumCase } from "../../src/domain/WalletAddress.ts"
import { depositAddress } from "../../src/providers/sandbox/SimulatorAnswers.ts"

const evm = ["ETHEREUM", "POLYGON", "BASE"] as const
const networks: ReadonlyArray<CryptoNetwork> = [...evm, "BITCOIN", "TRON", "SOLANA"]

const accepts = (network: CryptoNetwork, address: string): boolean =>
  Either.isRight(checkWalletAddress(network, address))

const refusal = (network: CryptoNetwork, address: string): string =>
  Either.match(checkWalletAddress(network, address), { onLeft: (why) => why, onRight: () => "accepted" })

const mixedCase = [
  "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed",
  "0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359",
  "0xdbF03B407c01E7cD3CBea99509d93f8DDDC8C6FB",
  "0xD1220A0cf47c7B9Be7A2E6BA89F429762e7b9aDb"
]

const valid: ReadonlyArray<readonly [CryptoNetwork, ReadonlyArray<string>]> = [
  [
    "BITCOIN",
    [
      "1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa",
      "1BvBMSEYstWetqTFn5Au4m4GFg7xJaNVN2",
      "3J98t1WpEZ73CNmQviecrnyiWrnqRhWNLy",
      "BC1QW508D6QEJXTDG4Y5R3ZARVARY0C5XW7KV8F3T4",
      "bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4",
      "bc1qrp33g0q5c5txsp9arysrx4k6zdkfs4nce4xj0gdcccefvpysxf3qccfmv3",
      "bc1p0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7vqzk5jj0",
      "bc1pw508d6qejxtdg4y5r3zarvary0c5xw7kw508d6qejxtdg4y5r3zarvary0c5xw7kt5nd6y",
      "bc1zw508d6qejxtdg4y5r3zarvaryvaxxpcs",
      "BC1SW50QGDZ25J"
    ]
  ],
  ...evm.map(
    (network) =>
      [
        network,
        [
          ...mixedCase,
          "0x52908400098527886E0F7030069857D2E4169EE7",
          "0xde709f2102306220921060314715629080e2fb77",
          "0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaed",
          "0x0000000000000000000000000000000000000001"
        ]
      ] as const
  ),
  [
    "TRON",
    ["TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t", "T9yD14Nj9j7xAB4dbGeiX9h8unkKHxuWwb", "TEkxiTehnzSmSe2XqrBj4w32RUN966rdz8"]
  ],
  [
    "SOLANA",
    [
      "11111111111111111111111111111111",
      "TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA",
      "EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v",
      "So11111111111111111111111111111111111111112"
    ]
  ]
]

describe("addresses that are in use", () => {
  it.each(valid)("on %s are taken as they are", (network, addresses) => {
    for (const address of addresses) expect(checkWalletAddress(network, address)).toEqual(Either.right(address))
  })

  it("are refused on every network of another kind", () => {
    for (const [network, addresses] of valid) {
      const isEvm = evm.some((one) => one === network)
      const others = networks.filter((one) => one !== network && !(isEvm && evm.some((same) => same === one)))
      for (const other of others) for (const address of addresses) expect(refusal(other, address)).not.toBe("accepted")
    }
  })
})

describe("Bitcoin", () => {
  const foreign = "is not a Bitcoin address: it belongs to another network or to a test network"

  it.each([
    "mipcBbFg9gMiCh81Kj8tqqdgoZub1ZJRfn",
    "2MzQwSSnBHWHqSAqtTVQ6v47XtaisrJa1Vc",
    "tb1qw508d6qejxtdg4y5r3zarvary0c5xw7kxpjzsx",
    "tb1pqqqqp399et2xygdj5xreqhjjvcmzhxw4aywxecjdzew6hylgvsesf3hn0c",
    bech32.encode("bcrt", [0, ...bech32.toWords(new Uint8Array(20))]),
    "TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t",
    "TB115BhpCAFbjPUgniZ36TZYxNB67fPKzr"
  ])("refuses %s, of another network", (address) => {
    expect(refusal("BITCOIN", address)).toBe(foreign)
  })

  it.each([
    [
      "bech32 where bech32m belongs",
      "bc1p0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7vqh2y7hd",
      /witness version 1/
    ],
    ["bech32m where bech32 belongs", "bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kemeawh", /witness version 0/],
    ["a witness version of 17", "BC130XLXVLHEMJA6C4DQV22UAPCTQUPFHLXM9H8Z3K2E72Q4K9HCZ7VQ7ZWS8R", /no witness program/],
    ["a program of 1 byte", "bc1pw5dgrnzv", /has 1 bytes, not 2 to 40/],
    [
      "a program of 41 bytes",
      "bc1p0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7v8n0nx0muaewav253zgeav",
      /has 41 bytes, not 2 to 40/
    ],
    ["a program of 16 bytes in version 0", "BC1QR508D6QEJXTDG4Y5R3ZARVARYV98GJ9P", /holds 16 bytes, not 32/],
    [
      "padding that is not needed",
      "bc1p0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7v07qwwzcrf",
      /no witness program/
    ],
    ["no data at all", "bc1gmk9yu", /no witness program/],
    ["mixed case", "bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8F3t4", /mixes upper and lower case/],
    ["a character outside bech32", "bc1p38j9r5y49hruaue7wxjce0updqjuyyx0kh56v8s25huc6995vvpql3jow4", /checksum/],
    ["a character outside base58", "1BvBMSEYstWetqTFn5Au4m4GFg7xJaNVN0", /characters that base58 does not have/],
    ["a wrong checksum", "1BvBMSEYstWetqTFn5Au4m4GFg7xJaNVN3", /its checksum does not match/],
    ["a character too few", "1BvBMSEYstWetqTFn5Au4m4GFg7xJaNVN", /bytes, not 25|checksum/],
    ["nothing", "", /holds 0 bytes, not 25/],
    ["a space in front", " 1BvBMSEYstWetqTFn5Au4m4GFg7xJaNVN2", /characters/]
  ])("refuses %s", (_, address, why) => {
    expect(refusal("BITCOIN", address)).toMatch(/^is not a Bitcoin address: /)
    expect(refusal("BITCOIN", address)).toMatch(why)
  })
})

describe("Ethereum and its kin", () => {
  it.each([
    ["no 0x", "5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed"],
    ["0X", "0X5aaeb6053f3e94c9b9a09f33669435e7ef1beaed"],
    ["39 digits", "0x5aaeb6053f3e94c9b9a09f33669435e7ef1beae"],
    ["41 digits", "0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaedd"],
    ["a letter past f", "0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaeg"],
    ["a line feed", "0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaed\n"],
    ["a name", "vitalik.eth"]
  ])("refuse %s", (_, address) => {
    expect(refusal("POLYGON", address)).toBe("is not a Polygon address: write 0x and 40 hexadecimal digits")
  })

  it("refuse every other case of a letter in mixed case", () => {
    const digits = fc.uint8Array({ minLength: 20, maxLength: 20 }).map((bytes) => Buffer.from(bytes).toString("hex"))
    fc.assert(
      fc.property(digits, fc.nat(39), (lower, at) => {
        const address = checksumCase(lower)
        expect(accepts("BASE", `0x${address}`)).toBe(true)
        const letter = address.charAt(at)
        const flipped = letter === letter.toLowerCase() ? letter.toUpperCase() : letter.toLowerCase()
        const changed = address.slice(0, at) + flipped + address.slice(at + 1)
        fc.pre(changed !== address && changed !== changed.toLowerCase() && changed !== changed.toUpperCase())
        expect(refusal("BASE", `0x${changed}`)).toMatch(/^is not a Base address: its upper and lower case/)
      })
    )
  })

  it.each(mixedCase)("refuse every change of one character of %s", (address) => {
    for (let at = 0; at < address.length; at++) {
      for (const character of "0123456789abcdefABCDEFx") {
        if (character === address[at]) continue
        const changed = address.slice(0, at) + character + address.slice(at + 1)
        expect(refusal("ETHEREUM", changed)).not.toBe("accepted")
      }
    }
  })
})

describe("Tron", () => {
  it.each([
    ["another version", "27VZHn9PFZwNh7o2EporxmLkpe157iWZVkh", /another network or to a test network/],
    ["a Bitcoin address", "1BvBMSEYstWetqTFn5Au4m4GFg7xJaNVN2", /another network or to a test network/],
    ["hexadecimal form", "41a614f803b6fd780986a42c78ec9c7f77e6ded13c", /characters|bytes/],
    ["a wrong checksum", "TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6u", /its checksum does not match/]
  ])("refuses %s", (_, address, why) => {
    expect(refusal("TRON", address)).toMatch(why)
  })
})

describe("Solana", () => {
  it.each([
    ["31 bytes", base58.encode(new Uint8Array(31).fill(7)), /holds 31 bytes, not 32/],
    ["33 bytes", base58.encode(new Uint8Array(33).fill(7)), /holds 33 bytes, not 32/],
    ["a transaction's signature", base58.encode(new Uint8Array(64).fill(9)), /holds 64 bytes, not 32/],
    ["a character outside base58", "TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5D0", /characters/]
  ])("refuses %s", (_, address, why) => {
    expect(refusal("SOLANA", address)).toMatch(/^is not a Solana address: /)
    expect(refusal("SOLANA", address)).toMatch(why)
  })

  it("takes any 32 bytes and no other length", () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 28, maxLength: 36 }), (bytes) => {
        expect(accepts("SOLANA", base58.encode(bytes))).toBe(bytes.length === 32)
      })
    )
  })
})

describe("a checksum", () => {
  const sha256 = (data: Uint8Array): Uint8Array => new Uint8Array(createHash("sha256").update(data).digest())
  const hashes = fc.uint8Array({ minLength: 20, maxLength: 20 })
  const versioned = (version: number) =>
    hashes.map((hash) => createBase58check(sha256).encode(Uint8Array.of(version, ...hash)))
  const segwit = fc
    .tuple(fc.integer({ min: 0, max: 16 }), fc.uint8Array({ minLength: 2, maxLength: 40 }), fc.boolean())
    .map(([version, bytes, long]) => {
      const program = version > 0 ? bytes : new Uint8Array(long ? 32 : 20).map((_, at) => bytes[at % bytes.length] ?? 0)
      return (version === 0 ? bech32 : bech32m).encode("bc", [version, ...bech32.toWords(program)])
    })
  const kinds: ReadonlyArray<readonly [string, CryptoNetwork, fc.Arbitrary<string>]> = [
    ["P2PKH", "BITCOIN", versioned(0x00)],
    ["P2SH", "BITCOIN", versioned(0x05)],
    ["segwit", "BITCOIN", segwit],
    ["Tron", "TRON", versioned(0x41)]
  ]
  const printable = fc.integer({ min: 0x21, max: 0x7e }).map((code) => String.fromCharCode(code))

  it.each(kinds)("of %s finds every change of one character", (_, network, addresses) => {
    fc.assert(
      fc.property(addresses, fc.nat(), printable, (address, anywhere, character) => {
        expect(accepts(network, address)).toBe(true)
        const at = anywhere % address.length
        fc.pre(address[at] !== character)
        expect(accepts(network, address.slice(0, at) + character + address.slice(at + 1))).toBe(false)
      }),
      { numRuns: 500 }
    )
  })

  it.each([
    ["BITCOIN", [0x6f, 0xc4, 0x41]],
    ["TRON", [0xa0, 0x00]]
  ] as const)("does not make an address of %s of another version", (network, versions) => {
    fc.assert(
      fc.property(fc.constantFrom<number>(...versions).chain(versioned), (address) => {
        expect(refusal(network, address)).toMatch(/another network or to a test network$/)
      })
    )
  })
})

describe("a deposit address of the sandbox", () => {
  it("passes the check of its network, whatever the reference, and stays the same", () => {
    fc.assert(
      fc.property(fc.constantFrom(...networks), fc.string(), (network, reference) => {
        const address = depositAddress(network, reference)
        expect(checkWalletAddress(network, address)).toEqual(Either.right(address))
        expect(depositAddress(network, reference)).toBe(address)
        expect(depositAddress(network, `${reference}.`)).not.toBe(address)
      })
    )
  })

  it.each(evm)("on %s carries the checksum of EIP-55", (network) => {
    for (const reference of ["a", "b", "c", "d"]) {
      const digits = depositAddress(network, reference).slice(2)
      expect(digits).toMatch(/[a-f]/)
      expect(digits).toMatch(/[A-F]/)
    }
  })
})
